import { expect, test } from "vitest";
import type { BeginEntry } from "../../../../src/model/recorded/begin-entry.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import type { Attributes, Value } from "../../../../src/model/value/value.ts";
import { noopProvider, noopType } from "../../../../src/providers/noop/provider.ts";
import { readNoFile, testEpochMs, testPorts } from "../../../helpers/http-ports.ts";
import { beginEntry } from "../../../helpers/recorded-builder.ts";
import { operation } from "../daemon/daemon-server.ts";

async function openSession() {
  const ports = testPorts();
  const http = () => {
    throw new Error("a no-op speaks to nobody");
  };
  const provider = noopProvider.create({ http, clock: ports.clock, readTextFile: readNoFile });
  return { ports, session: await provider.open({}) };
}

const send = (inputs: { readonly [name: string]: Value }) =>
  operation("create", "a", inputs, noopType.name);

test("nothing can be read, by rule, so recorded values stand", async () => {
  const { session } = await openSession();
  const address = "noop_resource.a" as Address;
  const wanted = { address, type: noopType.name, identity: "a", attributes: [] };
  expect(await session.read([wanted, wanted])).toMatchObject([
    { status: "unreadable", rule: "by rule" },
    { status: "unreadable", rule: "by rule" },
  ]);
});

test("create and update record all that was given; nothing can be observed of them", () => {
  const inputs = { name: "a", value: "v", trigger: "t", task_duration: "2s" };
  const steps = noopType.lower({ action: "create", identity: "a", inputs });
  expect(steps).toMatchObject([
    {
      verb: "create",
      applied: inputs,
      proof: { expect: [], unobservable: true },
      request: { repeat: "safe" },
    },
  ]);
});

test("without a task a change is done at once", async () => {
  const { session } = await openSession();
  expect(await session.send(send({ name: "a" }), testEpochMs)).toEqual({});
});

test("a task runs by its handle alone, also in another session", async () => {
  const first = await openSession();
  const { handle } = await first.session.send(
    send({ name: "a", task_duration: "10s" }),
    testEpochMs,
  );
  const { session, ports } = await openSession();
  if (handle === undefined) throw new Error("no handle");
  expect(await session.poll?.(handle)).toEqual({ status: "running", word: "running", progress: 0 });
  await ports.clock.sleep(2500);
  expect(await session.poll?.(handle)).toMatchObject({ status: "running", progress: 25 });
  await ports.clock.sleep(7500);
  expect(await session.poll?.(handle)).toEqual({ status: "success" });
});

test("an interrupted task is found by what its begin says", async () => {
  const { session } = await openSession();
  /** The parts of an entry that say what was asked, and when. */
  const begin = (applied: Attributes): BeginEntry =>
    beginEntry({ record: { applied }, atMs: testEpochMs, serverTimeMs: testEpochMs - 4000 });
  const handle = await session.findTask?.(begin({ task_duration: "4s" }));
  if (handle === undefined) throw new Error("no handle");
  expect(await session.poll?.(handle)).toEqual({ status: "success" });
  expect(await session.findTask?.(begin({}))).toBeUndefined();
  expect(await session.serverTime?.()).toBe(testEpochMs);
});

test("a handle that is not ours is an error", async () => {
  const { session } = await openSession();
  await expect(session.poll?.({ ends_ms: "soon" })).rejects.toMatchObject({ kind: "protocol" });
});
