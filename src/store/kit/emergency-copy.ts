/** Saving a state somewhere, when work was done and the state cannot be saved in its place. */

import { basename, join } from "node:path";
import { writeFile } from "../../lib/files/atomic-file.ts";
import type { FileSystem } from "../../lib/files/file-system.ts";
import { stringifyJson } from "../../lib/json.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { StoreError } from "../../model/recorded/store.ts";
import { savedElsewhere } from "./problems.ts";

export type EmergencyCopy = {
  readonly fs: FileSystem;
  readonly path: string;
  readonly temporaryFolder: string;
  readonly nowMs: number;
  readonly state: RecordedState;
  /** Why the state could not be saved. */
  readonly cause: unknown;
};

/**
 * Writes the state beside its file, else into the folder for temporary files, and returns the error
 * to show: it names the copy and how to put it back. Does not reject.
 *
 * Neither schema nor integrity is checked: a state that fails them is still all that is known. Put
 * back, it goes before a journal that ends earlier, which readers skip.
 */
export async function writeEmergencyCopy(copy: EmergencyCopy): Promise<StoreError> {
  const time = new Date(copy.nowMs).toISOString().replaceAll(/[:.]/g, "-");
  const name = `${basename(copy.path)}.emergency-${time}`;
  const text = `${stringifyJson(copy.state, { indent: 2, sortKeys: true })}\n`;
  for (const path of [`${copy.path}.emergency-${time}`, join(copy.temporaryFolder, name)]) {
    try {
      await writeFile(copy.fs, path, "wx", new TextEncoder().encode(text));
      return savedElsewhere(copy.path, path, copy.cause);
    } catch {
      // The next place is tried; the cause that counts is the one that led here.
    }
  }
  return savedElsewhere(copy.path, undefined, copy.cause);
}
