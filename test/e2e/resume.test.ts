/** `vmform apply --resume PLAN`: what is left of a saved plan that was cut off, and no more. */

import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlace, type Place } from "./place.ts";
import { powerVm } from "./simulator.ts";

const timeouts = "timeouts: { create: 2s, power: 2s, delete: 2s, update: 2s }";
const vm = (id: string, power: string): string =>
  `  daemon_vm.${id}: { id: ${id}, power: ${power}, ${timeouts} }`;
/** The copy is made of a value that is known after apply. */
const copy = `  daemon_vm.c: { id: c, parent_id: "\${daemon_vm.a.id}", power: off, ${timeouts} }`;
const estate = [vm("a", "off"), vm("b", "on"), copy].join("\n");
const refused = { refusal: { status: 500, message: "VIX Error: broken, operation: x" } } as const;

let place: Place;
beforeEach(async () => {
  place = await createPlace();
  place.write(estate);
});
afterEach(() => place.remove());

async function sent(code: number, ...words: readonly string[]) {
  let said = "";
  const entries = await place.mutations(async () => {
    const { stdout, stderr } = await place.run(code, ...words);
    said = `${stdout}\n${stderr}`;
  });
  const requests = entries.map(({ method, path, body }) => `${method} ${path} ${body}`);
  return { requests: requests.toSorted(), said };
}

/** A plan that was applied up to a refusal. */
async function cutOff(...allow: readonly string[]): Promise<readonly string[]> {
  await place.run(0, "plan", ...allow, "--out", place.file("p.plan"));
  place.simulators.setFaults({ faults: [{ on: "PATCH /api/vms/power/b", ...refused }] });
  const { requests } = await sent(1, "apply", place.file("p.plan"));
  place.simulators.setFaults(undefined);
  return requests;
}

test("what is left is applied, then there is nothing left", async () => {
  const first = await cutOff();
  const stale = await sent(1, "apply", place.file("p.plan"));
  expect(stale.requests).toEqual([]);
  expect(stale.said).toContain("vmform apply --resume FILE");
  const rest = await sent(0, "apply", "--resume", place.file("p.plan"));
  expect(rest.requests).toEqual(first.filter((one) => one.includes("power/b")));
  const again = await sent(0, "apply", "--resume", place.file("p.plan"));
  expect(again.requests).toEqual([]);
  await place.run(0, "plan", "--detailed-exitcode");
});

test("a plan that nothing was done of is applied as it is", async () => {
  await place.run(0, "plan", "--out", place.file("p.plan"));
  // As a saved plan is: what the configuration wants by now, is not looked at.
  place.write(vm("z", "off"));
  const { requests } = await sent(0, "apply", "--resume", place.file("p.plan"));
  expect(requests.join("\n")).not.toContain('"z"');
  expect(requests.length).toBeGreaterThanOrEqual(3);
});

test.each<[string, string, string | undefined, RegExp]>([
  [
    "another object",
    [estate, vm("z", "off")].join("\n"),
    undefined,
    /create .*z.* \(daemon_vm\.z\)/i,
  ],
  [
    "other values",
    estate.replaceAll("daemon_vm.b: { id: b,", "daemon_vm.b: { id: bb,"),
    undefined,
    /daemon_vm\.b/,
  ],
  ["another way", estate.replace("power: on", "power: off"), "a", /daemon_vm\.a/],
  ["a disruption", [vm("a", "off"), vm("b", "on")].join("\n"), undefined, /daemon_vm\.c/],
])("%s is more than was approved", async (_, resources, poweredOn, says) => {
  await cutOff();
  if (poweredOn !== undefined) await place.simulators.change(powerVm(poweredOn, "on"));
  place.write(resources);
  const { requests, said } = await sent(
    1,
    "apply",
    "--resume",
    place.file("p.plan"),
    "--allow",
    "destroy,replace,power-off",
  );
  expect(requests).toEqual([]);
  expect(said).toContain("CLI060");
  expect(said).toMatch(says);
});

test("less than was approved is applied", async () => {
  await cutOff();
  place.write(estate.replace("power: on", "power: off"));
  const { requests } = await sent(0, "apply", "--resume", place.file("p.plan"));
  expect(requests).toEqual([]);
});

test("without a plan it is a slip", async () => {
  const { said } = await sent(1, "apply", "--resume");
  expect(said).toContain("--resume FILE");
});

test("a plan of another state is refused", async () => {
  await cutOff();
  await place.run(0, "destroy", "--auto-approve", "--allow", "destroy,power-off");
  rmSync(place.file("state"), { recursive: true });
  await place.run(0, "apply", "--auto-approve");
  await place.run(0, "plan", "--out", place.file("q.plan"));
  rmSync(place.file("state"), { recursive: true });
  await place.run(1, "apply", "--auto-approve");
  const { requests, said } = await sent(1, "apply", "--resume", place.file("q.plan"));
  expect(requests).toEqual([]);
  expect(said).toContain("another state");
});
