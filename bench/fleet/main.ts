/** Measures, simulates and prints; what `bench/fleet.mjs` runs. */

import { measureConstants } from "./constants.ts";
import { breakingTable, costTable, roundTable, thousand } from "./report.ts";

const measured = await measureConstants();
const { states, objectsPerState, sites, callsAtOnce, objectsPerCall, answerMs } = thousand;
const lines = [
  "What a step costs the database (processor time), and what passes for one alone:",
  "",
  ...costTable(measured),
  "",
  `One round of drift: ${states} states of ${objectsPerState} objects at ${sites} sites, all due`,
  `at once; ${callsAtOnce} calls at a time and site, ${objectsPerCall} objects and ${answerMs} ms each:`,
  "",
  ...roundTable(measured.costs),
  "",
  "Workers that keep up with a round each quarter of an hour:",
  "",
  ...breakingTable(measured.costs),
];
console.log(lines.join("\n"));
