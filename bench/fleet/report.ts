/** What the figures come to, for people: a table of costs, one of rounds, and where it breaks. */

import type { Measured } from "./constants.ts";
import { type Costs, type Fleet, type Round, simulateRound, workersFor } from "./simulate.ts";

/** A thousand states of a thousand objects at fifty sites. */
export const thousand: Fleet = {
  states: 1000,
  objectsPerState: 1000,
  sites: 50,
  workers: 16,
  callsAtOnce: 4,
  objectsPerCall: 100,
  answerMs: 500,
  objectMs: 0.2,
  databaseServers: 2,
};

const quarterMs = 15 * 60 * 1000;

export function costTable({ costs, elapsed }: Measured): readonly string[] {
  const rows: readonly (readonly [string, keyof Costs])[] = [
    ["a group of journal entries, fenced", "append"],
    ["a run from sent to done, with its lock", "run"],
    ["to read recorded state", "read"],
    ["and for each of its objects", "readObject"],
    ["a call to a site and its answer", "call"],
  ];
  return [
    `${"step".padEnd(42)}${"database".padStart(12)}${"elapsed".padStart(12)}`,
    ...rows.map(
      ([name, key]) =>
        `${name.padEnd(42)}${ms(costs[key]).padStart(12)}${ms(elapsed[key]).padStart(12)}`,
    ),
  ];
}

export function roundTable(costs: Costs): readonly string[] {
  const header = ["workers", "round", "half done", "database", "workers", "sites"];
  const rows = [1, 4, 16, 64, 256].map((workers) => {
    const round = simulateRound({ ...thousand, workers }, costs);
    return [String(workers), ...figures(round)];
  });
  return [header, ...rows].map((row) => row.map((cell) => cell.padStart(11)).join(""));
}

function figures({ lastMs, medianMs, database, workers, sites }: Round): readonly string[] {
  return [seconds(lastMs), seconds(medianMs), share(database), share(workers), share(sites)];
}

/** How many workers keep up with a quarter of an hour, for more and more states. */
export function breakingTable(costs: Costs): readonly string[] {
  const header = ["states", "objects", "workers", "database"];
  const rows = [1, 2, 4, 8, 16, 32].map((times) => {
    const fleet = { ...thousand, states: thousand.states * times, sites: thousand.sites * times };
    const objects = String(fleet.states * fleet.objectsPerState);
    const workers = workersFor(fleet, costs, quarterMs);
    if (workers === undefined) return [String(fleet.states), objects, "none", "full"];
    const { database } = simulateRound({ ...fleet, workers }, costs);
    return [String(fleet.states), objects, String(workers), share(database)];
  });
  return [header, ...rows].map((row) => row.map((cell) => cell.padStart(11)).join(""));
}

function ms(value: number): string {
  return `${value.toFixed(value < 1 ? 3 : 1)} ms`;
}

function seconds(value: number): string {
  return `${(value / 1000).toFixed(0)} s`;
}

function share(value: number): string {
  return `${(value * 100).toFixed(0)} %`;
}
