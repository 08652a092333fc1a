/**
 * The file of a history of runs beside recorded state: a line for each record, appended. It is
 * written anew when records are dropped, or when many of its lines no longer count.
 */

import { dirname } from "node:path";
import { writeFile } from "../../lib/files/atomic-file.ts";
import { type OpenFile, readIfThere, writeAll } from "../../lib/files/file-system.ts";
import type { RunRecord, RunSaving } from "../../model/recorded/run-record.ts";
import { decodeRuns, encodeRuns, withRuns } from "../../state/form/run-lines.ts";
import type { StatePlace } from "./state-files.ts";

/** So many lines for each record, at most. */
const linesPerRecordMax = 3;

export async function readRuns({ fs, paths, seal }: StatePlace): Promise<readonly RunRecord[]> {
  return decodeRuns(textOf(await readIfThere(fs, paths.runs)), seal);
}

/** By the holder of the lock. */
export async function saveRuns(
  { fs, paths, seal }: StatePlace,
  records: readonly RunRecord[],
  { drop }: RunSaving,
): Promise<void> {
  const path = paths.runs;
  const bytes = await readIfThere(fs, path);
  const text = textOf(bytes);
  const all = withRuns(decodeRuns(text, seal), records, drop);
  const lines = text.split("\n").filter((line) => line !== "");
  const isStale = lines.some((line) => !seal.isNew(line));
  const isLong = lines.length + records.length > linesPerRecordMax * all.length;
  if (bytes === undefined || drop.length > 0 || isLong || isStale) {
    await writeFile(fs, path, "w", encoded(encodeRuns(all, seal)));
    return;
  }
  // A line that was torn ends here, and is passed over.
  const start = text === "" || text.endsWith("\n") ? "" : "\n";
  const file = await fs.open(path, "r+");
  try {
    await append(file, encoded(`${start}${encodeRuns(records, seal)}`), bytes.length);
    await fs.syncFolder(dirname(path));
  } finally {
    await file.close().catch(() => undefined);
  }
}

async function append(file: OpenFile, bytes: Uint8Array, at: number): Promise<void> {
  try {
    await writeAll(file, bytes, at);
    await file.sync();
  } catch (error) {
    await file.truncate(at).catch(() => undefined);
    throw error;
  }
}

function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes ?? new Uint8Array());
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
