/** A store in memory as a server has it, and mirrors of it on a machine, in memory as well. */

import type { FileSystem } from "../../../../src/lib/files/file-system.ts";
import type { JournalEntry } from "../../../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../../../src/model/recorded/recorded.ts";
import type { RunRecord } from "../../../../src/model/recorded/run-record.ts";
import type { Seal } from "../../../../src/model/recorded/seal.ts";
import { type Store, StoreError } from "../../../../src/model/recorded/store.ts";
import type { Diagnostic } from "../../../../src/model/said/diagnostic.ts";
import { nowhere } from "../../../../src/model/said/problem.ts";
import { problem } from "../../../../src/state/codes.ts";
import { createMemoryStore } from "../../../../src/store/memory/memory-store.ts";
import { type MirrorPlace, mirrorPlace } from "../../../../src/store/mirror/files.ts";
import { openMirrorStore } from "../../../../src/store/mirror/mirror-store.ts";
import { mirrored } from "../../../../src/store/mirror/mirrored-store.ts";
import { plainSeal } from "../../../helpers/seals.ts";
import { createTestClock } from "../local/fixtures.ts";
import { createMemoryFileSystem, type MemoryFileSystem } from "../local/memory-file-system.ts";

export const folder = "/lab/.vmform/mirror";
const of = "https://state.example.com/lab";

type CommandStore = Store & {
  writeEmergencyCopy(state: RecordedState, cause: unknown): Promise<StoreError>;
};

export type Server = {
  readonly store: CommandStore;
  /** It answers nobody. */
  away: boolean;
  /** Called before an append; what it throws fails that, before or after the entries are taken. */
  onAppend: (entries: readonly JournalEntry[], when: "before" | "after") => void;
  readonly appended: JournalEntry[];
};

export function createServer(): Server {
  const inner = createMemoryStore(of);
  const reach = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!server.away) return work();
    throw new StoreError(problem(nowhere, "STO028", { detail: "No reply.", fix: "Mend it." }));
  };
  const server: Server = {
    away: false,
    onAppend: () => {},
    appended: [],
    store: {
      ...inner,
      read: () => reach(() => inner.read()),
      lock: (operation, timeoutMs) => reach(() => inner.lock(operation, timeoutMs)),
      append: (entries, fence) =>
        reach(async () => {
          server.onAppend(entries, "before");
          server.appended.push(...entries);
          const position = await inner.append(entries, fence);
          server.onAppend(entries, "after");
          return position;
        }),
      writeEmergencyCopy: () => Promise.reject(new Error("no copy is made in this test")),
    },
  };
  return server;
}

export type Machine = {
  /** Earlier processes are there still; else each before the newest is gone. */
  othersLive: boolean;
  readonly fs: MemoryFileSystem;
  readonly said: Diagnostic[];
  readonly clock: ReturnType<typeof createTestClock>;
  /** The store as a process of this machine opens it. */
  readonly open: (options?: { readonly name?: string; readonly seal?: Seal }) => CommandStore;
  /** Its mirror alone. */
  readonly fromMirror: (seal?: Seal) => CommandStore;
  readonly place: (name?: string, seal?: Seal) => MirrorPlace;
};

let lastPid = 5000;
let lastId = 0;
const newId = (): string => `id-${(lastId += 1)}`;

export function createMachine(server: Server, fs = createMemoryFileSystem()): Machine {
  const clock = createTestClock();
  const said: Diagnostic[] = [];
  const place = (name = "own", seal = plainSeal("mirror")): MirrorPlace =>
    mirrorPlace(fs, folder, name, of, seal);
  const common = (disk: FileSystem) => {
    lastPid += 1;
    const process = { pid: lastPid };
    const hasEnded = (other: { readonly pid: number }): boolean =>
      !machine.othersLive && other.pid !== process.pid;
    return { fs: disk, clock, host: "host-a", process, hasEnded };
  };
  const machine: Machine = {
    othersLive: false,
    fs,
    said,
    clock,
    place,
    open: ({ name, seal } = {}) =>
      mirrored(server.store, {
        place: place(name, seal),
        around: { ...common(fs), newId },
        user: "ann",
        tell: (diagnostic) => said.push(diagnostic),
        others: async () => {
          const heads = fs.paths().filter((path) => path.endsWith(".head"));
          return heads.map((path) => place(path.slice(folder.length + 1, -".head".length), seal));
        },
      }),
    fromMirror: (seal) =>
      openMirrorStore({
        ...common(fs),
        place: place("own", seal),
        random: newId,
        user: "ann",
        beside: "/lab/state/default.json",
      }),
  };
  return machine;
}

/** A run under the lock: what it records, and whether it compacts. */
export async function runOn(
  store: CommandStore,
  work: (fence: { readonly lockId: string }) => Promise<void>,
): Promise<void> {
  const fence = await store.lock("apply", 0);
  try {
    await store.read();
    await work(fence);
  } finally {
    await store.unlock(fence);
    await store.close();
  }
}

export function runRecord(id: string): RunRecord {
  return {
    ...{ id, command: "apply", who: "ann", host: "host-a", version: "0.1.0", lockId: "lock" },
    ...{ beganMs: 1, position: 0, operations: [], changes: [], said: [] },
    end: { atMs: 2, outcome: "done", serial: 1 },
  };
}
