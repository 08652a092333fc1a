/** `vmform state pull` and `push` against the local store: what goes in, what is refused. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CommandEnvironment, CommandError } from "../../../../src/commands/environment.ts";
import {
  type PushOptions,
  pullCommand,
  pushCommand,
} from "../../../../src/commands/state/state-transfer.ts";
import type { JournalEntry } from "../../../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../../../src/model/recorded/recorded.ts";
import type { StoreSettings } from "../../../../src/model/recorded/store-settings.ts";
import { decodeState, encodeState } from "../../../../src/state/form/encode.ts";
import { initialState } from "../../../../src/state/initial.ts";
import { createLocalStore } from "../../../../src/store/local/local-store.ts";
import { address, beginEntry } from "../../../helpers/recorded-builder.ts";
import { plainSeal } from "../../../helpers/seals.ts";
import { fakeEnvironment, recordedVm, stateOf } from "../fake-environment.ts";

let folder: string;
let environment: CommandEnvironment;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-transfer-"));
  let ids = 0;
  const newId = (): string => {
    ids += 1;
    return `id-${ids}`;
  };
  const clock = { now: () => 0, sleep: () => Promise.resolve() };
  const fake = fakeEnvironment({ state: stateOf([]) });
  environment = {
    ...fake.environment,
    clock,
    newId,
    listFolder: () => Promise.resolve(["main.vmform.yaml"]),
    readFile: async (path) =>
      path.endsWith(".yaml") ? new TextEncoder().encode("locals: { a: 1 }") : readFile(path),
    writeFile: (path, text) => Promise.resolve(writeFileSync(path, text, { mode: 0o600 })),
    openStore: ({ beside: path }) =>
      createLocalStore({
        path,
        seal: plainSeal(path),
        clock,
        random: newId,
        host: "h",
        process: { pid: process.pid },
        user: "u",
      }),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const workspace = () => ({ directory: folder, variables: [], variableFiles: [] });
const stored = (): string => join(folder, "state", "default.json");
const place = (): StoreSettings => ({ kind: "local", path: stored(), beside: stored() });

async function record(state: RecordedState, ...entries: readonly JournalEntry[]): Promise<void> {
  const store = environment.openStore(place());
  const fence = await store.lock("test", 0);
  await store.compact(state, fence);
  if (entries.length > 0) await store.append(entries, fence);
  await store.unlock(fence);
}

function push(state: RecordedState | string, options: Partial<PushOptions> = {}) {
  const file = join(folder, "pushed.json");
  writeFileSync(file, typeof state === "string" ? state : encodeState(state));
  const all = { ...workspace(), file, force: false, lockTimeoutMs: 0, ...options };
  return pushCommand(environment, all);
}

const pull = async (): Promise<RecordedState> =>
  decodeState(await pullCommand(environment, workspace()));

const web = recordedVm("cloud_vm.web");
const db = recordedVm("cloud_vm.db", { identity: "/api/vApp/vm-2" });
const base = stateOf([web], { lineage: "L", serial: 5 });
const forget: JournalEntry = {
  kind: "note",
  note: { what: "forget", address: web.address, objectKey: "current" },
};
const run: JournalEntry = {
  kind: "run",
  command: "state rm",
  planId: "p",
  atMs: 0,
  simulated: false,
  providers: [],
};

test("what was pulled can be changed and pushed, and everything before is kept", async () => {
  await record(base, run, forget);
  const pulled = await pull();
  expect(pulled).toMatchObject({ lineage: "L", serial: 6, objects: [] });
  const backup = `${stored()}.serial-6.backup`;
  expect(await push({ ...pulled, objects: [db, web] })).toEqual({
    kind: "pushed",
    objects: 2,
    serial: 8,
    backup,
  });
  expect(await pull()).toMatchObject({ lineage: "L", serial: 8, objects: [db, web] });
  expect(decodeState(readFileSync(backup, "utf8"))).toEqual(pulled);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  // It goes on from there.
  await record({ ...(await pull()), outputs: [] }, run, forget);
  expect(await pull()).toMatchObject({ serial: 9, objects: [db] });
});

test("what is recorded already changes nothing", async () => {
  await record(base);
  const before = readFileSync(stored(), "utf8");
  expect(await push(await pull())).toEqual({ kind: "same" });
  expect(readFileSync(stored(), "utf8")).toBe(before);
});

test("a place where nothing is recorded takes every state as it is", async () => {
  await expect(pull()).rejects.toThrow(/Nothing is recorded/);
  expect(await push(base)).toMatchObject({ kind: "pushed", serial: 5, backup: undefined });
  expect(await pull()).toMatchObject({ lineage: "L", serial: 5, objects: [web] });
});

const open = beginEntry({
  id: "cloud_vm.web#relocate.1",
  subject: { address: address("cloud_vm.web"), type: "cloud_vm", provider: "cloud" },
});
const other = { ...base, objects: [db] };

describe.each<[string, RecordedState, RecordedState, RegExp]>([
  ["another history", base, { ...other, lineage: "M" }, /another history \(lineage M, here L\)/],
  ["an older state", base, { ...other, serial: 4 }, /older .*\(serial 4, here 5\)/],
  ["over open operations", { ...base, open: [open] }, { ...other, serial: 9 }, /is open/],
])("%s", (_name, present, pushed, why) => {
  test("is refused", async () => {
    await record(present);
    const before = readFileSync(stored(), "utf8");
    const error: unknown = await push(pushed).catch((reason: unknown) => reason);
    if (!(error instanceof CommandError)) throw error;
    expect(error.message).toMatch(why);
    expect(error.fix).toMatch(/--force/);
    expect(readFileSync(stored(), "utf8")).toBe(before);
    expect(await environment.openStore(place()).holder()).toBeUndefined();
  });

  test("is pushed by force, and the history that is there goes on", async () => {
    await record(present);
    const serial = Math.max(present.serial, pushed.serial) + 2;
    expect(await push(pushed, { force: true })).toMatchObject({ kind: "pushed", serial });
    expect(await pull()).toMatchObject({ lineage: "L", serial, objects: [db], open: [] });
  });
});

test.each<[string, string, RegExp]>([
  ["an empty file", "", /is no recorded state: it is empty/],
  ["no JSON", "{ a", /is not JSON/],
  ["another document", "{}", /has no format version/],
  ["a later format", '{"formatVersion": 99}', /has format version 99/],
  [
    "a state that contradicts itself",
    encodeState({ ...base, objects: [web, db] }),
    /contradicts itself/,
  ],
  ["a state of a simulator", encodeState({ ...base, simulated: true }), /a simulator/],
])("never taken, not even by force: %s", async (_name, text, why) => {
  await record(base);
  await expect(push(text, { force: true })).rejects.toThrow(why);
  expect(await pull()).toMatchObject({ serial: 5, objects: [web] });
});

test("a workspace that no run has used takes whatever history is pushed", async () => {
  await record(initialState("of its own", "journal", false));
  expect(await push(base)).toMatchObject({ kind: "pushed", objects: 1 });
  expect((await pull()).objects).toEqual(base.objects);
});
