/** Looking whether a request is still to be sent, one row per situation. */

import { expect, test } from "vitest";
import { lookBeforehand } from "../../../../src/engine/send/beforehand.ts";
import type { Operation } from "../../../../src/model/operation/operation.ts";
import type { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import { allRules } from "../../../../src/model/plan/rules.ts";
import type { Observation, Wanted } from "../../../../src/model/provider/observation.ts";
import type { RecordedObject } from "../../../../src/model/recorded/recorded.ts";
import { typeRegistry } from "../../../../src/providers/registry.ts";
import type { Parts } from "../../../helpers/parts.ts";
import { createVirtualClock } from "../../../simulation/virtual-clock.ts";
import { objectAt } from "../../state/samples.ts";
import { operation } from "../dispatch-graphs.ts";
import { found, missing, reads, session, startMs, unavailable } from "../engine-world.ts";

type Row = {
  readonly name: string;
  readonly operation: Parts<Operation>;
  readonly read: readonly (Observation | RemoteError)[];
  readonly record?: Partial<RecordedObject>;
  /** Status, or undefined where it is to be sent. */
  readonly is: string | undefined;
  readonly asks: number;
};

const requestLimitMs = 1_000;
const exists = [{ existence: "found" }] as const;
const isGone = [{ existence: "missing" }] as const;
const moved = [{ attribute: "datastore", equals: "ds-2" }] as const;
const isOn = [{ attribute: "power_state", equals: "on" }] as const;
const create: Parts<Operation> = {
  subject: { identity: "a" },
  effect: { kind: "create" },
  proof: { expect: exists, requestLimitMs },
};
const remove: Parts<Operation> = {
  effect: { kind: "delete" },
  proof: { expect: isGone, requestLimitMs },
};
const move: Parts<Operation> = {
  effect: { kind: "update" },
  proof: { expect: moved, requestLimitMs },
};
const word: Parts<Operation> = { effect: { kind: "power" }, proof: { expect: isOn } };
const begun = { status: "tentative", identity: "a", tentativeUntilMs: startMs } as const;

test.each<Row>([
  { name: "made", operation: create, read: [missing], is: undefined, asks: 1 },
  { name: "made by others", operation: create, read: [found({})], is: "forbidden", asks: 1 },
  {
    name: "begun earlier, and there",
    operation: create,
    read: [found({})],
    record: begun,
    is: "satisfied",
    asks: 1,
  },
  {
    name: "another was begun earlier",
    operation: create,
    read: [found({})],
    record: { ...begun, identity: "b" },
    is: "forbidden",
    asks: 1,
  },
  { name: "made blindly", operation: create, read: [unavailable], is: "forbidden", asks: 6 },
  {
    name: "made, read at the third time",
    operation: create,
    read: [unavailable, unavailable, missing],
    is: undefined,
    asks: 3,
  },
  {
    name: "made without a task: the server refuses what exists",
    operation: {
      effect: { kind: "create" },
      proof: { expect: exists },
    },
    read: [found({})],
    is: undefined,
    asks: 0,
  },
  { name: "removed", operation: remove, read: [found({})], is: undefined, asks: 1 },
  { name: "gone already", operation: remove, read: [missing], is: "satisfied", asks: 1 },
  { name: "removed blindly", operation: remove, read: [unavailable], is: "forbidden", asks: 6 },
  { name: "moved", operation: move, read: [found({})], is: undefined, asks: 1 },
  {
    name: "there already",
    operation: move,
    read: [found({ datastore: "ds-2" })],
    is: "satisfied",
    asks: 1,
  },
  { name: "moved blindly", operation: move, read: [unavailable], is: undefined, asks: 1 },
  {
    name: "what nobody can see",
    operation: { ...move, proof: { ...move.proof, unobservable: true } },
    read: [found({})],
    is: undefined,
    asks: 0,
  },
  { name: "a word", operation: word, read: [found({})], is: undefined, asks: 1 },
  {
    name: "a word that is satisfied",
    operation: word,
    read: [found({ power_state: "on" })],
    is: "satisfied",
    asks: 1,
  },
  {
    name: "a word whose goal is reached",
    operation: {
      ...word,
      request: { satisfiedBy: [{ attribute: "power_state", equals: "suspended" }] },
    },
    read: [found({ power_state: "suspended" })],
    is: "satisfied",
    asks: 1,
  },
  {
    name: "a word to another VM under the id, which has the power that is wanted",
    operation: {
      ...word,
      subject: { type: "manager_vm", knownBy: { instance_uuid: "1" } },
    },
    read: [found({ power_state: "on", instance_uuid: "2" })],
    is: "forbidden",
    asks: 1,
  },
  {
    name: "a word to the same VM",
    operation: {
      ...word,
      subject: { type: "manager_vm", knownBy: { instance_uuid: "1" } },
    },
    read: [found({ power_state: "off", instance_uuid: "1" })],
    is: undefined,
    asks: 1,
  },
  { name: "a word, blindly", operation: word, read: [unavailable], is: undefined, asks: 1 },
])("$name: $is", async ({ operation: parts, read, record, is, asks }) => {
  const clock = createVirtualClock(startMs);
  const asked: Wanted[] = [];
  const object = record === undefined ? undefined : objectAt("fake_vm.a", record);
  const context = {
    ports: { rules: allRules, clock, types: typeRegistry() },
    ledger: { object: () => object },
  };
  const looking = lookBeforehand(
    context,
    session({ read: reads(read, asked) }),
    operation("a", parts),
  );
  expect((await clock.until(looking))?.status).toBe(is);
  expect(asked.length).toBe(asks);
});
