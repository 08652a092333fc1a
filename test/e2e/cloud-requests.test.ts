/** How many requests of which kind a run sends, and that each logs in once and out once. */

import { afterEach, describe, expect, test } from "vitest";
import type { CloudDocument } from "../../src/simulators/cloud/world/world-document.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { amount, onlyInLongRun, some } from "../helpers/amount.ts";
import { type CloudPlace, createCloudPlace, isMutation, type Resources } from "./cloud-place.ts";

let place: CloudPlace;
afterEach(() => place.remove());

/** VMs `vm-0` and so on, in vApps of `perVapp`. */
function inventory(count: number, perVapp: number, rules: CloudDocument["rules"]): CloudDocument {
  const vapps: { [key: string]: { vms: { [key: string]: object } } } = {};
  for (let index = 0; index < count; index += 1) {
    const key = `vapp-${Math.floor(index / perVapp)}`;
    (vapps[key] ??= { vms: {} }).vms[`vm-${index}`] = { power: "on" };
  }
  return { vapps, ...(rules === undefined ? {} : { rules }) };
}

function vms(count: number, attributes: Resources[string] = {}): Resources {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `cloud_vm.v${index}`,
      { name: `vm-${index}`, ...attributes },
    ]),
  );
}

/** Requests of each kind, as `GET query`. */
function kinds(log: readonly LoggedRequest[]): { readonly [kind: string]: number } {
  const counts: { [kind: string]: number } = {};
  for (const { method, path } of log) {
    const [, what = ""] = /^\/api\/([^/?]+)/.exec(path) ?? [];
    counts[`${method} ${what}`] = (counts[`${method} ${what}`] ?? 0) + 1;
  }
  return counts;
}

/** Of every run that asks anything. */
const session = { "GET versions": 1, "POST sessions": 1, "DELETE session": 1 };

/** What `--json` says was sent while refreshing. */
function requestsTold(stdout: string): number {
  const messages = stdout.split("\n").filter((line) => line.includes('"refresh_complete"'));
  const counts = messages.map((line) => (JSON.parse(line) as { requests: number }).requests);
  expect(counts.length).toBeGreaterThan(0);
  return counts.reduce((sum, count) => sum + count, 0);
}

const caps = [
  { cap: 50, pages: 7 },
  { cap: 128, pages: 3 },
];

describe.each(some(caps, 1))(
  "of an inventory of 300, in pages of at most $cap",
  ({ cap, pages }) => {
    const counts = [
      // A few are asked for by name.
      { count: 20, queries: 1 },
      { count: 21, queries: pages },
      { count: 5, queries: 1 },
      { count: 150, queries: pages },
      { count: 300, queries: pages },
    ];
    test.each(counts.slice(0, amount(2, counts.length)))(
      "planning $count VMs costs $queries queries",
      async ({ count, queries }) => {
        place = await createCloudPlace(inventory(300, 10, { page_size_max: cap }));
        place.write(vms(count));
        await place.run(0, "apply", "--auto-approve");
        let told = 0;
        const planned = await place.logged(async () => {
          const { stdout } = await place.run(0, "plan", "--detailed-exitcode", "--json");
          told = requestsTold(stdout);
        });

        expect(kinds(planned)).toEqual({ ...session, "GET query": queries });
        // What is told is told before the logout.
        expect(told).toBe(planned.length - 1);
        const compared = await place.logged(() => place.run(0, "drift"));
        // Drift lists what nobody manages, and so has the recorded ones as well.
        expect(kinds(compared)).toEqual({ ...session, "GET query": pages });
      },
    );
  },
);

test("a flag that only the VM itself tells costs one read of each vApp with some that set it", async () => {
  place = await createCloudPlace(inventory(60, 10, undefined));
  place.write({ ...vms(40), ...vms(7, { nested_hv_enabled: false }) });
  await place.run(0, "apply", "--auto-approve");
  const sent = await place.logged(() => place.run(0, "plan", "--detailed-exitcode"));
  expect(kinds(sent)).toEqual({
    ...session,
    ...{ "GET query": 1, "GET vApp": 1 },
  });
});

