/** A look: one view for each provider, until something was waited for. */

import { expect, test } from "vitest";
import { expectedBy, lookWith } from "../../../../src/engine/look/look.ts";
import { refresh } from "../../../../src/engine/look/refresh.ts";
import type { View } from "../../../../src/model/provider/provider.ts";
import { initialState } from "../../../../src/state/initial.ts";
import { objectAt } from "../../state/samples.ts";
import { desiredOf, instance } from "../desired-builder.ts";
import { engineWorld, found, session, sessionsOf } from "../engine-world.ts";

/** A world whose sessions keep the view of each call. */
function watched(powers: readonly string[] = []) {
  const views: (readonly [string, View | undefined])[] = [];
  const keep = (what: string, view: View | undefined): void => void views.push([what, view]);
  let reads = 0;
  const world = engineWorld((provider) =>
    Promise.resolve(
      session({
        read: (wanted, view) => {
          keep(`${provider} read`, view);
          const power = powers[reads] ?? "on";
          reads += 1;
          return Promise.resolve(wanted.map(() => found({ power_state: power })));
        },
        facts: (requests, view) => {
          keep(`${provider} facts`, view);
          return Promise.resolve(requests.map(() => ({ status: "read", facts: {} })));
        },
        list: (_type, view) => {
          keep(`${provider} list`, view);
          return Promise.resolve([]);
        },
        readData: (_type, _query, view) => {
          keep(`${provider} data`, view);
          return Promise.resolve({});
        },
      }),
    ),
  );
  return { world, views, sessions: sessionsOf(world) };
}

test("every call of one provider has the same view, and another provider another", async () => {
  const { views, sessions } = watched();
  const look = lookWith(sessions, () => 3);
  for (const provider of ["fake", "fake", "fake.east"]) {
    const one = await look.get(provider, null);
    await one.read([]);
    await one.facts?.([]);
    await one.list?.("fake_vm");
    await one.readData?.("fake_vms", {});
  }
  const of = (provider: string) =>
    new Set(views.flatMap(([what, view]) => (what.startsWith(`${provider} `) ? [view] : [])));
  expect([of("fake").size, of("fake.east").size]).toEqual([1, 1]);
  expect(of("fake")).not.toEqual(new Set([undefined]));
  expect([...of("fake")][0]).not.toBe([...of("fake.east")][0]);
  expect([...of("fake")][0]?.expected("fake_vm")).toBe(3);
});

test("a session itself reads anew", async () => {
  const { views, sessions } = watched();
  await (await sessions.get("fake", null)).read([]);
  expect(views).toEqual([["fake read", undefined]]);
});

test("what was waited for is read in a view of its own, and so is all after it", async () => {
  const { world, views, sessions } = watched(["changing", "changing", "on"]);
  const look = lookWith(sessions, () => 300);
  const objects = [objectAt("fake_vm.a", { type: "fake_vm", provider: "fake", identity: "a" })];
  const recorded = { ...initialState("lineage", "journal", false), objects };
  await world.clock.until(refresh(world.ports, look, recorded, undefined, new Map()));
  await (await look.get("fake", null)).facts?.([]);
  const [first, second, third, facts] = views.map(([, view]) => view);
  expect(new Set([first, second, third]).size).toBe(3);
  expect(facts).toBe(third);
  // A wait for one object is not worth the list of all.
  expect([first, third].map((view) => view?.expected("fake_vm"))).toEqual([300, 0]);
});

test("what planning will read: recorded objects, and wanted ones beside them", () => {
  const at = (name: string, provider = "fake") =>
    objectAt(`fake_vm.${name}`, { type: "fake_vm", provider, identity: name });
  const objects = [at("a"), at("b"), at("east", "fake.east")];
  const recorded = { ...initialState("lineage", "journal", false), objects };
  const desired = desiredOf([instance("fake_vm.a", { id: "a" }), instance("fake_vm.c", {})]);
  const counts = (expected: ReturnType<typeof expectedBy>) =>
    ["fake", "fake.east", "other"].map((provider) => expected(provider, "fake_vm"));
  expect(counts(expectedBy(recorded, undefined))).toEqual([2, 1, 0]);
  expect(counts(expectedBy(recorded, desired))).toEqual([3, 1, 0]);
  expect(expectedBy(recorded, desired)("fake", "fake_folder")).toBe(0);
});
