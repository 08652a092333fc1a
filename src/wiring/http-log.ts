/** The file of `--debug-http`: a line for each exchange. */

import { appendFileSync } from "node:fs";
import { fileProblem } from "../cli/files/file-problem.ts";
import type { Terminal } from "../cli/terminal/terminal.ts";
import { CommandError } from "../commands/environment.ts";
import type { HttpLogRecord } from "../http/call.ts";
import { beginAppending } from "../lib/files/appended-file.ts";

/** A log that cannot be begun is an error; later, the work counts more than its log. */
export function openHttpLog(path: string, terminal: Terminal): (record: HttpLogRecord) => void {
  try {
    // Each record begins with its time.
    if (!beginAppending(path, '{"atMs":')) {
      throw new CommandError(
        `${path} is there already, and is no log of requests: it is left as it is.`,
        "Name another file, or remove that one first.",
        "overwrite",
      );
    }
  } catch (error) {
    throw fileProblem("write", path, error);
  }
  let broken = false;
  return (record) => {
    if (broken) return;
    try {
      appendFileSync(path, `${JSON.stringify(record)}\n`);
    } catch (error) {
      broken = true;
      const reason = error instanceof Error ? error.message : String(error);
      terminal.writeError(`vmform: ${path} is no longer written: ${reason}\n`);
    }
  };
}
