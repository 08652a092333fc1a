/**
 * Data sources against a simulated daemon: what is asked when, what plans show and applies do with
 * the answers, and that drift and destroy ask nothing.
 */

import { join } from "node:path";
import { expect, test } from "vitest";
import type { Output } from "../../helpers/program.ts";
import { type Workplace, workplace } from "./command-line.ts";

const fast = { create: 1, clone: 1, power_on: 1, tools: 1, address: 1, power_off: 1, shutdown: 1 };
const vms = { old: { tag: "keep" }, other: { tag: "drop" } };
const world = { daemon: { durations_ms: fast, vms } };

const provider = "providers: { daemon: { url: DAEMON } }\n";

async function configured(text: string): Promise<Workplace> {
  const place = await workplace(world);
  place.write({ "main.vmform.yaml": provider + text });
  return place;
}

const apply = (place: Workplace, ...words: readonly string[]): Promise<Output> =>
  place.run("apply", "--auto-approve", ...words);

/** Paths of the requests since the last call that a predicate takes. */
function taken(place: Workplace, takes: (request: string) => boolean): readonly string[] {
  const from = seen.get(place) ?? 0;
  const log = place.daemon.log();
  seen.set(place, log.length);
  return log
    .slice(from)
    .map(({ method, path }) => `${method} ${path}`)
    .filter(takes);
}
const seen = new WeakMap<Workplace, number>();

const byTag = (request: string): boolean => request.includes("?tags=");

/**
 * Fails the query by tags of a configuration's first run. Faults know no query strings, so a run on
 * another daemon tells which list of VMs it is, and operations come one after the other.
 */
async function breakQuery(place: Workplace, text: string, command: readonly string[]) {
  const intact = await configured(text);
  await intact.run(...command);
  const lists = taken(intact, (request) => /^GET \/api\/vms(\?|$)/.test(request));
  const nth = lists.findIndex(byTag) + 1;
  expect(nth).toBeGreaterThan(0);
  const body = JSON.stringify({ faults: [{ on: "GET /api/vms", nth, foreign: { status: 404 } }] });
  const url = `${place.daemon.origins.daemon}/_simulator/faults`;
  expect((await fetch(url, { method: "POST", body })).status).toBe(200);
}
const oneByOne = ["apply", "--auto-approve", "--parallelism", "1"] as const;

test("an answer names what is made, also in a key, and a second plan is empty", async () => {
  const place = await configured(`
data: { daemon_vms.kept: { tags: [keep] } }
locals: { first: "\${data.daemon_vms.kept.ids[0]}" }
resources:
  daemon_vm.copy: { id: "\${locals.first}-copy", parent_id: "\${locals.first}", power: on }
outputs: { kept: { value: "\${data.daemon_vms.kept.ids}" } }
`);
  const planned = await place.run("plan");
  expect(planned).toMatchObject({ code: 0, stderr: "" });
  expect(planned.stdout).toContain('+ id:         "old-copy"');
  expect(planned.stdout).not.toContain("<=");
  expect(taken(place, byTag)).toEqual(["GET /api/vms?tags=keep"]);
  expect(await apply(place)).toMatchObject({ code: 0 });
  expect(
    place.daemon
      .world()
      .daemon.vms.map(({ id }) => id)
      .toSorted(),
  ).toEqual(["old", "old-copy", "other"]);
  expect((await place.run("output", "--json")).stdout).toContain('"old"');
  expect((await place.run("plan", "--detailed-exitcode")).code).toBe(0);
});

/** The list is asked for after the VM is there, and something is made of it. */
const late = `
data:
  daemon_vms.all: { depends_on: [daemon_vm.first] }
  daemon_vms.same: { depends_on: [daemon_vm.first] }
  daemon_vms.tagged: { tags: ["\${daemon_vm.first.tag}"], depends_on: [data.daemon_vms.all] }
resources:
  daemon_vm.first: { id: first, tag: keep }
  daemon_vm.named:
    id: named
    name: "\${data.daemon_vms.all.ids.join(\\"+\\")} of \${data.daemon_vms.tagged.vm_count}"
  daemon_vm.also: { id: also, name: "\${data.daemon_vms.same.ids[0]}" }
outputs: { count: { value: "\${data.daemon_vms.all.vm_count}" } }
`;

test("what depends on a change is read during apply, as the plan says", async () => {
  const place = await configured(late);
  const planned = await place.run("plan");
  expect(planned).toMatchObject({ code: 0, stderr: "" });
  expect(planned.stdout).toContain(
    " <= data.daemon_vms.all will be read during apply, after daemon_vm.first\n",
  );
  expect(planned.stdout).toContain("(known after apply)");
  expect(taken(place, byTag)).toEqual([]);
  expect(await apply(place)).toMatchObject({ code: 0 });
  const made = taken(place, (request) => byTag(request) || request.startsWith("POST"));
  expect(made.filter(byTag)).toEqual(["GET /api/vms?tags=keep"]);
  expect(made.indexOf("GET /api/vms?tags=keep")).toBeGreaterThan(made.indexOf("POST /api/vms"));
  const names = place.daemon.world().daemon.vms.map(({ id, name }) => [id, name]);
  expect(Object.fromEntries(names)).toMatchObject({ named: "first+old+other of 2", also: "first" });
  expect((await place.run("output", "count")).stdout).toBe("count: 3\n");
});

