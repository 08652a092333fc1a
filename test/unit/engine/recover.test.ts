/** Recovery: what was begun and not ended is closed by looking, never by doing it again. */

import { describe, expect, test } from "vitest";
import type { EnginePorts } from "../../../src/engine/ports.ts";
import { closeInterrupted } from "../../../src/engine/recover.ts";
import type { Uptime } from "../../../src/model/clock.ts";
import { RemoteError } from "../../../src/model/operation/remote-error.ts";
import type {
  ProviderSession,
  TaskStatus,
  TypeRegistry,
} from "../../../src/model/provider/provider.ts";
import type { BeginEntry } from "../../../src/model/recorded/begin-entry.ts";
import type { JournalEntry } from "../../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../../src/model/recorded/recorded.ts";
import { equalValues, type Value } from "../../../src/model/value/value.ts";
import { initialState } from "../../../src/state/initial.ts";
import { type Parts, withParts } from "../../helpers/parts.ts";
import { beginEntry } from "../../helpers/recorded-builder.ts";
import { fakeVm } from "../../simulation/fake-types.ts";
import { at } from "../state/samples.ts";
import {
  engineWorld,
  found,
  journalOf,
  ledgerOf,
  missing,
  reads,
  recordedIn,
  session,
  sessionsOf,
  startMs,
  unavailable,
} from "./engine-world.ts";

const limitMs = 10_000;
/** Begun a second before this run started. */
const begunMs = startMs - 1_000;

function begin(parts: Parts<BeginEntry> = {}): BeginEntry {
  const base = beginEntry({
    id: "fake_vm.a#create.1",
    subject: { address: at("fake_vm.a"), type: "fake_vm", provider: "fake", identity: "a" },
    verb: "create",
    effect: { kind: "create" },
    repeat: "unsafe",
    proof: { expect: [{ existence: "found" }], limitMs },
    atMs: begunMs,
  });
  const made = withParts(base, parts);
  return { ...made, uptime: parts.uptime ?? { boot: "virtual", ms: made.atMs } };
}

function stateWith(...open: readonly BeginEntry[]): RecordedState {
  return { ...initialState("lineage", "journal", false), open };
}

function tasks(...script: readonly TaskStatus[]): NonNullable<ProviderSession["poll"]> {
  let polls = 0;
  return () => {
    const answer = script[Math.min(polls, script.length - 1)];
    polls += 1;
    return answer === undefined ? Promise.reject(new Error("no task")) : Promise.resolve(answer);
  };
}

function appearing(...script: readonly (Value | undefined)[]): () => Promise<Value | undefined> {
  let asked = 0;
  return () => {
    asked += 1;
    return Promise.resolve(script[Math.min(asked, script.length) - 1]);
  };
}

const running: TaskStatus = { status: "running", word: "running" };
const success: TaskStatus = { status: "success" };
const task = { handle: { href: "/tasks/7" } };
const unseen: Parts<BeginEntry> = {
  proof: { unobservable: true, expect: [] },
};

type Row = {
  readonly name: string;
  readonly begin?: Parts<BeginEntry>;
  readonly session: Partial<ProviderSession>;
  /** Entries written, as `kind outcome`. */
  readonly writes: readonly string[];
  readonly elapsedMs: number;
  readonly codes?: readonly string[];
};

/** As the virtual clock's machine tells. */
const rebooted: Uptime = { boot: "another", ms: 1 };

function up(fromNowMs: number): Uptime {
  return { boot: "virtual", ms: startMs + fromNowMs };
}

const restMs = begunMs + limitMs - startMs;

