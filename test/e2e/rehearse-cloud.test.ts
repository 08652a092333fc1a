/**
 * Rehearsals of plans for a cloud: what they foretell happens, in the same place, when the plan is
 * applied; and the cloud itself is only read.
 */

import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { CloudDocument } from "../../src/simulators/cloud/world/world-document.ts";
import { publicJsonProblems } from "../cli/public-json.ts";
import { type CloudPlace, createCloudPlace, type Resources } from "./cloud-place.ts";
import { type Report, reportIn } from "./rehearsed.ts";

let place: CloudPlace;
afterEach(() => place.remove());

const consent = ["--allow", "power-off,power-cycle"];

/** The report, of a run that the cloud has answered reads alone. */
async function rehearsed(code: number, ...words: readonly string[]): Promise<Report> {
  const before = JSON.stringify(place.simulators.world().cloud.vms);
  let report: Report | undefined;
  const sent = await place.logged(async () => {
    const output = await place.run(code, "rehearse", ...words, "--json");
    expect(publicJsonProblems({ ...output, command: "rehearse --json" })).toStrictEqual([]);
    report = reportIn(output);
  });
  expect(sent.filter(({ class: sends }) => sends === "mutate")).toStrictEqual([]);
  expect(sent.length).toBeGreaterThan(0);
  expect(JSON.stringify(place.simulators.world().cloud.vms)).toBe(before);
  if (report === undefined) throw new Error("nothing was reported");
  return report;
}

/** Addresses that an apply of the same fails at, as its summary has them. */
async function appliedFailures(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await place.run(1, "apply", ...words, ...consent, "--json");
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  const failed = events.filter(({ type }) => type === "apply_errored");
  return failed.map(({ hook }) => hook?.resource.addr ?? "").toSorted();
}

type Event = { readonly type: string; readonly hook?: { readonly resource: { addr: string } } };

function addressesOf({ failures }: Report): readonly string[] {
  return failures.map(({ address = "" }) => address).toSorted();
}

const moves: Resources = {
  "cloud_vm.a": { name: "a", datastore: "fast" },
  "cloud_vm.b": { name: "b", datastore: "fast" },
};

const tight: CloudDocument = {
  datastores: { old: {}, fast: { capacity_mb: 40_000, used_mb: 10_000 } },
};

test("a datastore that is full is foretold, and the apply fails there", async () => {
  place = await createCloudPlace(tight);
  place.write(moves);
  const report = await rehearsed(4);
  expect(addressesOf(report)).toHaveLength(1);
  expect(report.failures[0]?.reason).toContain('Datastore "fast" has 13616 MB free');
  expect(report.datastores.find(({ name }) => name === "fast")).toMatchObject({
    capacity_mb: 40_000,
    before_mb: 10_000,
    peak_mb: 26_384,
  });
  expect(await appliedFailures("--auto-approve")).toStrictEqual(addressesOf(report));
});

test("a plan that goes well is foretold so, with its time, and what takes it", async () => {
  place = await createCloudPlace();
  place.write({
    ...moves,
    "cloud_snapshot.c": { vm: "${cloud_vm.c.href}", name: "before" },
    "cloud_vm.c": { name: "c" },
  });
  const report = await rehearsed(0);
  expect(report.succeeds).toBe(true);
  expect(report.operations.map(({ outcome }) => outcome)).toStrictEqual(
    report.operations.map(() => "success"),
  );
  expect(report.duration_ms).toBeGreaterThan(0);
  expect(report.paces).toContainEqual({ kind: "cloud cloud_vm relocate", samples: 0, ms: 100 });
  await place.run(0, "apply", "--auto-approve", ...consent);
});

test("rights and hardware that have gone since a plan was saved are foretold", async () => {
  place = await createCloudPlace();
  place.write({
    "cloud_vm.a": { name: "a", datastore: "fast", power: "off" },
    "cloud_vm.c": { name: "c", nested_hv_enabled: true },
    "cloud_vm.e": { name: "e", datastore: "fast" },
  });
  await place.run(0, "plan", "--out", place.file("saved.plan"));
  await place.change((world) => ({
    ...world,
    cloud: {
      ...world.cloud,
      vms: world.cloud.vms.map((vm) => ({
        ...vm,
        ...(vm.key === "a" ? { withheld: ["power"] as const } : {}),
        ...(vm.key === "c" ? { hardwareVersion: 8 } : {}),
      })),
    },
  }));
  place.excuse("violation");
  const report = await rehearsed(4, place.file("saved.plan"), ...consent);
  expect(addressesOf(report)).toStrictEqual(["cloud_vm.a", "cloud_vm.a", "cloud_vm.c"]);
  const reasons = report.failures.map(({ reason }) => reason).join("\n");
  expect(reasons).toContain("virtual hardware version 8");
  expect(await appliedFailures(place.file("saved.plan"))).toStrictEqual(addressesOf(report));
});

