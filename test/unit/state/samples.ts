/**
 * Samples of recorded state and of every entry kind with every field, `Required` so that a field
 * that joins a type without joining the schema breaks a test.
 */

import type { BeginEntry } from "../../../src/model/recorded/begin-entry.ts";
import type {
  EndEntry,
  HandleEntry,
  JournalEntry,
  NoteEntry,
  ObservedEntry,
  RunEntry,
} from "../../../src/model/recorded/journal.ts";
import type { RecordedObject, RecordedState } from "../../../src/model/recorded/recorded.ts";
import { type Address, toAddress } from "../../../src/model/value/address.ts";
import { initialState } from "../../../src/state/initial.ts";

export function at(text: string): Address {
  const address = toAddress(text);
  if (address === undefined) throw new Error(`${text} is no address`);
  return address;
}

export const emptyState: RecordedState = initialState("lineage-1", "journal-1", false);

const fullObject: Required<RecordedObject> = {
  address: at('module.lab[0].daemon_vm.web["a"]'),
  objectKey: "current",
  type: "daemon_vm",
  provider: "daemon.east",
  identity: "web-a",
  endpoint: { url: "http://127.0.0.1:8080", instance: "b1c2" },
  status: "tentative",
  tentativeUntilMs: 1_700_000_000_000,
  applied: { id: "web-a", ["__proto__"]: null, big: 12345678901234567890n },
  attributes: { id: "web-a", nested: { list: [1.5, null, true, "é"] } },
  unaccepted: { nested: { list: [] } },
  dependencies: [at("daemon_vm.base")],
  container: { type: "daemon_host", identity: "here" },
  preventDestroy: true,
  triggers: [{ address: at("daemon_vm.base"), attribute: "memory_mb" }],
  triggeredBy: at("daemon_vm.base"),
  timeoutsMs: { create: 60_000 },
};

export function objectAt(text: string, changes: Partial<RecordedObject> = {}): RecordedObject {
  return {
    address: at(text),
    objectKey: "current",
    type: "daemon_vm",
    provider: "daemon",
    identity: text,
    status: "ready",
    applied: null,
    attributes: {},
    dependencies: [],
    timeoutsMs: {},
    ...changes,
  };
}

export const begin: Required<BeginEntry> = {
  kind: "begin",
  planId: "plan-1",
  id: "daemon_vm.web#create.1",
  subject: {
    address: at("daemon_vm.web"),
    objectKey: "deposed-1a",
    type: "daemon_vm",
    provider: "daemon",
    identity: "web",
    knownBy: { uuid: "50f7" },
    container: { type: "daemon_vm", identity: "base" },
  },
  settings: { url: "http://127.0.0.1:8080", password: { env: "DAEMON_PASSWORD" } },
  endpoint: { url: "http://127.0.0.1:8080", instance: "b1c2" },
  verb: "create",
  effect: {
    kind: "create",
    endsContentOf: { type: "daemon_vm", identity: "web" },
    deposes: "deposed-1",
    preventDestroy: true,
  },
  request: "POST /api/vms",
  proof: {
    expect: [
      { existence: "found" },
      { attribute: "power_state", equals: "on" },
      { attribute: "ip_address", present: true },
      { attribute: "sizes_gb", atLeast: { core: 46.9 } },
    ],
    unobservable: false,
    lagging: true,
    readBack: ["power_state"],
    limitMs: 600_000,
    requestLimitMs: 120_000,
    lagMs: 660_000,
    unmetAdvice: "is its disk larger?",
  },
  repeat: "unsafe",
  record: {
    applied: { id: "web" },
    dependencies: [at("daemon_vm.base")],
    restore: "on",
    settlesRestore: true,
    completes: true,
    timeoutsMs: { create: 1000 },
  },
  order: { locks: [{ key: "daemon/web", mode: "exclusive" }] },
  atMs: 1_700_000_000_000,
  uptime: { boot: "7f3c", ms: 86_400_000 },
  earlierTasks: [{ task: "/api/task/1" }],
  serverTimeMs: 1_700_000_000_500,
  handle: { href: "/api/tasks/7", serial: 9007199254740993n },
};

export const run: Required<RunEntry> = {
  kind: "run",
  command: "apply",
  planId: "plan-1",
  atMs: 5,
  simulated: true,
  providers: [{ name: "daemon", settings: {} }],
};
export const handle: Required<HandleEntry> = {
  kind: "handle",
  planId: "plan-1",
  id: "a",
  handle: null,
};
const end: Required<EndEntry> = {
  kind: "end",
  planId: "plan-1",
  id: "a",
  outcome: "success",
  atMs: 6,
  begunMs: 4,
  existence: "found",
  attributes: { power_state: "on" },
  identity: "web/2026",
  message: "read back",
};
const observed: Required<ObservedEntry> = {
  kind: "observed",
  address: at("daemon_vm.web"),
  objectKey: "current",
  existence: "missing",
  attributes: {},
  unaccepted: { power_state: "off" },
  identity: "web/2026",
};

type Note = NoteEntry["note"];
const notes: { readonly [what in Note["what"]]: Required<Extract<Note, { what: what }>> } = {
  adopt: { what: "adopt", object: fullObject, found: true },
  "clear-restore": { what: "clear-restore", address: at("daemon_vm.web") },
  endpoint: {
    what: "endpoint",
    address: at("daemon_vm.web"),
    endpoint: { provider: "daemon", url: "http://127.0.0.1:8081", instance: "b1c2" },
  },
  forget: { what: "forget", address: at("daemon_vm.web"), objectKey: "current" },
  move: { what: "move", moves: [{ from: at("daemon_vm.web"), to: at("daemon_vm.app") }] },
  record: {
    what: "record",
    address: at("daemon_vm.web"),
    applied: { id: "web" },
    dependencies: [],
    preventDestroy: true,
    triggers: [{ address: at("daemon_vm.base") }],
    timeoutsMs: {},
  },
  outputs: { what: "outputs", outputs: [{ name: "ip", value: "10.0.0.1", sensitive: false }] },
};

export const everyEntry: readonly JournalEntry[] = [
  run,
  begin,
  handle,
  end,
  { ...end, kind: "closed" },
  { kind: "end", planId: "plan-1", id: "b", outcome: "unknown", atMs: 7 },
  observed,
  ...Object.values(notes).map((note): NoteEntry => ({ kind: "note", note })),
];

export const fullState: RecordedState = {
  formatVersion: 1,
  lineage: "lineage-1",
  serial: 4,
  journal: { id: "journal-1", position: 12 },
  simulated: true,
  objects: [objectAt("daemon_vm.base"), fullObject],
  restores: [
    {
      address: at("daemon_vm.base"),
      power: "suspended",
      at: { provider: "daemon", url: "http://127.0.0.1:8080", instance: "b1c2" },
    },
  ],
  open: [begin],
  providers: [
    { name: "daemon", settings: { url: "http://127.0.0.1:8080" } },
    { name: "daemon.east", settings: null },
  ],
  outputs: [{ name: "ip", value: ["10.0.0.1"], sensitive: true }],
};
