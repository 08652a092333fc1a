/** Problems of files of tests, as part of `codes.ts`. */

import type { Explanation } from "../model/said/explanation.ts";

export const testCodes = {
  CFG110: {
    summary: "File of tests has no runs",
    explanation:
      "A *.vmformtest.yaml file is one map with runs, a list of at least one run. A file without " +
      "any tests nothing, so it is an error rather than a success.",
    fix: "Write runs: with an entry such as { name: plans, command: plan }.",
  },
  CFG111: {
    summary: "Run is named twice",
    explanation: "Runs are told, and chosen with --run, by their names.",
  },
  CFG112: {
    summary: "Expression of a test cannot be used",
    explanation:
      "A condition of a test is one expression that gives true or false. Which names it may use " +
      "depends on the command that is run: plan is not there after a drift, and drift only there.",
  },
  CFG113: {
    summary: "Member of a run cannot be used",
    explanation:
      "Something is said of the run that its command does not know, such as a window of a plan, " +
      "or that leaves open what is meant, such as two times or a word that is no address.",
  },
  CFG114: {
    summary: "No such time",
    explanation:
      "A time is written with its date and its zone, such as 2026-01-05T08:00:00Z, and is one " +
      "that the calendar knows.",
  },
  CFG115: {
    summary: "Variables cannot be read apart",
    explanation:
      "The variables of a test are read as a file of variables would be, by their types. That " +
      "cannot be done where they are an alias, or use anchors from elsewhere in the file.",
    fix: "Write the values out where the variables stand.",
  },
} as const satisfies { readonly [code: string]: Explanation };
