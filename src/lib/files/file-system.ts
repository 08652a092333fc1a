/**
 * The few file operations that what must survive a crash is made of (recorded state, locks), as a
 * port: tests put a file system in its place that fails or loses power at any call.
 */

import { link, mkdir, open, readFile, rename, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isKernelLocked, type KernelLock, takeKernelLock } from "./kernel-lock.ts";

/** Every call rejects with an error whose `code` is the system's, such as `ENOSPC`. */
export interface FileSystem {
  /** All bytes of a file; rejects with `ENOENT` when there is none. */
  read(path: string): Promise<Uint8Array>;
  /** `w` makes or empties, `wx` makes and fails on an existing file, `r+` opens an existing one. */
  open(path: string, flags: "w" | "wx" | "r+"): Promise<OpenFile>;
  /** Replaces the target at once, if there is one. */
  rename(from: string, to: string): Promise<void>;
  /** A second name for the same file; fails with `EEXIST` when the name is taken. */
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes a folder and those above it, durably; one that is there is fine and stays as it is. */
  makeFolder(path: string, mode?: number): Promise<void>;
  /** Makes names in this folder durable: without it, a rename may be lost with the power. */
  syncFolder(path: string): Promise<void>;
  /** Absent where the kernel offers no locks. */
  readonly kernelLocks?: {
    take(path: string): Promise<KernelLock | "held" | "unsupported">;
    isLocked(path: string): Promise<boolean | "unsupported">;
  };
}

export interface OpenFile {
  /** Writes at a byte offset; may write less than given, and answers how much. */
  write(bytes: Uint8Array, offset: number): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Makes what was written durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What is written may be for its owner alone. */
const fileMode = 0o600;

export const nodeFileSystem: FileSystem = {
  read: (path) => readFile(path),
  rename,
  link,
  unlink,
  syncFolder,
  kernelLocks: { take: takeKernelLock, isLocked: isKernelLocked },
  async open(path, flags) {
    const handle = await open(path, flags, fileMode);
    return {
      write: async (bytes, offset) =>
        (await handle.write(bytes, 0, bytes.length, offset)).bytesWritten,
      truncate: (length) => handle.truncate(length),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  async makeFolder(path, mode) {
    const whole = resolve(path);
    const first = await mkdir(whole, { recursive: true, ...(mode === undefined ? {} : { mode }) });
    if (first === undefined) return;
    // Each new folder is a name in the folder above it. The outermost is its own parent.
    for (let folder = whole; folder !== dirname(folder); folder = dirname(folder)) {
      await syncFolder(dirname(folder));
      if (folder === resolve(first)) return;
    }
  },
};

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and makes renames durable by itself.
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The system's code of an error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** All bytes of a file, or undefined when there is no such file or folder. */
export async function readIfThere(fs: FileSystem, path: string): Promise<Uint8Array | undefined> {
  try {
    return await fs.read(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes all bytes, however little the system takes at a time. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, offset: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const count = await file.write(bytes.subarray(written), offset + written);
    if (count === 0) {
      throw Object.assign(new Error("the system wrote nothing and named no error"), {
        code: "EIO",
      });
    }
    written += count;
  }
}