test.each<Row>([
  {
    name: "no task: seen at once",
    session: { read: reads([found({})]) },
    writes: ["closed success"],
    elapsedMs: 0,
  },
  {
    name: "no task: seen later, since the request may still be on its way",
    session: { read: reads([missing, missing, found({})]) },
    writes: ["closed success"],
    elapsedMs: 600,
  },
  {
    name: "no task: not seen when the limit has passed",
    session: { read: reads([missing]) },
    writes: ["closed unknown"],
    elapsedMs: restMs,
  },
  {
    name: "a limit that has passed long ago: one read",
    begin: { atMs: startMs - 10 * limitMs },
    session: { read: reads([missing]) },
    writes: ["closed unknown"],
    elapsedMs: 0,
  },
  {
    name: "begun by a clock that was behind: what is left of its limit",
    begin: { atMs: startMs - 10 * limitMs, uptime: up(-1_000) },
    session: { read: reads([missing, missing, found({})]) },
    writes: ["closed success"],
    elapsedMs: 600,
  },
  {
    name: "begun by a clock that was ahead: what is left of its limit",
    begin: { atMs: startMs + 10 * limitMs, uptime: up(-1_000) },
    session: { read: reads([missing]) },
    writes: ["closed unknown"],
    elapsedMs: restMs,
  },
  {
    name: "a limit that has passed, as a machine says that has been started anew: a fair wait",
    begin: { atMs: startMs - 10 * limitMs, uptime: rebooted },
    session: { read: reads([missing]) },
    writes: ["closed unknown"],
    elapsedMs: 10_000,
  },
  {
    name: "of a short limit that has passed, the fair wait is as short",
    begin: { atMs: startMs - 10 * limitMs, uptime: rebooted, proof: { limitMs: 2_000 } },
    session: { read: reads([missing]) },
    writes: ["closed unknown"],
    elapsedMs: 2_000,
  },
  {
    name: "a task that shows during the fair wait is found",
    begin: {
      atMs: startMs - 10 * limitMs,
      uptime: rebooted,
      proof: { requestLimitMs: 3_000 },
    },
    session: {
      findTask: appearing(undefined, undefined, { href: "/tasks/9" }),
      poll: tasks(success),
      read: reads([found({})]),
    },
    writes: ["handle", "closed success"],
    elapsedMs: 600,
  },
  {
    name: "a handle is polled, and then the object is read",
    begin: task,
    session: { poll: tasks(running, success), read: reads([found({})]) },
    writes: ["closed success"],
    elapsedMs: 200,
  },
  {
    name: "a task that succeeded without an effect that can be seen",
    begin: task,
    session: { poll: tasks(success), read: reads([missing]) },
    writes: ["closed failed"],
    elapsedMs: 5_000,
  },
  {
    name: "a task that failed is looked at once, not until the limit",
    begin: task,
    session: {
      poll: tasks({ status: "failed", message: "no space" }),
      read: reads([missing]),
    },
    writes: ["closed failed"],
    elapsedMs: 0,
  },
  {
    name: "a create whose task failed: what is there all the same is somebody else's",
    begin: task,
    session: {
      poll: tasks({ status: "failed", message: "no space" }),
      read: reads([found({})]),
    },
    writes: ["closed failed"],
    elapsedMs: 0,
  },
  {
    name: "a task that succeeded, and nothing can be read: nobody can tell",
    begin: task,
    session: { poll: tasks(success), read: reads([unavailable]) },
    writes: ["closed unknown"],
    elapsedMs: 5_000,
  },
  {
    name: "a task of the same operation is found, journaled and polled",
    session: {
      findTask: () => Promise.resolve({ href: "/tasks/9" }),
      poll: tasks(running, success),
      read: reads([found({})]),
    },
    writes: ["handle", "closed success"],
    elapsedMs: 200,
  },
  {
    name: "no task is found: read until the limit",
    session: { findTask: () => Promise.resolve(undefined), read: reads([missing]) },
    writes: ["closed unknown"],
    elapsedMs: restMs,
  },
  {
    name: "unobservable and unsafe, without a task: nobody can tell",
    begin: unseen,
    session: { read: () => Promise.reject(new Error("nothing can be read")) },
    writes: [],
    elapsedMs: 0,
    codes: ["RUN001"],
  },
  {
    name: "unobservable and unsafe, with a task: the task tells",
    begin: { ...unseen, ...task },
    session: { poll: tasks(success) },
    writes: ["closed success"],
    elapsedMs: 0,
  },
  {
    name: "unobservable and safe, without a task: not before the limit",
    begin: { ...unseen, repeat: "safe" },
    session: {},
    writes: ["closed unknown"],
    elapsedMs: restMs,
  },
  {
    name: "no task within its time: the request never arrived",
    begin: {
      effect: { kind: "update" },
      proof: { requestLimitMs: 3_000 },
    },
    session: { findTask: () => Promise.resolve(undefined), read: reads([missing]) },
    writes: ["closed failed"],
    elapsedMs: 2_000,
  },
  {
    name: "a task that shows late is still found",
    begin: {
      proof: { requestLimitMs: 3_000 },
    },
    session: {
      findTask: appearing(undefined, undefined, { href: "/tasks/9" }),
      poll: tasks(success),
      read: reads([found({})]),
    },
    writes: ["handle", "closed success"],
    elapsedMs: 600,
  },
  {
    name: "what is there without a task of ours is somebody else's",
    begin: {
      proof: { requestLimitMs: 3_000 },
    },
    session: { findTask: () => Promise.resolve(undefined), read: reads([found({})]) },
    writes: ["closed failed"],
    elapsedMs: 2_000,
  },
  {
    name: "a task that succeeded shows its effect as late as the begin says",
    begin: { ...task, proof: { lagMs: 60_000 } },
    session: {
      poll: tasks(success),
      read: reads([...Array.from({ length: 9 }, () => missing), found({})]),
    },
    writes: ["closed success"],
    elapsedMs: 13_000,
  },
  {
    name: "a task that outlives its limit stays open, and nothing is planned on top of it",
    begin: task,
    session: { poll: tasks(running), read: reads([missing]) },
    writes: [],
    elapsedMs: restMs,
    codes: ["RUN007"],
  },
  {
    name: "tasks cannot be listed: it stays open",
    session: { findTask: () => Promise.reject(unavailable) },
    writes: [],
    elapsedMs: 0,
    codes: ["RUN002"],
  },
])("$name", async ({ session: parts, writes, elapsedMs, codes = [], ...row }) => {
  const state = stateWith(begin(row.begin));
  const world = engineWorld(() => Promise.resolve(session(parts)), undefined, state);
  const ledger = ledgerOf(world);
  const closing = closeInterrupted(world.ports, sessionsOf(world), ledger);
  const diagnostics = await world.clock.until(closing);
  expect(diagnostics.map((item) => item.code)).toEqual(codes);
  expect(journalOf(world).map(lineOf)).toEqual(writes);
  expect(world.clock.now() - startMs).toBe(elapsedMs);
  expect(ledger.open().length).toBe(codes.length);
  const told = world.events.map((event) => event.kind);
  const events = told.filter((kind) => kind.startsWith("recovery-"));
  expect(events).toEqual(
    codes.length === 0 ? ["recovery-started", "recovery-ended"] : ["recovery-started"],
  );
});

