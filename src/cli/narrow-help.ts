/** Help that can be read in a narrow terminal: what does not fit beside a word stands below it. */

import type { Help, HelpConfiguration } from "commander";

/** Columns that a description needs beside its word; with fewer it gets lines of its own. */
const besideMin = 30;
const indent = 2;

export const narrowHelp: HelpConfiguration = {
  minWidthToWrap: 10,
  formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const start = " ".repeat(indent);
    const width = helper.helpWidth ?? 80;
    const beside = termWidth + indent;
    if (description === "") return start + term;
    if (width - indent - beside >= besideMin) {
      const padded = term + " ".repeat(beside - helper.displayWidth(term));
      const lines = helper.boxWrap(description, width - indent - beside).split("\n");
      return start + padded + lines.join(`\n${start}${" ".repeat(beside)}`);
    }
    const below = start.repeat(3);
    const lines = helper.boxWrap(description, width - below.length).split("\n");
    return [start + term, ...lines.map((line) => below + line)].join("\n");
  },
};
