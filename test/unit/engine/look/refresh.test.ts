/** Refreshing: one read for each provider, whatever it holds; one that fails harms only its own. */

import { expect, test } from "vitest";
import type { LookupContext } from "../../../../src/engine/look/lookups.ts";
import { lookUpMore, refresh } from "../../../../src/engine/look/refresh.ts";
import type { DesiredInstance } from "../../../../src/model/plan/desired.ts";
import type { Observation, Wanted } from "../../../../src/model/provider/observation.ts";
import type { RecordedObject } from "../../../../src/model/recorded/recorded.ts";
import { initialState } from "../../../../src/state/initial.ts";
import { vmAddress } from "../../../simulation/configuration.ts";
import { at, objectAt } from "../../state/samples.ts";
import { desiredOf, instance } from "../desired-builder.ts";
import {
  engineWorld,
  found,
  missing,
  reads,
  session,
  sessionsOf,
  startMs,
  unavailable,
} from "../engine-world.ts";

type Call = { readonly provider: string; readonly wanted: readonly Wanted[] };
type Answer = (wanted: Wanted, read: number) => Observation;

function object(name: string, parts: Partial<RecordedObject> = {}): RecordedObject {
  const text = `fake_vm.${name}`;
  return objectAt(text, { type: "fake_vm", provider: "fake", identity: name, ...parts });
}

async function refreshed(scene: {
  readonly objects?: readonly RecordedObject[];
  readonly wants?: readonly DesiredInstance[];
  readonly answer?: Answer;
  readonly broken?: readonly string[];
}) {
  const calls: Call[] = [];
  const world = engineWorld((provider) => {
    if (scene.broken?.includes(provider) === true) return Promise.reject(unavailable);
    return Promise.resolve(
      session({
        read: (wanted) => {
          calls.push({ provider, wanted });
          const answer = scene.answer ?? (() => found({}));
          return Promise.resolve(wanted.map((item) => answer(item, calls.length)));
        },
      }),
    );
  });
  const recorded = { ...initialState("lineage", "journal", false), objects: scene.objects ?? [] };
  const desired = scene.wants === undefined ? undefined : desiredOf(scene.wants);
  const sessions = sessionsOf(world);
  const reading = refresh(world.ports, sessions, recorded, desired, new Map());
  const result = await world.clock.until(reading);
  return { ...result, calls, world };
}

test("one read for each provider", async () => {
  const objects = [
    ...Array.from({ length: 300 }, (_none, index) => object(`v${index}`)),
    object("east", { provider: "fake.east" }),
  ];
  const { calls, observations } = await refreshed({ objects });
  expect(calls.map(({ provider, wanted }) => [provider, wanted.length])).toEqual([
    ["fake", 300],
    ["fake.east", 1],
  ]);
  expect(observations.size).toBe(301);
});

test("a provider is told what was last read of an object: it may prove by it what is gone", async () => {
  const attributes = { name: "web", vapp_href: "/api/vApp/vapp-1" };
  const { calls } = await refreshed({ objects: [object("a", { attributes }), object("b")] });
  expect(calls[0]?.wanted.map(({ recorded }) => recorded)).toEqual([
    attributes,
    object("b").attributes,
  ]);
});

test("nothing recorded and nothing wanted: nothing is read", async () => {
  expect((await refreshed({ wants: [] })).calls).toEqual([]);
});

test("an endpoint that cannot be reached makes its objects unreadable, not missing", async () => {
  const objects = [object("a"), object("b", { provider: "fake.east" })];
  const { observations } = await refreshed({ objects, broken: ["fake.east"] });
  const statuses = Object.fromEntries(
    [...observations].map(([key, observation]) => [key.split("\u0000")[0], observation.status]),
  );
  expect(statuses).toEqual({ "fake_vm.a": "found", "fake_vm.b": "unreadable" });
  expect([...observations.values()].at(-1)).toMatchObject({ rule: "failed" });
});