function lineOf(entry: JournalEntry): string {
  return "outcome" in entry ? `${entry.kind} ${entry.outcome}` : entry.kind;
}

test("what a task told of its success is recorded with the close", async () => {
  const result: TaskStatus = {
    status: "success",
    attributes: { shrunk_at: "now" },
    message: "0 reclaimed",
  };
  const state = stateWith(begin({ ...unseen, ...task }));
  const parts = { poll: tasks(result) };
  const world = engineWorld(() => Promise.resolve(session(parts)), undefined, state);
  await world.clock.until(closeInterrupted(world.ports, sessionsOf(world), ledgerOf(world)));
  expect(journalOf(world)).toMatchObject([
    { outcome: "success", attributes: { shrunk_at: "now" }, message: "0 reclaimed" },
  ]);
});

test("what a task told of its failure is recorded with the close", async () => {
  const attributes = { wiped_at: null };
  const state = stateWith(begin({ ...unseen, ...task }));
  const parts = { poll: tasks({ status: "failed", message: "not wiped", attributes }) };
  const world = engineWorld(() => Promise.resolve(session(parts)), undefined, state);
  await world.clock.until(closeInterrupted(world.ports, sessionsOf(world), ledgerOf(world)));
  expect(journalOf(world)).toMatchObject([{ outcome: "failed", attributes }]);
});

test("an endpoint that cannot be reached keeps the operation open", async () => {
  const world = engineWorld(() => Promise.reject(unavailable), undefined, stateWith(begin()));
  const ledger = ledgerOf(world);
  const closing = closeInterrupted(world.ports, sessionsOf(world), ledger);
  const diagnostics = await world.clock.until(closing);
  expect(diagnostics.map((item) => item.code)).toEqual(["RUN002"]);
  expect(ledger.open()).toEqual([begin()]);
});

