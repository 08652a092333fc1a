/**
 * The file of a history of runs beside recorded state: a line for each record, appended. It is
 * written anew when records are dropped, or when many of its lines no longer count. A line that was
 * torn has no end, and goes with the next one that is written.
 */

import { dirname } from "node:path";
import { writeFile } from "../../lib/files/atomic-file.ts";
import { type OpenFile, readIfThere, writeAll } from "../../lib/files/file-system.ts";
import type { RunHead, RunRecord, RunSaving } from "../../model/recorded/run-record.ts";
import {
  decodeRuns,
  encodeRuns,
  inOrder,
  openRunHead,
  withRuns,
} from "../../state/form/run-lines.ts";
import type { StatePlace } from "./state-files.ts";

/** So many lines for each record, at most. */
const linesPerRecordMax = 3;

export async function readRuns({ fs, paths, seal }: StatePlace): Promise<readonly RunRecord[]> {
  return decodeRuns(textOf(await readIfThere(fs, paths.runs)), seal);
}

export async function readRunHeads(state: StatePlace): Promise<readonly RunHead[]> {
  const text = textOf(await readIfThere(state.fs, state.paths.runs));
  return inOrder(linesOf(text).flatMap((line) => openRunHead(line, state.seal) ?? []));
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
  const lines = linesOf(text);
  const isStale = lines.some((line) => !seal.isNew(line));
  const ids = new Set(records.map(({ id }) => id));
  for (const line of lines) ids.add(openRunHead(line, seal)?.id ?? "");
  const isLong = lines.length + records.length > linesPerRecordMax * ids.size;
  if (bytes === undefined || drop.length > 0 || isLong || isStale) {
    const all = withRuns(decodeRuns(text, seal), records, drop);
    await writeFile(fs, path, "w", encoded(encodeRuns(all, seal)));
    return;
  }
  const file = await fs.open(path, "r+");
  try {
    await append(file, encoded(encodeRuns(records, seal)), bytes.lastIndexOf(lineEnd) + 1);
    await fs.syncFolder(dirname(path));
  } finally {
    await file.close().catch(() => undefined);
  }
}

const lineEnd = 0x0a;

async function append(file: OpenFile, bytes: Uint8Array, at: number): Promise<void> {
  await file.truncate(at);
  try {
    await writeAll(file, bytes, at);
    await file.sync();
  } catch (error) {
    await file.truncate(at).catch(() => undefined);
    throw error;
  }
}

/** Those that were written to their end. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.filter((line) => line !== "");
}

function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes ?? new Uint8Array());
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