describe("what one run asks for several times is read once", () => {
  const datastores = { old: {}, fast: {} };
  const byHref = (): string => `${place.simulators.origins.cloud}${place.pathOf("vm-3")}`;

  /** Data sources of every kind; each reads what the others and refresh read, too. */
  const sources = (): Resources => ({
    "cloud_vm.named": { name: "vm-2", vapp_name: "vapp-0" },
    "cloud_vm.linked": { href: byHref() },
    "cloud_query.all": { type: "adminVM" },
    "cloud_query.names": { type: "adminVM", fields: ["name", "datastoreName"] },
    "cloud_datastore.fast": { name: "fast" },
    "cloud_datastore.old": { name: "old" },
  });

  test.each([
    // The pages of VMs, and one of datastores.
    { count: 30, asked: { "GET query": 2 } },
    // The first two ask for one VM each, before somebody asks for all; refresh does not ask again.
    { count: 3, asked: { "GET query": 3, "GET vApp": 1 } },
  ])("data sources beside $count VMs", async ({ count, asked }) => {
    place = await createCloudPlace({ ...inventory(60, 10, undefined), datastores });
    const resources = vms(count, { datastore: "old" });
    place.write(resources);
    await place.run(0, "apply", "--auto-approve");
    place.write(resources, {}, { data: sources() });
    const sent = await place.logged(() => place.run(0, "plan", "--detailed-exitcode"));
    expect(kinds(sent)).toEqual({ ...session, ...asked });
  });

  test("a VM that is read for its flag is not read again for its change", async () => {
    place = await createCloudPlace({ ...inventory(30, 10, undefined), datastores });
    place.write(vms(5, { nested_hv_enabled: false }));
    await place.run(0, "apply", "--auto-approve");
    place.write(vms(5, { nested_hv_enabled: false, datastore: "fast" }));
    const sent = await place.logged(() => place.run(2, "plan", "--detailed-exitcode"));
    // All datastores, for the moves.
    expect(kinds(sent)).toEqual({ ...session, "GET query": 2, "GET vApp": 1 });
  });

  test("importing all reads the list once", onlyInLongRun, async () => {
    place = await createCloudPlace(inventory(60, 10, undefined));
    place.write({});
    const sent = await place.logged(() => place.run(0, "import", "--all", "cloud_vm"));
    expect(kinds(sent)).toEqual({ ...session, "GET query": 1 });
  });

  test("a data source that waits for a change reads what is there after it", async () => {
    place = await createCloudPlace({ ...inventory(30, 10, undefined), datastores });
    const moved = "cloud_vm.v1";
    place.write(vms(2, { datastore: "old" }));
    await place.run(0, "apply", "--auto-approve");
    place.write(
      { ...vms(2, { datastore: "old" }), [moved]: { name: "vm-1", datastore: "fast" } },
      {},
      {
        data: {
          "cloud_vm.before": { name: "vm-1" },
          "cloud_vm.after": { name: `\${${moved}.name}`, depends_on: [moved] },
        },
        outputs: {
          before: { value: "${data.cloud_vm.before.datastore}" },
          after: { value: "${data.cloud_vm.after.datastore}" },
        },
      },
    );
    const { stdout } = await place.run(0, "apply", "--auto-approve");
    expect(stdout).toMatch(/^after: "fast"$/m);
    expect(stdout).toMatch(/^before: "old"$/m);
  });
});

