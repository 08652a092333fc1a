/**
 * Replacing a file so that every reader, and every restart after a crash, sees the old or the new
 * content: temporary file in the same folder, sync, rename, sync of the folder.
 */

import { dirname } from "node:path";
import { errorCode, type FileSystem, type OpenFile, writeAll } from "./file-system.ts";

/** Writes the new content beside the file and makes it durable; the file itself is untouched. */
export async function prepareFile(fs: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(fs, temporaryPath(path), "w", bytes);
}

/** Puts the prepared content in its place. When this fails, either content may be there. */
export async function commitFile(fs: FileSystem, path: string): Promise<void> {
  await fs.rename(temporaryPath(path), path);
  await fs.syncFolder(dirname(path));
}

/** Drops prepared content that will not be committed; what cannot be removed is written over. */
export async function discardFile(fs: FileSystem, path: string): Promise<void> {
  await fs.unlink(temporaryPath(path)).catch(() => undefined);
}

/**
 * Writes a whole file and makes its content durable (its name is not yet). What a failure leaves is
 * removed if possible: a full disk should not be made fuller.
 */
export async function writeFile(
  fs: FileSystem,
  path: string,
  flags: "w" | "wx",
  bytes: Uint8Array,
): Promise<void> {
  const file = await fs.open(path, flags);
  try {
    await writeAndClose(file, bytes);
  } catch (error) {
    await fs.unlink(path).catch(() => undefined);
    throw error;
  }
}

async function writeAndClose(file: OpenFile, bytes: Uint8Array): Promise<void> {
  try {
    await writeAll(file, bytes, 0);
    await file.sync();
  } catch (error) {
    // The first error is the one to report.
    await file.close().catch(() => undefined);
    throw error;
  }
  await file.close();
}

/** Removes a name; that it is gone already is fine. */
export async function removeFile(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.unlink(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** Always the same name: only the holder of the lock writes, and a left-over is written over. */
function temporaryPath(path: string): string {
  return `${path}.tmp`;
}