test("a fault of ours is no remote error", async () => {
  const broken = () => Promise.reject(new TypeError("a bug"));
  const world = engineWorld(broken, undefined, stateWith(begin()));
  const closing = closeInterrupted(world.ports, sessionsOf(world), ledgerOf(world));
  await expect(world.clock.until(closing)).rejects.toThrow("a bug");
});

test("waits run side by side, and what was never seen is tentative", async () => {
  const opened = [
    begin(),
    begin({ id: "fake_vm.b#create.1", subject: { address: at("fake_vm.b"), identity: "b" } }),
  ];
  const world = engineWorld(
    () => Promise.resolve(session({ read: reads([missing]) })),
    undefined,
    stateWith(...opened),
  );
  const closing = closeInterrupted(world.ports, sessionsOf(world), ledgerOf(world));
  await world.clock.until(closing);
  expect(world.clock.now() - startMs).toBe(restMs);
  const { objects } = recordedIn(world);
  expect(objects.map((object) => [object.identity, object.status])).toEqual([
    ["a", "tentative"],
    ["b", "tentative"],
  ]);
  expect(objects[0]?.tentativeUntilMs).toBe(begunMs + 3 * limitMs);
});

test("a plan settles in memory only", async () => {
  const world = engineWorld(
    () => Promise.resolve(session({ read: reads([found({ id: "a" })]) })),
    undefined,
    stateWith(begin()),
  );
  const ledger = ledgerOf(world, "dry");
  await world.clock.until(closeInterrupted(world.ports, sessionsOf(world), ledger));
  expect(ledger.open()).toEqual([]);
  expect(ledger.state().objects.map((object) => object.identity)).toEqual(["a"]);
  expect(journalOf(world)).toEqual([]);
  expect(recordedIn(world).open).toEqual([begin()]);
});

test("recovery uses the settings that were recorded with the operation", async () => {
  const settings = { url: "http://old" };
  const opened: unknown[] = [];
  const world = engineWorld(
    (provider, given) => {
      opened.push([provider, given]);
      return Promise.resolve(session({ read: reads([found({})]) }));
    },
    undefined,
    stateWith(begin({ subject: { provider: "fake.east" }, settings })),
  );
  await world.clock.until(closeInterrupted(world.ports, sessionsOf(world), ledgerOf(world)));
  expect(opened).toEqual([["fake.east", settings]]);
});

test("a read that fails when the limit has passed closes nothing as done", async () => {
  const world = engineWorld(
    () => Promise.resolve(session({ read: reads([failing]) })),
    undefined,
    stateWith(begin({ atMs: startMs - limitMs })),
  );
  await world.clock.until(closeInterrupted(world.ports, sessionsOf(world), ledgerOf(world)));
  const [closed] = journalOf(world);
  expect(closed).toMatchObject({ kind: "closed", outcome: "unknown" });
  expect(closed).not.toHaveProperty("existence");
});

describe("at another server, or on another object, nothing is settled", () => {
  const endpoint = { url: "https://a", instance: "one" };
  const uuids: TypeRegistry = { fake_vm: { ...fakeVm, identifiers: [["uuid"]] } };
  const rows: readonly {
    readonly name: string;
    readonly begin: Parts<BeginEntry>;
    readonly session: Partial<ProviderSession>;
    readonly code: string | undefined;
  }[] = [
    {
      name: "another server at the address",
      begin: { endpoint },
      session: { url: endpoint.url, instance: () => Promise.resolve("two") },
      code: "RUN010",
    },
    {
      name: "the same server",
      begin: { endpoint },
      session: { url: endpoint.url, instance: () => Promise.resolve("one") },
      code: undefined,
    },
    {
      name: "a server that does not tell its id",
      begin: { endpoint },
      session: { url: endpoint.url },
      code: undefined,
    },
    {
      name: "another object, though it is as was expected",
      begin: {
        effect: { kind: "power" },
        subject: { knownBy: { uuid: "1" } },
      },
      session: { read: reads([found({ uuid: "2" })]) },
      code: "RUN011",
    },
    {
      name: "the same object",
      begin: {
        effect: { kind: "power" },
        subject: { knownBy: { uuid: "1" } },
      },
      session: { read: reads([found({ uuid: "1" })]) },
      code: undefined,
    },
  ];
  test.each(rows)("$name", async ({ begin: parts, session: told, code }) => {
    const state = stateWith(begin(parts));
    const world = engineWorld(() => Promise.resolve(session(told)), uuids, state);
    const ledger = ledgerOf(world);
    const closing = closeInterrupted(world.ports, sessionsOf(world), ledger);
    const diagnostics = await world.clock.until(closing);
    expect(diagnostics.map((item) => item.code)).toEqual(code === undefined ? [] : [code]);
    expect(ledger.open().length).toBe(code === undefined ? 0 : 1);
  });
});

