/**
 * A file system in memory that knows what is durable, counts its calls, and fails at any of them: by
 * an error, or by the end of the process, after which files are as they are, or as a power cut
 * leaves them.
 */

import type { FileSystem, OpenFile } from "../../../../src/lib/files/file-system.ts";

/**
 * `before`: the call has no effect. `after`: it has its effect. `partly`: a write writes half;
 * any other call has its effect.
 */
export type FaultMoment = "before" | "after" | "partly";
/** `crash`: this call and all later ones reject, as nothing goes on in a killed process. */
export type Fault = {
  readonly call: number;
  readonly moment: FaultMoment;
  readonly error: string;
};

export const crash = "CRASH";

type Inode = { data: Uint8Array; durable: Uint8Array };

export type MemoryFileSystem = FileSystem & {
  /** Calls so far, by name, in order. */
  readonly calls: readonly string[];
  /** From now on: counts calls from 1 again, and fails as told. */
  arm(fault: Fault | undefined): void;
  /** Whether the armed fault was met. */
  readonly met: () => boolean;
  /** A write takes at most so many bytes. */
  writeMax: number;
  /** Runs before each call, to hold it up. */
  gate: (call: string) => Promise<void>;
  /** The process is gone, and a new one begins. */
  restart(): void;
  /** The power is gone: for each thing that is not durable, `keep` says whether it survives. */
  cutPower(keep: () => boolean): void;
  text(path: string): string | undefined;
  /** Puts a durable file there. */
  put(path: string, content: string | Uint8Array): void;
  paths(): readonly string[];
};

export function createMemoryFileSystem(): MemoryFileSystem {
  let names = new Map<string, Inode>();
  let durableNames = new Map<string, Inode>();
  let fault: Fault | undefined;
  let count = 0;
  let dead = false;
  const calls: string[] = [];

  /** Runs one call; `work` is told whether to do only half. */
  async function call<T>(name: string, work: (partly: boolean) => T): Promise<T> {
    calls.push(name);
    await memory.gate(name);
    // As with real files, other work goes on while a call is under way.
    await Promise.resolve();
    if (dead) throw systemError(crash, name);
    count += 1;
    if (fault === undefined || fault.call !== count) return work(false);
    const { moment, error } = fault;
    if (error === crash) dead = true;
    if (moment !== "before") work(moment === "partly");
    throw systemError(error, name);
  }

  function find(path: string): Inode {
    const inode = names.get(path);
    if (inode === undefined) throw systemError("ENOENT", path);
    return inode;
  }

  const memory: MemoryFileSystem = {
    calls,
    met: () => fault !== undefined && count >= fault.call,
    writeMax: Number.POSITIVE_INFINITY,
    gate: async () => {},
    read: (path) => call(`read ${path}`, () => find(path).data.slice()),
    open: (path, flags) => call(`open ${path}`, () => openInode(path, flags)),
    rename: (from, to) =>
      call(`rename ${to}`, () => {
        names.set(to, find(from));
        names.delete(from);
      }),
    link: (from, to) =>
      call(`link ${to}`, () => {
        if (names.has(to)) throw systemError("EEXIST", to);
        names.set(to, find(from));
      }),
    unlink: (path) =>
      call(`unlink ${path}`, () => {
        find(path);
        names.delete(path);
      }),
    makeFolder: (path) => call(`makeFolder ${path}`, () => undefined),
    syncFolder: (path) =>
      call(`syncFolder ${path}`, () => {
        durableNames = new Map(names);
      }),
    arm(next) {
      fault = next;
      count = 0;
      calls.length = 0;
    },
    restart() {
      dead = false;
      fault = undefined;
    },
    cutPower(keep) {
      const survivors = new Map<string, Inode>();
      for (const path of new Set([...names.keys(), ...durableNames.keys()])) {
        const inode = keep() ? names.get(path) : durableNames.get(path);
        if (inode !== undefined) survivors.set(path, inode);
      }
      for (const inode of new Set([...survivors.values()])) {
        inode.data = survivingBytes(inode, keep);
        inode.durable = inode.data.slice();
      }
      names = survivors;
      durableNames = new Map(survivors);
    },
    text: (path) => {
      const inode = names.get(path);
      return inode === undefined ? undefined : new TextDecoder().decode(inode.data);
    },
    put(path, content) {
      const data = typeof content === "string" ? new TextEncoder().encode(content) : content;
      const inode = { data, durable: data.slice() };
      names.set(path, inode);
      durableNames.set(path, inode);
    },
    paths: () => [...names.keys()].toSorted(),
  };

  function openInode(path: string, flags: "w" | "wx" | "r+"): OpenFile {
    if (flags === "wx" && names.has(path)) throw systemError("EEXIST", path);
    if (flags === "r+") find(path);
    const inode = names.get(path) ?? { data: new Uint8Array(), durable: new Uint8Array() };
    names.set(path, inode);
    if (flags === "w") inode.data = new Uint8Array();
    return {
      write: (bytes, offset) =>
        call(`write ${path}`, (partly) => {
          const length = partly ? Math.ceil(bytes.length / 2) : bytes.length;
          const taken = Math.min(length, memory.writeMax);
          const grown = new Uint8Array(Math.max(inode.data.length, offset + taken));
          grown.set(inode.data);
          grown.set(bytes.subarray(0, taken), offset);
          inode.data = grown;
          return taken;
        }),
      truncate: (length) =>
        call(`truncate ${path}`, () => {
          inode.data = inode.data.slice(0, length);
        }),
      sync: () =>
        call(`sync ${path}`, () => {
          inode.durable = inode.data.slice();
        }),
      close: () => call(`close ${path}`, () => undefined),
    };
  }

  return memory;
}

/** What was durable, or what was written, or what was durable and the first part of the rest. */
function survivingBytes({ data, durable }: Inode, keep: () => boolean): Uint8Array {
  if (!keep()) return durable;
  if (keep() || data.length <= durable.length) return data;
  const part = durable.length + Math.floor((data.length - durable.length) / 2);
  return data.slice(0, part);
}

function systemError(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