describe("a run logs in once and out once", () => {
  const allow = ["--allow", "power-off,power-cycle"];
  const moving = vms(4, { datastore: "fast" });

  /** Sessions that were opened, and those that were logged out of. */
  async function sessionsOf(work: () => Promise<unknown>): Promise<readonly number[]> {
    const before = place.simulators.sessions();
    await work();
    const { opened, loggedOut, open } = place.simulators.sessions();
    expect(open).toEqual([]);
    return [opened - before.opened, loggedOut - before.loggedOut];
  }

  test.each<readonly [string, Resources, number, readonly string[]]>([
    ["planning", moving, 2, ["plan", "--detailed-exitcode"]],
    ["applying", moving, 0, ["apply", "--auto-approve"]],
    ["comparing", moving, 0, ["drift", "--allow-empty"]],
    ["importing all", {}, 0, ["import", "--all", "cloud_vm"]],
    ["what consent is missing for", vms(1, { power: "off" }), 1, ["apply", "--auto-approve"]],
    ["what nobody can be asked about", moving, 1, ["apply"]],
    ["what cannot be planned", vms(9, { datastore: "nowhere" }), 1, ["plan"]],
    ["an object that is not there", vms(10), 1, ["plan"]],
  ])("%s", async (_what, resources, code, words) => {
    place = await createCloudPlace(inventory(9, 3, undefined));
    place.write(resources);
    expect(await sessionsOf(() => place.run(code, ...words))).toEqual([1, 1]);
  });

  test("destroying", onlyInLongRun, async () => {
    place = await createCloudPlace(inventory(4, 1, undefined));
    place.write(vms(4));
    await place.run(0, "apply", "--auto-approve");
    expect(await sessionsOf(() => place.run(0, "destroy", "--auto-approve"))).toEqual([1, 1]);
  });

  test("an apply that fails", onlyInLongRun, async () => {
    place = await createCloudPlace(inventory(4, 1, undefined));
    place.write(moving);
    await place.setFaults({ on: "POST /api/vApp/*/action/relocate", task: { end: "error" } });
    const applied = sessionsOf(() => place.run(1, "apply", "--auto-approve", ...allow));
    expect(await applied).toEqual([1, 1]);
  });

  test("not at all for a configuration that cannot be read", async () => {
    place = await createCloudPlace(inventory(1, 1, undefined));
    place.write({ "cloud_vm.v0": { nmae: "vm-0" } });
    const sent = await place.logged(() => place.run(1, "plan"));
    expect(sent).toEqual([]);
  });
});

/** Simulated time after which every session has ended. */
const idleMs = 31 * 60_000;

describe("a session that ends in the middle", () => {
  const count = 8;
  const datastores = { old: {}, fast: {} };

  async function start(): Promise<void> {
    place = await createCloudPlace({ ...inventory(count, 1, undefined), datastores });
  }

  /** Requests that match are held up until all of them are there and the session has ended. */
  async function whileHeldUp(on: string, work: () => Promise<unknown>): Promise<void> {
    await place.setFaults({ on, times: count, delay_ms: idleMs });
    const before = place.simulators.log().length;
    const done = work();
    const held = (): number =>
      place.simulators.log().filter(({ n, fault }) => n > before && fault !== null).length;
    while (held() < count) await new Promise((resolve) => setTimeout(resolve, 5));
    place.simulators.clock.advance(idleMs);
    await done;
  }

  /** One session ended by itself, the one after it was logged out of. */
  function expectOneRenewal(log: readonly LoggedRequest[]): void {
    expect(log.filter(({ path }) => path === "/api/sessions")).toHaveLength(2);
    expect(log.filter((entry) => entry.status === 401)).toHaveLength(count);
    const { open, idledOut } = place.simulators.sessions();
    expect({ open, idledOut }).toEqual({ open: [], idledOut: 1 });
  }

  test("of a plan: eight reads share one login, and each is answered", async () => {
    await start();
    place.write(vms(count, { nested_hv_enabled: false }), { parallel_reads: count });
    const sent = await place.logged(() =>
      whileHeldUp("GET /api/vApp/*", () => place.run(2, "plan", "--detailed-exitcode")),
    );
    expectOneRenewal(sent);
    expect(kinds(sent)["GET vApp"]).toBe(2 * count);
  });

  test.each([
    ["while it polls", "GET /api/task/*", count],
    ["while it sends", "POST /api/vApp/*/action/relocate", 2 * count],
  ])("of an apply, %s: eight requests share one login, eight VMs are moved", async (...row) => {
    const [, on, posts] = row;
    await start();
    place.write(vms(count, { datastore: "fast" }), { parallel_reads: count });
    const sent = await place.logged(() =>
      whileHeldUp(on, () => place.run(0, "apply", "--auto-approve")),
    );
    expectOneRenewal(sent);
    const mutations = sent.filter(isMutation);
    expect(mutations).toHaveLength(posts);
    const effective = mutations.filter(({ effect }) => effect).map(({ path }) => path);
    expect(new Set(effective).size).toBe(count);
    expect(effective).toHaveLength(count);
    await place.run(0, "plan", "--detailed-exitcode");
  });
});