test.each([
  ["the same server has moved: it is asked where it is now", "one", []],
  [
    "another server is configured: what was begun is asked for where it was begun",
    "two",
    ["RUN002"],
  ],
])("%s", async (_, instance, codes) => {
  const endpoint = { url: "https://old", instance: "one" };
  const settings = { url: "https://old" };
  const state = stateWith(begin({ endpoint, settings }));
  const open: EnginePorts["open"] = (_provider, given) =>
    equalValues(given, settings)
      ? Promise.reject(unavailable)
      : Promise.resolve(session({ url: "https://new", instance: () => Promise.resolve(instance) }));
  const world = engineWorld(open, undefined, state);
  const configured = new Map([["fake", { url: "https://new" }]]);
  const sessions = sessionsOf(world);
  const closing = closeInterrupted(world.ports, sessions, ledgerOf(world), configured);
  const diagnostics = await world.clock.until(closing);
  expect(diagnostics.map((item) => item.code)).toEqual(codes);
});

const failing = new RemoteError({ kind: "timeout", effect: "none", message: "no answer" });

test("an endpoint that does not answer is not waited for: three reads, then it stays open", async () => {
  const world = engineWorld(
    () => Promise.resolve(session({ read: reads([failing]) })),
    undefined,
    stateWith(begin({ proof: { limitMs: 3_600_000 } })),
  );
  const ledger = ledgerOf(world);
  const closing = closeInterrupted(world.ports, sessionsOf(world), ledger);
  const [diagnostic] = await world.clock.until(closing);
  expect(diagnostic).toMatchObject({ code: "RUN002" });
  expect(diagnostic?.detail).toContain("no answer");
  expect(diagnostic?.fix).toContain("vmform state resolve fake_vm.a --done (or --not-done)");
  expect(world.clock.now() - startMs).toBeLessThan(2_000);
  expect(ledger.open()).toHaveLength(1);
});

type Look = Pick<Row, "begin" | "session" | "writes" | "codes">;

test.each<[string, Look]>([
  ["seen: it is done", { session: { read: reads([found({})]) }, writes: ["closed success"] }],
  [
    "not seen before its limit: it stays open",
    { session: { read: reads([missing]) }, writes: [], codes: ["RUN016"] },
  ],
  [
    "not seen after its limit: it has not happened",
    {
      begin: { atMs: startMs - limitMs },
      session: { read: reads([missing]) },
      writes: ["closed unknown"],
    },
  ],
  [
    "its task runs: it stays open",
    { begin: task, session: { poll: tasks(running) }, writes: [], codes: ["RUN016"] },
  ],
  [
    "its task has ended well: it is done",
    {
      begin: task,
      session: { poll: tasks(success), read: reads([found({})]) },
      writes: ["closed success"],
    },
  ],
  [
    "no task shows yet: it stays open",
    {
      begin: {
        proof: { requestLimitMs: 5_000 },
      },
      session: { findTask: appearing(undefined), read: reads([missing]) },
      writes: [],
      codes: ["RUN016"],
    },
  ],
  [
    "no read can tell, and it may be done twice: it stays open",
    { begin: { ...unseen, repeat: "safe" }, session: {}, writes: [], codes: ["RUN016"] },
  ],
])("looking once, %s", async (_, { begin: parts, session: answers, writes, codes = [] }) => {
  const state = stateWith(begin(parts));
  const world = engineWorld(() => Promise.resolve(session(answers)), undefined, state);
  const ledger = ledgerOf(world);
  const closing = closeInterrupted(world.ports, sessionsOf(world), ledger, new Map(), "look");
  const diagnostics = await world.clock.until(closing);
  expect(diagnostics.map(({ code }) => code)).toEqual(codes);
  expect(diagnostics.map(({ severity }) => severity)).toEqual(codes.map(() => "warning"));
  expect(journalOf(world).map(lineOf)).toEqual(writes);
  expect(world.clock.now() - startMs).toBe(0);
});
