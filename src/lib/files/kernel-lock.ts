/**
 * A lock on a file that the kernel holds for an open file and gives back when its process ends,
 * however that happens: no clock, host name or process id has a part in it. Linux: `fcntl` with
 * open file descriptions, also over NFS; macOS: `flock`; Windows: `LockFileEx`. Node.js offers
 * none of them; the package that does is optional, and may be absent (`unsupported`).
 *
 * The file appears with its first holder and is removed by each one that leaves. Whoever has
 * locked it therefore looks whether its name still means it: a lock on a file without a name is
 * none.
 */

import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import type { tryLock } from "fs-native-extensions";

export type KernelLock = {
  /** What the holder left in the file last: its own text, or that of one that was killed. */
  readonly found: string;
  /** What others read while it is held. */
  write(text: string): void;
  /** Whether the name still means the file that is locked: somebody may have removed it. */
  isNamed(): boolean;
  /** Removes the file and gives the lock back. */
  release(): void;
  /** Gives the lock back and leaves the file, which is somebody else's. */
  abandon(): void;
};

/** One byte behind all content: Windows lets nobody read what is locked. */
const range = [0x7fff_0000, 1] as const;

let loaded: Promise<{ readonly tryLock: typeof tryLock } | undefined> | undefined;

/**
 * Loaded with the first lock, since most commands take none. Undefined: not installed, or made for
 * another C library.
 */
function nativeLocks() {
  loaded ??= import("fs-native-extensions").catch(() => undefined);
  return loaded;
}

/** The file was removed by its holder between our opening and locking; more often is no chance. */
const triesMax = 100;

/**
 * Takes the lock at once or not at all; throws the system's errors. `unsupported`: this system, or
 * the file system that the file is on, has no such locks.
 */
export async function takeKernelLock(path: string): Promise<KernelLock | "held" | "unsupported"> {
  const native = await nativeLocks();
  if (native === undefined) return "unsupported";
  for (let tries = 0; tries < triesMax; tries += 1) {
    const file = openSync(path, "a+", 0o600);
    try {
      if (!native.tryLock(file, ...range)) {
        closeSync(file);
        return "held";
      }
    } catch (error) {
      closeSync(file);
      if (isUnsupported(error)) return "unsupported";
      throw error;
    }
    if (isNameOf(path, file)) return lockOf(path, file);
    closeSync(file);
  }
  return "held";
}

/** Whether some process has the lock now; `unsupported` as above. */
export async function isKernelLocked(path: string): Promise<boolean | "unsupported"> {
  const native = await nativeLocks();
  if (native === undefined) return "unsupported";
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
  try {
    return !native.tryLock(file, ...range, { shared: true });
  } catch (error) {
    if (isUnsupported(error)) return "unsupported";
    throw error;
  } finally {
    closeSync(file);
  }
}

function lockOf(path: string, file: number): KernelLock {
  let held = true;
  return {
    found: readFileSync(path, "utf8"),
    write(text) {
      ftruncateSync(file, 0);
      writeSync(file, text);
    },
    isNamed: () => held && isNameOf(path, file),
    release() {
      if (!held) return;
      held = false;
      try {
        if (isNameOf(path, file)) unlinkSync(path);
      } finally {
        closeSync(file);
      }
    },
    abandon() {
      if (held) closeSync(file);
      held = false;
    },
  };
}

function isNameOf(path: string, file: number): boolean {
  try {
    const named = statSync(path, { bigint: true });
    const opened = fstatSync(file, { bigint: true });
    return named.ino === opened.ino && named.dev === opened.dev;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function isUnsupported(error: unknown): boolean {
  return /^(ENOLCK|ENOTSUP|EOPNOTSUPP|ENOSYS|EINVAL)$/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
