/** Saved plans: applied once, exactly, and only to the recorded state they were made from. */

import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlace, neighbour, type Place, serialOf } from "./place.ts";

const one = "  daemon_vm.web: { id: web, power: on }";
const two = `${one}\n  daemon_vm.other: { id: other }`;
const allow = ["--allow", "power-off,replace,destroy"];

let place: Place;
beforeEach(async () => {
  place = await createPlace();
  place.write(one);
});
afterEach(() => place.remove());

async function refused(plan: string, reason: RegExp, at = place): Promise<void> {
  const sent = await place.mutations(async () => {
    const { stderr } = await at.run(1, "apply", plan);
    expect(stderr).toMatch(reason);
  });
  expect(sent).toEqual([]);
}

test("applied once, refused the second time", async () => {
  const plan = place.file("a.plan");
  await place.run(0, "plan", "--out", plan);
  const sent = await place.mutations(() => place.run(0, "apply", plan));
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /api/vms",
    "PATCH /api/vms/power/web",
  ]);
  await refused(plan, /applied already|since/);
  await place.run(0, "plan", "--detailed-exitcode");
});

test("refused after another apply, also one without any operation", async () => {
  await place.run(0, "apply", "--auto-approve");
  const plan = place.file("a.plan");
  place.write(two);
  await place.run(0, "plan", "--out", plan);
  place.write(one);
  const serial = serialOf(place);
  const sent = await place.mutations(() => place.run(0, "apply", "--auto-approve"));
  expect(sent).toEqual([]);
  expect(serialOf(place)).toBe(serial + 1);
  await refused(plan, /serial/);
});

test("an empty plan, applied, makes the others stale", async () => {
  await place.run(0, "apply", "--auto-approve");
  await place.run(0, "plan", "--out", place.file("empty.plan"));
  place.write(two);
  await place.run(0, "plan", "--out", place.file("two.plan"));
  const serial = serialOf(place);
  await place.run(0, "apply", place.file("empty.plan"));
  expect(serialOf(place)).toBe(serial + 1);
  await refused(place.file("two.plan"), /serial/);
  await refused(place.file("empty.plan"), /serial/);
});

test("refused for another recorded state", async () => {
  await place.run(0, "apply", "--auto-approve");
  const other = neighbour(place);
  other.write("  daemon_vm.there: { id: there }");
  await other.run(0, "apply", "--auto-approve");
  const plan = other.file("there.plan");
  other.write("  daemon_vm.there: { id: there, power: on }");
  await other.run(0, "plan", "--out", plan);
  await refused(plan, /another state/);
  expect(place.power("there")).toBe("off");
});

test("refused when cut or edited", async () => {
  const plan = place.file("a.plan");
  await place.run(0, "plan", "--out", plan);
  const text = readFileSync(plan, "utf8");
  const edited = text.replaceAll('"web"', '"wed"');
  expect(edited).not.toBe(text);
  const damaged = place.file("damaged.plan");
  for (const bad of [edited, text.slice(0, -10), text.slice(0, 20), "", "{}", `${text}x`]) {
    writeFileSync(damaged, bad);
    await refused(damaged, /./);
  }
  await place.run(0, "apply", plan);
});

test("keeps the consent it was made with, and no more", async () => {
  await place.run(0, "apply", "--auto-approve");
  place.write("  daemon_vm.web: { id: web, power: off }");
  await place.run(0, "plan", "--out", place.file("without.plan"));
  await refused(place.file("without.plan"), /power-off/);
  await place.run(0, "plan", "--out", place.file("with.plan"), ...allow);
  await place.run(0, "apply", place.file("with.plan"));
  expect(place.power("web")).toBe("off");
});
