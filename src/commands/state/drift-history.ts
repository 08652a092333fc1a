/**
 * The file of `vmform drift --history`: read before, and one line longer afterwards. The line is
 * added at its end in one write, so that of several runs at once none takes the line of another.
 */

import { type DriftHistoryEntry, entryLine, nextEntry, readHistory } from "../../drift/history.ts";
import type { DriftReport } from "../../model/plan/drift-report.ts";
import { type CommandEnvironment, CommandError } from "../environment.ts";

export type DriftInTime = {
  readonly report: DriftReport;
  /** Of the same recorded state, this report's the last. */
  readonly entries: readonly DriftHistoryEntry[];
};

/** Adds a report to the history; what is in it stays as it is. */
export async function addToHistory(
  environment: Pick<CommandEnvironment, "lookAtFile" | "appendToFile">,
  path: string,
  report: DriftReport,
): Promise<DriftInTime> {
  const look = await environment.lookAtFile(path);
  const text = look.kind === "file" ? new TextDecoder().decode(look.bytes) : "";
  const known = readHistory(text);
  if (look.kind === "stream" || known === undefined) {
    throw new CommandError(`${path} is no drift history.`, "Name another file.", "overwrite");
  }
  const { entry, since } = nextEntry(report, known);
  // An editor may have taken the end of the last line away.
  const before = text === "" || text.endsWith("\n") ? "" : "\n";
  await environment.appendToFile(path, `${before}${entryLine(entry)}`);
  const entries = [...known, entry].filter(({ lineage }) => lineage === report.lineage);
  return { report: since === undefined ? report : { ...report, since }, entries };
}