test("what the plan itself objects to is told with its code, and nothing is run", async () => {
  place = await createCloudPlace();
  place.write({
    "cloud_vm.a": { name: "a", datastore: "fast" },
    "cloud_vm.d": { name: "d", nested_hv_enabled: true, power: "off" },
  });
  const report = await rehearsed(4, ...consent);
  expect(report.failures).toMatchObject([{ address: "cloud_vm.d", code: "CLD011" }]);
  expect(report.operations.map(({ outcome }) => outcome)).toContain("skipped");
});

test("a power window is told with the time that it lasts, of VMs with earlier runs", async () => {
  place = await createCloudPlace();
  place.write({ "cloud_vm.a": { name: "a", nested_hv_enabled: true, power: "on" } });
  const report = await rehearsed(0, ...consent);
  expect(report.power_windows).toMatchObject([{ address: "cloud_vm.a" }]);
  const lasts = report.power_windows.map((one) => one.end_ms - one.start_ms);
  expect(Math.min(...lasts)).toBeGreaterThan(0);
});

test("it goes with a plan, as text, as messages and in its page", async () => {
  place = await createCloudPlace(tight);
  place.write(moves);
  const { stdout } = await place.run(4, "plan", "--rehearse", "--html", place.file("plan.html"));
  expect(stdout).toMatch(/Plan: .*\n[^]*Timeline[^]*What would fail[^]*\nRehearsal: /);
  const page = readFileSync(place.file("plan.html"), "utf8");
  expect(page).toContain("<h2>Rehearsal</h2>");
  expect(page).toContain("As rehearsed in a simulated twin");
  const json = await place.run(4, "plan", "--rehearse", "--json");
  expect(publicJsonProblems({ ...json, command: "plan --rehearse --json" })).toStrictEqual([]);
  const messages = json.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(messages).toContainEqual(expect.objectContaining({ type: "rehearsal" }));
});

const needing: Resources = {
  "cloud_vm.a": { name: "a", datastore: "fast" },
  "cloud_vm.b": { name: "b", power: "off" },
  "cloud_vm.c": { name: "c", nested_hv_enabled: true },
  "cloud_vm.e": { name: "e" },
  "cloud_snapshot.e": { vm: "${cloud_vm.e.href}", name: "before" },
};

const rights = ["power", "snapshot", "nested", "relocate"] as const;

async function withhold(withheld: readonly (typeof rights)[number][]): Promise<void> {
  await place.change(({ cloud, ...world }) => {
    const users = cloud.users.map((user) => ({ ...user, withheld: [...withheld] }));
    return { ...world, cloud: { ...cloud, users } };
  });
  place.excuse("violation");
}

test("each right that the user has lost since a plan was saved is told, and what needs it", async () => {
  place = await createCloudPlace();
  place.write(needing);
  await place.run(0, "plan", "--out", place.file("saved.plan"));
  await withhold(rights);
  const report = await rehearsed(4, place.file("saved.plan"), ...consent);
  expect([...new Set(addressesOf(report))]).toStrictEqual([
    ...["cloud_snapshot.e", "cloud_vm.a", "cloud_vm.b", "cloud_vm.c"],
  ]);
  for (const { reason } of report.failures) expect(reason).toContain("the user has no right to it");
  const { stdout } = await place.run(4, "rehearse", place.file("saved.plan"), ...consent);
  expect(stdout).toMatch(/cloud_vm\.a: move VM a to datastore fast: .*the user has no right to it/);
  expect(stdout).toContain("Rehearsal: 0 operations done, 5 failures");
  expect(await appliedFailures(place.file("saved.plan"))).toStrictEqual(addressesOf(report));
});

test("a right that only the attempt shows to be missing is in text, messages and page", async () => {
  place = await createCloudPlace();
  place.write(moves);
  await withhold(["relocate"]);
  const words = ["plan", "--rehearse", "--html", place.file("plan.html")];
  const said = /cloud_vm\.a[^]{0,400}the user has no right to it/;
  expect((await place.run(4, ...words)).stdout).toMatch(said);
  expect(readFileSync(place.file("plan.html"), "utf8")).toMatch(said);
  const { stdout } = await place.run(4, "plan", "--rehearse", "--json");
  expect(stdout).toContain("the user has no right to it");
});