test("wanted objects that no record holds are looked up by their key, in the same read", async () => {
  const answer: Answer = ({ identity }) => (identity === "new" ? missing : found({}));
  const { calls, lookups, observations } = await refreshed({
    objects: [object("a")],
    wants: [
      instance("fake_vm.a", { id: "a" }),
      instance("fake_vm.fresh", { id: "new" }),
      // A key that is not known yet cannot be looked up.
      instance("fake_vm.later", {}),
    ],
    answer,
  });
  expect(calls.map(({ wanted }) => wanted.map(({ identity }) => identity))).toEqual([["a", "new"]]);
  expect([...lookups]).toEqual([[vmAddress("fresh"), missing]]);
  expect([...observations.values()].map(({ status }) => status)).toEqual(["found"]);
});

test("what somebody refers to is asked for beyond the cheap attributes", async () => {
  const reference = { address: vmAddress("a"), attribute: "ip_address" };
  const { calls } = await refreshed({
    objects: [object("a"), object("b")],
    wants: [
      instance("fake_vm.a", { id: "a" }),
      instance("fake_vm.b", { id: "b" }, { references: [reference, reference] }),
    ],
  });
  expect(calls[0]?.wanted.map(({ attributes }) => attributes)).toEqual([["ip_address"], []]);
});

test("tools that did not answer last time are asked for again", async () => {
  const objects = [
    object("booting", { attributes: { ip_address: null } }),
    object("foreign", { attributes: {} }),
    object("running", { attributes: { ip_address: "10.0.0.1" } }),
  ];
  const { calls } = await refreshed({ objects });
  expect(calls[0]?.wanted.map(({ attributes }) => attributes)).toEqual([["ip_address"], [], []]);
});

test("what is in transition is read again until it is steady, and nothing else", async () => {
  const answer: Answer = ({ identity }, read) =>
    found({ power_state: identity === "b" && read < 3 ? "changing" : "on" });
  const objects = [object("a"), object("b"), object("c")];
  const { calls, observations, world } = await refreshed({ objects, answer });
  expect(calls.map(({ wanted }) => wanted.map(({ identity }) => identity))).toEqual([
    ["a", "b", "c"],
    ["b"],
    ["b"],
  ]);
  expect(world.clock.now() - startMs).toBe(200 + 400);
  expect([...observations.values()]).toEqual([
    found({ power_state: "on" }),
    found({ power_state: "on" }),
    found({ power_state: "on" }),
  ]);
});

test("a transition without an end does not hold up a refresh for ever", async () => {
  const answer: Answer = () => found({ power_state: "changing" });
  const { world } = await refreshed({ objects: [object("a")], answer });
  const elapsedMs = world.clock.now() - startMs;
  expect(elapsedMs).toBeGreaterThanOrEqual(30_000);
  expect(elapsedMs).toBeLessThan(35_000);
});

test("objects of a replace that is not finished are read by their own key", async () => {
  const objects = [object("a"), object("a", { objectKey: "deposed-1", identity: "old" })];
  const { observations } = await refreshed({ objects });
  expect([...observations.keys()]).toEqual([
    `${at("fake_vm.a")}\u0000current`,
    `${at("fake_vm.a")}\u0000deposed-1`,
  ]);
});

test.each<[string, LookupContext["known"], readonly string[]]>([
  ["the first round of looking up has its lines", new Map(), ["refresh-started", "refresh-ended"]],
  ["a later one has none", new Map([[at("fake_vm.b"), missing]]), []],
])("%s", async (_, known, lines) => {
  const world = engineWorld(() => Promise.resolve(session({ read: reads([missing]) })));
  const recorded = initialState("lineage", "journal", false);
  const desired = desiredOf([instance("fake_vm.a", { id: "a" })]);
  const context = { answers: new Map(), known, observations: new Map() };
  const looking = lookUpMore(world.ports, sessionsOf(world), recorded, desired, new Map(), context);
  const answers = await world.clock.until(looking);
  expect(answers.get(at("fake_vm.a"))).toEqual(missing);
  const told = world.events.map(({ kind }) => kind);
  expect(told.filter((kind) => kind.startsWith("refresh-"))).toEqual(lines);
});
