/** What became of a request, where only its task or its reply can tell. */

import { expect, test } from "vitest";
import { type Sent, send } from "../../../../src/engine/send/send.ts";
import type { PreparedOperation } from "../../../../src/model/operation/operation.ts";
import { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import type { Observation } from "../../../../src/model/provider/observation.ts";
import type { ProviderSession, TaskStatus } from "../../../../src/model/provider/provider.ts";
import type { BeginEntry } from "../../../../src/model/recorded/begin-entry.ts";
import { buildPrepared } from "../../../helpers/plan-builder.ts";
import { beginEntry } from "../../../helpers/recorded-builder.ts";
import {
  type EngineWorld,
  engineWorld,
  found,
  ledgerOf,
  session,
  startMs,
} from "../engine-world.ts";

const unseen = buildPrepared("fake_vm.a", "wipe", {
  proof: { unobservable: true, expect: [], limitMs: 60_000 },
});

test.each<[string, TaskStatus, string, string | undefined]>([
  ["succeeded", { status: "success", message: "0 reclaimed" }, "success", "0 reclaimed"],
  ["failed", { status: "failed", message: "no tools" }, "failed", "no tools"],
  [
    "is gone",
    { status: "vanished" },
    "unknown",
    expect.stringContaining("its remote task is gone"),
  ],
])("work that no read shows, and whose task %s", async (_, status, outcome, message) => {
  const sent = await sendUnseen({
    send: () => Promise.resolve({ handle: "task-1" }),
    poll: () => Promise.resolve(status),
  });
  expect(sent).toMatchObject({ outcome, message });
});

const refused = { kind: "precondition", effect: "none", message: "not wiped" } as const;
const attributes = { wiped_at: null };

test.each<[string, Partial<ProviderSession>]>([
  ["reply", { send: () => Promise.reject(new RemoteError({ ...refused, attributes })) }],
  [
    "task",
    {
      send: () => Promise.resolve({ handle: "task-1" }),
      poll: () => Promise.resolve({ status: "failed", message: "not wiped", attributes }),
    },
  ],
])("what a refusal tells of the object is recorded: of a %s", async (_, answers) => {
  const sent = await sendUnseen(answers);
  expect(sent).toMatchObject({ outcome: "failed", message: "not wiped", attributes });
});

/** Sampled every five minutes, on a virtual clock; the limit is half an hour. */
const minuteMs = 60_000;
const sampled = buildPrepared("fake_vm.a", "resize", {
  proof: {
    expect: [{ attribute: "sizes", atLeast: { a: 20, b: 5 } }],
    limitMs: 30 * minuteMs,
    lagMs: 11 * minuteMs,
    unmetAdvice: "is its disk larger?",
  },
});
const small = found({ sizes: { a: 9, b: 9 } });
const grown = found({ sizes: { a: 21, b: 9 } });
const hidden: Observation = {
  ...{ status: "found", identity: "a", attributes: {} },
  ...{ unreadable: { sizes: "failed" }, reasons: { sizes: "no samples" } },
};
const accepted = "the server accepted the request, but";

type SampledRow = {
  readonly name: string;
  /** What reads show, each from a minute on. */
  readonly shows: readonly (readonly [minute: number, Observation])[];
  readonly outcome: Sent["outcome"];
  /** Minutes that pass, rounded. */
  readonly after: number;
  readonly says?: string;
};

test.each<SampledRow>([
  {
    name: "that shows late",
    shows: [
      [0, small],
      [6, grown],
    ],
    outcome: "success",
    after: 6,
  },
  {
    name: "that never shows",
    shows: [[0, small]],
    outcome: "failed",
    after: 11,
    says: `${accepted} sizes of a is 9, which is less than 20; is its disk larger?`,
  },
  {
    name: "that cannot be read for longer than it may lag",
    shows: [
      [0, small],
      [3, hidden],
      [20, grown],
    ],
    outcome: "success",
    after: 20,
  },
  {
    name: "that can never be read",
    shows: [[0, hidden]],
    outcome: "failed",
    after: 30,
    says: `${accepted} sizes cannot be read: no samples`,
  },
  {
    name: "of an object that cannot be read",
    shows: [[0, { status: "unreadable", rule: "failed", reason: "login refused" }]],
    outcome: "failed",
    after: 30,
    says: `${accepted} its effect cannot be read back: login refused`,
  },
])("the sampled effect of a request $name", async ({ shows, outcome, after, says }) => {
  const world = engineWorld(() => Promise.reject(new Error("not opened")));
  const elapsed = (): number => (world.clock.now() - startMs) / minuteMs;
  const read = (): Promise<readonly Observation[]> =>
    Promise.resolve(
      shows
        .filter(([minute]) => minute <= elapsed())
        .slice(-1)
        .map(([, is]) => is),
    );
  const sent = await sendIn(world, { send: () => Promise.resolve({}), read }, sampled);
  expect(sent.outcome).toBe(outcome);
  expect(sent.message).toBe(says);
  expect(Math.round(elapsed())).toBe(after);
});

function sendUnseen(answers: Partial<ProviderSession>): Promise<Sent> {
  const world = engineWorld(() => Promise.reject(new Error("not opened")));
  return sendIn(world, answers, unseen);
}

async function sendIn(
  world: EngineWorld,
  answers: Partial<ProviderSession>,
  operation: PreparedOperation,
): Promise<Sent> {
  const sending = {
    ports: world.ports,
    planId: "plan-1",
    settings: new Map(),
    endpoints: new Map(),
    ledger: ledgerOf(world),
    freeSlot: () => {},
    isDraining: () => false,
    tasks: new Map(),
  };
  const begin = beginEntry({ atMs: startMs, proof: { limitMs: operation.proof.limitMs } });
  return world.clock.until(send(sending, session(answers), operation, begin));
}

const lost = { kind: "unavailable", effect: "unknown", message: "connection reset" } as const;

/** Answers in turn; the last one again and again. */
function answering(...script: readonly (RemoteError | undefined)[]) {
  let sends = 0;
  const answer = (): Promise<object> => {
    const error = script[Math.min(sends, script.length - 1)];
    sends += 1;
    return error === undefined ? Promise.resolve({}) : Promise.reject(error);
  };
  return { answer, sends: () => sends };
}

test.each<[string, BeginEntry["repeat"], readonly (RemoteError | undefined)[], string, number]>([
  ["may be done twice: sent again", "safe", [new RemoteError(lost), undefined], "success", 2],
  ["may be done twice: not for ever", "safe", [new RemoteError(lost)], "unknown", 4],
  ["must not be done twice: its limit decides", "unsafe", [new RemoteError(lost)], "unknown", 1],
])("a lost reply to what no read can tell and %s", async (_, repeat, script, outcome, count) => {
  const { answer, sends } = answering(...script);
  const world = engineWorld(() => Promise.resolve(session({ send: answer })));
  const operation = { ...unseen, request: { ...unseen.request, repeat } };
  expect(await sendIn(world, { send: answer }, operation)).toMatchObject({ outcome });
  expect(sends()).toBe(count);
});

test.each<[string, PreparedOperation, readonly number[], Sent["outcome"]]>([
  ["is sent again after a quarter of its limit", shared("safe"), [15_000, 44_500], "unknown"],
  ["and is long work is not sent again", shared("safe", true), [60_000], "unknown"],
  ["but must not be done twice is not sent again", shared("unsafe"), [60_000], "unknown"],
])("a reply that never comes: what no read can tell %s", async (_, operation, waits, outcome) => {
  const { sent, waited } = await sendHanging(operation, Number.POSITIVE_INFINITY);
  expect([sent.outcome, waited]).toEqual([outcome, waits]);
});

test("a reply that never comes once: the second one counts", async () => {
  const { sent, waited } = await sendHanging(shared("safe"), 1);
  expect([sent.outcome, waited]).toEqual(["success", [15_000]]);
});

function shared(repeat: BeginEntry["repeat"], long = false): PreparedOperation {
  const { request, order } = unseen;
  return { ...unseen, request: { ...request, repeat }, order: { ...order, long } };
}

/** The first replies never come; how long each was waited for, milliseconds. */
async function sendHanging(operation: PreparedOperation, hanging: number) {
  const world = engineWorld(() => Promise.reject(new Error("not opened")));
  const waited: number[] = [];
  const hang = async (_: PreparedOperation, untilMs: number): Promise<object> => {
    if (waited.length >= hanging) return {};
    const waitMs = untilMs - world.clock.now();
    waited.push(waitMs);
    await world.clock.sleep(waitMs);
    throw new RemoteError({ kind: "timeout", effect: "unknown", message: "no reply" });
  };
  return { sent: await sendIn(world, { send: hang }, operation), waited };
}

test("a change that was put off is sent again when the server said, and told so", async () => {
  const later = { ...lost, effect: "none", status: 503, retryAfterMs: 7_000 } as const;
  const { answer, sends } = answering(new RemoteError(later), undefined);
  const world = engineWorld(() => Promise.resolve(session({ send: answer })));
  expect(await sendIn(world, { send: answer }, unseen)).toMatchObject({ outcome: "success" });
  expect([sends(), world.clock.now() - startMs]).toEqual([2, 7_000]);
  expect(world.events).toContainEqual(
    expect.objectContaining({ message: "connection reset; next try in 7 s" }),
  );
});

const wanted = buildPrepared("fake_vm.a", "clone", {
  effect: { kind: "create" },
  proof: { expect: [{ existence: "found" }], limitMs: 3_600_000 },
});

test("an unclear reply: told at once, and looked for; given up when nobody answers for a minute", async () => {
  const { answer } = answering(new RemoteError({ ...lost, message: "status 500, disk full" }));
  const away = new RemoteError({ kind: "unavailable", effect: "none", message: "refused" });
  const parts = { send: answer, read: () => Promise.reject(away) };
  const world = engineWorld(() => Promise.resolve(session(parts)));
  const ended = await sendIn(world, parts, wanted);
  expect(ended).toMatchObject({ outcome: "open" });
  expect(ended.message).toBe(
    "status 500, disk full; no answer since: refused; whether it happened, the next run finds out",
  );
  expect(world.clock.now() - startMs).toBeLessThan(70_000);
  const waits = world.events.flatMap((event) =>
    event.kind === "wait-started" ? [event.wait] : [],
  );
  expect(waits).toHaveLength(1);
  expect(waits[0]).toMatchObject({ announced: true, untilMs: startMs + 3_600_000 });
  expect(waits[0]?.wayOut).toContain("vmform state resolve fake_vm.a --not-done");
});
