/** Reading until an expectation is seen, or a time limit has passed. */

import { expect, test } from "vitest";
import {
  attributesOf,
  type Expected,
  existenceOf,
  isMet,
  type ReadListener,
  settle,
} from "../../../src/engine/settle.ts";
import type { AttributeExpectation } from "../../../src/model/operation/expectation.ts";
import type { RemoteError } from "../../../src/model/operation/remote-error.ts";
import type { Observation, Wanted } from "../../../src/model/provider/observation.ts";
import { createVirtualClock } from "../../simulation/virtual-clock.ts";
import { at } from "../state/samples.ts";
import {
  found,
  missing,
  reads,
  session,
  startMs,
  unavailable,
  unreadable,
} from "./engine-world.ts";

const expected: Expected = {
  subject: { address: at("fake_vm.a"), type: "fake_vm", identity: "a" },
  proof: {
    expect: [{ attribute: "power_state", equals: "off" }],
    readBack: ["ip_address"],
  },
};
const on = found({ power_state: "on" });
const off = found({ power_state: "off" });

type Row = readonly [
  name: string,
  script: readonly (Observation | RemoteError)[],
  limitMs: number,
  met: boolean,
  /** Reads sent, and the time that passed. */
  sent: number,
  elapsedMs: number,
];

test.each<Row>([
  ["at once", [off], 10_000, true, 1, 0],
  ["at once, with no time left", [off], 0, true, 1, 0],
  ["never, with no time left: one read", [on], 0, false, 1, 0],
  ["later", [on, on, off], 10_000, true, 3, 200 + 400],
  ["never: the last read is made when the limit has passed", [on], 500, false, 3, 500],
  ["pauses grow to two seconds", [on], 10_000, false, 9, 10_000],
  ["a read that fails proves nothing", [unavailable, unavailable, off], 10_000, true, 3, 600],
  ["nor does one that answers with nothing", [unreadable, off], 10_000, true, 2, 200],
  ["only failures", [unavailable], 300, false, 3, 300],
])("%s", async (_, script, limitMs, met, sent, elapsedMs) => {
  const clock = createVirtualClock(startMs);
  const seen: Wanted[] = [];
  const reading = session({ read: reads(script, seen) });
  const settled = await clock.until(settle(reading, clock, expected, startMs + limitMs));
  expect([settled.met, seen.length, clock.now() - startMs]).toEqual([met, sent, elapsedMs]);
});

test("it asks for what is expected and what is to be read back", async () => {
  const clock = createVirtualClock(startMs);
  const seen: Wanted[] = [];
  await clock.until(settle(session({ read: reads([off], seen) }), clock, expected, startMs));
  const { address, type, identity } = expected.subject;
  expect(seen).toEqual([{ address, type, identity, attributes: ["power_state", "ip_address"] }]);
});

test("the last observation is given, none when no read was answered", async () => {
  const clock = createVirtualClock(startMs);
  const settling = (script: readonly (Observation | RemoteError)[]) =>
    clock.until(settle(session({ read: reads(script) }), clock, expected, clock.now()));
  expect((await settling([on])).observation).toEqual(on);
  expect((await settling([missing])).observation).toEqual(missing);
  expect((await settling([unavailable])).observation).toBeUndefined();
  expect((await settling([unreadable])).observation).toBeUndefined();
});

test("a read may show that waiting is in vain", async () => {
  const clock = createVirtualClock(startMs);
  const reading = session({ read: reads([on, missing]) });
  const gone: ReadListener = ({ observation }) => observation?.status === "missing";
  const settling = settle(reading, clock, expected, startMs + 60_000, gone);
  const settled = await clock.until(settling);
  expect([settled.met, clock.now() - startMs]).toEqual([false, 200]);
});

test("an error that is none of the remote side's ends it", async () => {
  const clock = createVirtualClock(startMs);
  const reading = session({ read: () => Promise.reject(new TypeError("a bug")) });
  await expect(clock.until(settle(reading, clock, expected, startMs))).rejects.toThrow("a bug");
});

const equalsOff: AttributeExpectation = { attribute: "power_state", equals: "off" };
const hasAddress: AttributeExpectation = { attribute: "ip_address", present: true };

test.each<[string, readonly AttributeExpectation[], Observation, boolean]>([
  ["nothing expected is never met by a read", [], off, false],
  ["found", [{ existence: "found" }], off, true],
  ["found, but missing", [{ existence: "found" }], missing, false],
  ["missing", [{ existence: "missing" }], missing, true],
  ["missing, but unreadable", [{ existence: "missing" }], unreadable, false],
  ["a value", [equalsOff], off, true],
  ["another value", [equalsOff], on, false],
  ["a value of what is missing", [equalsOff], missing, false],
  ["one of two", [equalsOff, hasAddress], off, false],
  ["both", [equalsOff, hasAddress], found({ power_state: "off", ip_address: "10.0.0.1" }), true],
  ["present", [hasAddress], found({ ip_address: "" }), true],
  ["present as null", [hasAddress], found({ ip_address: null }), false],
  ["null and absent are equal", [{ attribute: "x", equals: null }], found({}), true],
  ["numbers by value", [{ attribute: "x", equals: 1n }], found({ x: 1 }), true],
])("met: %s", (_, expectation, observation, met) => {
  expect(isMet(expectation, observation)).toBe(met);
});

test("what is in transition is not recorded, and unreadable is no existence", () => {
  expect(attributesOf(found({ power_state: "changing", id: "a" }))).toEqual({ id: "a" });
  expect([missing, unreadable, undefined].map((item) => attributesOf(item))).toEqual([{}, {}, {}]);
  expect([off, missing, unreadable, undefined].map((item) => existenceOf(item))).toEqual([
    "found",
    "missing",
    undefined,
    undefined,
  ]);
});
