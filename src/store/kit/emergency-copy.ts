/** Saving a state somewhere, when work was done and the state cannot be saved in its place. */

import { basename, dirname, join } from "node:path";
import { writeFile } from "../../lib/files/atomic-file.ts";
import type { FileSystem } from "../../lib/files/file-system.ts";
import { stringifyJson } from "../../lib/json.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import type { StoreError } from "../../model/recorded/store.ts";
import { sealState } from "../../state/form/sealed-text.ts";
import { savedElsewhere } from "./problems.ts";

export type EmergencyCopy = {
  readonly fs: FileSystem;
  /** What the copy's path begins with. */
  readonly path: string;
  /** Where the state should have been saved, when that is not the path. */
  readonly location?: string;
  /** The command that puts a copy back, when copying the file does not. */
  readonly putBack?: (copy: string) => string;
  readonly temporaryFolder: string;
  readonly nowMs: number;
  readonly state: RecordedState;
  readonly seal: Seal;
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
  const { location = copy.path, putBack } = copy;
  const plain = `${stringifyJson(copy.state, { indent: 2, sortKeys: true })}\n`;
  for (const path of [`${copy.path}.emergency-${time}`, join(copy.temporaryFolder, name)]) {
    try {
      const text = sealState(copy.seal, copy.state, plain);
      await copy.fs.makeFolder(dirname(path));
      await writeFile(copy.fs, path, "wx", new TextEncoder().encode(text));
      return savedElsewhere(location, path, copy.cause, putBack?.(path));
    } catch {
      // The next place is tried; the cause that counts is the one that led here.
    }
  }
  return savedElsewhere(location, undefined, copy.cause);
}