test("a saved plan carries what it needs to read later", async () => {
  const place = await configured(late);
  const file = join(place.folder, "saved");
  expect(await place.run("plan", "--out", file)).toMatchObject({ code: 0 });
  expect(await place.run("apply", file)).toMatchObject({ code: 0, stderr: "" });
  const named = place.daemon.world().daemon.vms.find(({ id }) => id === "named");
  expect(named?.name).toBe("first+old+other of 2");
});

test("a known answer stands while applying: the plan is what is done", async () => {
  const place = await configured(`
data: { daemon_vms.all: {} }
resources:
  daemon_vm.first: { id: first, power: on }
  daemon_vm.named:
    id: named
    name: "\${data.daemon_vms.all.ids.join(\\"+\\")} \${daemon_vm.first.ip_address != null}"
`);
  expect(await apply(place)).toMatchObject({ code: 0 });
  const named = place.daemon.world().daemon.vms.find(({ id }) => id === "named");
  expect(named?.name).toBe("old+other true");
});

const readAtOnce = `
data: { daemon_vms.x: { tags: [keep] } }
resources:
  daemon_vm.user: { id: user, name: "\${data.daemon_vms.x.ids[0]}" }
  daemon_vm.free: { id: free }
`;

test("one that cannot be read blocks what uses it, and nothing else", async () => {
  const place = await configured(readAtOnce);
  const isMade = (wanted: string): boolean =>
    place.daemon.world().daemon.vms.some(({ id }) => id === wanted);
  await breakQuery(place, readAtOnce, ["plan"]);
  const planned = await place.run("plan");
  expect(planned.code).toBe(1);
  expect(planned.stdout).toContain("data.daemon_vms.x: ");
  expect(planned.stdout).toContain("PLN021");
  expect(planned.stdout).toContain("+ daemon_vm.free:");
  expect(planned.stdout).not.toContain("+ daemon_vm.user:");
  await breakQuery(place, readAtOnce, oneByOne);
  expect((await place.run(...oneByOne)).code).toBe(1);
  expect(isMade("free")).toBe(false);
  await breakQuery(place, readAtOnce, oneByOne);
  expect((await place.run(...oneByOne, "--allow-partial")).code).toBe(1);
  expect([isMade("free"), isMade("user")]).toEqual([true, false]);
});

const readLate = `
data: { daemon_vms.x: { tags: [keep], depends_on: [daemon_vm.first] } }
resources: { daemon_vm.first: { id: first, tag: keep } }
`;

test("one that cannot be read during apply fails what uses it; the next run goes on", async () => {
  const text = `
data: { daemon_vms.x: { tags: [keep], depends_on: [daemon_vm.first] } }
resources:
  daemon_vm.first: { id: first, tag: keep }
  daemon_vm.user: { id: user, name: "\${data.daemon_vms.x.ids[0]}" }
  daemon_vm.after: { id: after, depends_on: [daemon_vm.user] }
  daemon_vm.free: { id: free }
`;
  const place = await configured(text);
  await breakQuery(place, text, oneByOne);
  const broken = await place.run(...oneByOne);
  expect(broken.code).toBe(1);
  expect(broken.stdout + broken.stderr).toContain("data.daemon_vms.x: GET /api/vms?tags=keep");
  const made = (): readonly string[] =>
    place.daemon
      .world()
      .daemon.vms.map(({ id }) => id)
      .toSorted();
  expect(made()).toEqual(["first", "free", "old", "other"]);
  expect((await apply(place)).code).toBe(0);
  expect(made()).toEqual(["after", "first", "free", "old", "other", "user"]);
});

test("an output that alone needs it is missing then, which is no success", async () => {
  const text = `${readLate}outputs: { known: { value: "\${data.daemon_vms.x.vm_count}" } }\n`;
  const place = await configured(text);
  await breakQuery(place, text, oneByOne);
  const broken = await place.run(...oneByOne);
  expect(broken.code).toBe(1);
  expect(broken.stdout + broken.stderr).toContain("RUN006");
  expect((await apply(place)).code).toBe(0);
  expect((await place.run("output", "known")).stdout).toBe("known: 2\n");
});

test("drift and destroy ask nothing", async () => {
  const place = await configured(`
data: { daemon_vms.x: { tags: [keep] } }
resources: { daemon_vm.user: { id: user, name: "\${data.daemon_vms.x.ids[0]}" } }
`);
  expect((await apply(place)).code).toBe(0);
  taken(place, byTag);
  expect((await place.run("drift")).code).toBe(0);
  expect((await place.run("destroy", "--auto-approve")).code).toBe(0);
  expect(taken(place, byTag)).toEqual([]);
  expect(
    place.daemon
      .world()
      .daemon.vms.map(({ id }) => id)
      .toSorted(),
  ).toEqual(["old", "other"]);
});

test("with a target only what it uses is asked for", async () => {
  const place = await configured(`
data: { daemon_vms.x: { tags: [keep] }, daemon_vms.y: { tags: [drop] } }
resources:
  daemon_vm.a: { id: a, name: "\${data.daemon_vms.x.ids[0]}" }
  daemon_vm.b: { id: b, name: "\${data.daemon_vms.y.ids[0]}" }
`);
  expect((await apply(place, "--target", "daemon_vm.b")).code).toBe(0);
  expect(taken(place, byTag)).toEqual(["GET /api/vms?tags=drop"]);
});
