import { afterEach, expect, test } from "vitest";
import type { Observation, Wanted } from "../../../../../src/model/provider/observation.ts";
import {
  type CloudSession,
  forbidden,
  type Inventory,
  lookedUp,
  snapshotXml,
  startInventory,
  type TestVm,
  vmPath,
  wantedVm,
} from "../cloud-inventory.ts";
import { type CloudScript, neutralWords, vendorWords } from "../scripted-cloud.ts";

let open: CloudSession | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(inventory: Inventory, script: CloudScript = {}): Promise<CloudSession> {
  open = await startInventory(inventory, script);
  return open;
}

async function readOne(
  inventory: Inventory,
  wanted: Wanted,
  script: CloudScript = {},
): Promise<{ readonly observation: Observation; readonly asked: readonly string[] }> {
  const { session, asked } = await start(inventory, script);
  const [observation] = await session.read([wanted]);
  if (observation === undefined) throw new Error("nothing was observed");
  return { observation, asked: asked() };
}

const tenant: CloudScript = { org: "Org1" };
const many = (count: number): readonly TestVm[] =>
  Array.from({ length: count }, (_, index) => ({ id: `n${index}` }));

test.each([neutralWords, vendorWords])(
  "attributes of a record, in $cookie's words",
  async (words) => {
    const vms = [{ id: "a", name: "db", status: "POWERED_ON", deployed: true }];
    const { observation, asked } = await readOne({ vms }, wantedVm("a"), { words });
    expect(observation).toEqual({
      status: "found",
      identity: vmPath("a"),
      attributes: {
        href: vmPath("a"),
        name: "db",
        vapp_name: "web",
        vapp_href: "/api/vApp/vapp-web",
        datastore: "ssd-01",
        guest_os: "Linux",
        cpu_count: 2,
        memory_mb: 512,
        hardware_version: 9,
        moref: "vm-11",
        vc: "/api/admin/extension/vimServer/1",
        power_state: "on",
      },
      unreadable: {},
    });
    expect(asked).toEqual(["query adminVM"]);
  },
);

test.each([
  ["POWERED_ON", true, "on"],
  ["POWERED_OFF", false, "off"],
  ["POWERED_OFF", true, "off-deployed"],
  ["SUSPENDED", true, "suspended"],
  ["SUSPENDED", false, "suspended"],
])("status %s, deployed %s is %s, as record and as VM", async (status, deployed, power) => {
  const vms = [{ id: "a", status, deployed }];
  const { session } = await start({ vms });
  const observations = await session.read([wantedVm("a"), wantedVm("a", "nested_hv_enabled")]);
  for (const observation of observations) {
    expect(observation).toMatchObject({ status: "found", attributes: { power_state: power } });
  }
});

test.each([
  "INCONSISTENT_STATE",
  // Nothing runs that would change it: it is not waited for.
  "UNRESOLVED",
  "FAILED_CREATION",
  "PARTIALLY_POWERED_OFF",
  "MIXED",
  "20",
  "17",
  "NEW_WORD",
  "",
])("status %j is unreadable, never off", async (status) => {
  const { observation } = await readOne({ vms: [{ id: "a", status }] }, wantedVm("a"));
  expect(observation).toMatchObject({ status: "unreadable", rule: "failed" });
});

test("a running power task is a transition, an ended one is not", async () => {
  const task = (word: string) => `taskStatus="${word}" taskStatusName="vappUndeployPowerOff"`;
  const vms = [
    { id: "a", status: "POWERED_ON", deployed: true, extra: task("running") },
    { id: "b", status: "POWERED_ON", deployed: true, extra: task("success") },
    { id: "c", status: "UNRESOLVED", deployed: false, extra: task("running") },
  ];
  const { session } = await start({ vms });
  expect(await session.read(["a", "b", "c"].map((id) => wantedVm(id)))).toMatchObject([
    { attributes: { power_state: "changing" } },
    { attributes: { power_state: "on" } },
    { attributes: { power_state: "changing" } },
  ]);
});

test("a record that leaves out the deployment is completed by the VM", async () => {
  const off = { id: "a", deployed: null };
  const first = await readOne({ vms: [off] }, wantedVm("a"));
  expect(first.observation).toMatchObject({ status: "unreadable", rule: "failed" });
  expect(first.asked).toEqual(["query adminVM", `GET ${vmPath("a")}`]);
});

test.each([
  [1, 130, 1],
  [20, 130, 1],
  [21, 130, 2],
  [130, 130, 2],
  [100, 385, 4],
])("%d of %d VMs cost %d pages", async (wanted, count, pages) => {
  const { session, asked } = await start({ vms: many(count) });
  const objects = many(wanted).map(({ id }) => wantedVm(id));
  const observations = await session.read(objects);
  expect(observations.map(({ status }) => status)).toEqual(objects.map(() => "found"));
  expect(asked()).toEqual(Array.from({ length: pages }, () => "query adminVM"));
});

test("only VMs whose own flags somebody needs are asked", async () => {
  const vms = many(40).map((vm, index) => ({ ...vm, nested: index % 2 === 0 }));
  const { session, asked } = await start({ vms });
  const needs = [3, 4, 5].map((index) => wantedVm(`n${index}`, "nested_hv_enabled"));
  const rest = vms.slice(6).map(({ id }) => wantedVm(id));
  const observations = await session.read([...needs, ...rest]);
  expect(observations.slice(0, 3)).toMatchObject([
    { attributes: { nested_hv_enabled: false } },
    { attributes: { nested_hv_enabled: true } },
    { attributes: { nested_hv_enabled: false } },
  ]);
  expect(observations[5]).not.toMatchObject({
    attributes: { nested_hv_enabled: expect.anything() },
  });
  const singles = [3, 4, 5].map((index) => `GET ${vmPath(`n${index}`)}`);
  // The vApp, which holds them all, leaves out whether they have snapshots.
  const vapp = "GET /api/vApp/vapp-web";
  expect([...asked()].sort()).toEqual([vapp, ...singles, "query adminVM"]);
});

test.each([
  ["of one vApp cost one read of it", 40, () => "web", ["GET /api/vApp/vapp-web"]],
  [
    "of two vApps cost two",
    30,
    (index: number) => `v${index % 2}`,
    ["GET /api/vApp/vapp-v0", "GET /api/vApp/vapp-v1"],
  ],
  ["alone in its vApp is asked itself", 1, () => "web", [`GET ${vmPath("n0")}`]],
])("the own flags of VMs %s", async (_, count, vappOf, reads) => {
  const indices = Array.from({ length: count }, (__, index) => index);
  const { session, asked } = await start({
    vms: indices.map((index) => ({
      id: `n${index}`,
      nested: index % 3 === 0,
      vapp: vappOf(index),
      inside: snapshotXml(),
    })),
  });
  const found = await session.read(
    indices.map((index) => wantedVm(`n${index}`, "nested_hv_enabled")),
  );
  expect(found).toMatchObject(
    indices.map((index) => ({ attributes: { nested_hv_enabled: index % 3 === 0 } })),
  );
  expect(asked().filter((one) => !one.startsWith("query"))).toEqual(reads);
});

test("a vApp that cannot be read hides nothing of its VMs", async () => {
  const { session } = await start({
    vms: ["a", "b"].map((id) => ({ id, nested: true, inside: snapshotXml() })),
    answers: { "GET /api/vApp/vapp-web": forbidden(neutralWords, "web") },
  });
  const wanted = ["a", "b"].map((id) => wantedVm(id, "nested_hv_enabled"));
  expect(await session.read(wanted)).toMatchObject(
    wanted.map(() => ({ attributes: { nested_hv_enabled: true } })),
  );
});

test("a VM is not asked for what its API version lacks, and absent is not false", async () => {
  const vms = [{ id: "a", nested: null }];
  const wanted = wantedVm("a", "nested_hv_enabled");
  const old = await readOne({ vms }, wanted, { versions: ["1.5"] });
  expect(old.observation).toMatchObject({ unreadable: { nested_hv_enabled: "by rule" } });
  expect(old.asked).toEqual(["query adminVM"]);
  await open?.close();
  const making = await readOne({ vms }, wanted);
  expect(making.observation).toMatchObject({ unreadable: { nested_hv_enabled: "by rule" } });
  expect(making.observation).not.toHaveProperty("attributes.nested_hv_enabled");
});

test("a server error on one VM hides its own flag alone", async () => {
  const answers = { [`GET ${vmPath("a")}`]: { status: 501, body: "" } };
  const vms = [{ id: "a", status: "POWERED_ON", deployed: true }];
  const { observation } = await readOne({ vms, answers }, wantedVm("a", "nested_hv_enabled"));
  expect(observation).toMatchObject({
    status: "found",
    attributes: { power_state: "on" },
    unreadable: { nested_hv_enabled: "failed" },
    reasons: { nested_hv_enabled: expect.stringContaining("status 501") as unknown },
  });
});

test("a server that does not filter by href is asked for the whole list, once", async () => {
  const { session, asked } = await start({ vms: many(3), filtersByHref: false });
  for (let count = 0; count < 2; count += 1) {
    expect(await session.read([wantedVm("n1")])).toMatchObject([{ status: "found" }]);
  }
  // The filter, the list, and then the name that the list told.
  expect(asked()).toEqual(["query adminVM", "query adminVM", "query adminVM"]);
  const urls = open?.cloud.requests().filter((one) => one.includes("filter=")) ?? [];
  expect(urls[0]).toContain("href==");
  expect(urls.at(-1)).toContain("name==n1");
});

test("others than system administrators are not shown the datastore", async () => {
  const { observation, asked } = await readOne({ vms: [{ id: "a" }] }, wantedVm("a"), tenant);
  expect(observation).toMatchObject({ status: "found", unreadable: { datastore: "by rule" } });
  expect(observation).not.toHaveProperty("attributes.datastore");
  expect(asked).toEqual(["query vm"]);
});

test("a datastore that an administrator is not shown could not be read", async () => {
  const { observation } = await readOne({ vms: [{ id: "a", datastore: " " }] }, wantedVm("a"));
  expect(observation).toMatchObject({ status: "found", unreadable: { datastore: "failed" } });
});

test("gone is proved by the whole list and a refusal", async () => {
  const { observation, asked } = await readOne({ vms: many(130) }, wantedVm("gone"));
  expect(observation).toEqual({
    status: "missing",
    proof:
      "absent from the complete list of 130 VMs, and a read of /api/vApp/vm-gone is answered 403",
  });
  expect(asked.slice(1)).toEqual(["query adminVM", "query adminVM", `GET ${vmPath("gone")}`]);
});

test("a VM that is not listed and answers is there", async () => {
  const vm = '<Vm xmlns="http://www.example.com/cloud/v1.5" name="x" status="4" deployed="true"/>';
  const answers = { [`GET ${vmPath("x")}`]: { body: vm } };
  const { observation } = await readOne({ vms: many(2), answers }, wantedVm("x"));
  expect(observation).toMatchObject({ status: "found", attributes: { power_state: "on" } });
});

test.each([
  ["of which nothing is known", undefined, "unreadable"],
  ["whose vApp is there and does not hold it", "web", "missing"],
  ["whose vApp cannot be read either", "other", "unreadable"],
])("for a tenant a refused VM %s", async (_, vapp, status) => {
  const recorded = vapp === undefined ? {} : { recorded: { vapp_href: `/api/vApp/vapp-${vapp}` } };
  const wanted = { ...wantedVm("gone"), ...recorded };
  const { observation } = await readOne({ vms: many(2) }, wanted, tenant);
  expect(observation.status).toBe(status);
  if (status === "unreadable") {
    expect(observation).toMatchObject({ rule: "failed", reason: /deleted, or your rights/ });
  }
});

test("for a tenant a VM that its vApp still holds is not gone", async () => {
  const namespace = neutralWords.namespace;
  const vm = `<Vm href="http://inner/api/vApp/vm-gone"/>`;
  const vapp = `<VApp xmlns="${namespace}"><Children>${vm}</Children></VApp>`;
  const answers = { "GET /api/vApp/vapp-web": { body: vapp } };
  const wanted = { ...wantedVm("gone"), recorded: { vapp_href: "/api/vApp/vapp-web" } };
  const { observation } = await readOne({ vms: many(2), answers }, wanted, tenant);
  expect(observation).toMatchObject({ status: "unreadable", reason: /still holds it/ });
});

test("a VM that is listed and refuses is not gone: rights were lost", async () => {
  const vms = [{ id: "a", name: "db" }];
  const answers = { [`GET ${vmPath("a")}`]: forbidden(neutralWords, "x") };
  const { observation } = await readOne({ vms, answers }, wantedVm("a", "nested_hv_enabled"));
  expect(observation).toMatchObject({
    status: "unreadable",
    rule: "failed",
    reason: /VM db .*rights were lost/,
  });
});

test.each([
  ["a refusal", forbidden(neutralWords, "x")],
  ["a page", { headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" }],
  ["nothing", { body: "" }],
  ["half a list", { body: '<QueryResultRecords xmlns="x"><VMRecord' }],
] as const)("a list answered with %s hides everything and proves nothing", async (_, queries) => {
  const { session } = await start({ vms: many(2), queries });
  const wanted = [wantedVm("gone"), wantedVm("n1", "nested_hv_enabled"), lookedUp({ name: "n1" })];
  for (const observation of await session.read(wanted)) {
    expect(observation).toMatchObject({ status: "unreadable", rule: "failed" });
  }
});

test.each([
  [{ name: "db" }, "a"],
  [{ name: "web1", vapp_name: "east" }, "b"],
  [{ href: "https://elsewhere:8443/base/api/vApp/vm-c" }, "c"],
  [{ href: "vm-c", name: "web1" }, "c"],
])("%j finds exactly one VM", async (lookup, id) => {
  const vms = [
    { id: "a", name: "db" },
    { id: "b", name: "web1", vapp: "east" },
    { id: "c", name: "web1", vapp: "west" },
    { id: "t", name: "db", template: true },
  ];
  const { observation } = await readOne({ vms }, lookedUp(lookup));
  expect(observation).toMatchObject({ status: "found", identity: vmPath(id) });
});

const list = "the complete list of 2 VMs, which has none of templates";

test.each([
  [{ name: "DB" }, `no VM is named "DB" in ${list}; there is one named "db"`],
  [{ name: "web" }, `no VM is named "web" in ${list}`],
  [
    { name: "db", vapp_name: "east" },
    `no VM is named "db" in vApp "east" in ${list}; there is db in vApp web: ${vmPath("a")}`,
  ],
  [{ href: "vm-a", name: "other" }, `at ${vmPath("a")}, the VM is named "db", not "other"`],
])("%j finds none", async (lookup, proof) => {
  const vms = [{ id: "a", name: "db" }, { id: "b" }, { id: "t", name: "DB", template: true }];
  const { observation } = await readOne({ vms }, lookedUp(lookup));
  expect(observation).toEqual({ status: "missing", proof });
});

test("several of one name are told, and none is taken", async () => {
  const vms = [
    { id: "a", name: "db", vapp: "east" },
    { id: "b", name: "db", vapp: "west" },
  ];
  const { observation } = await readOne({ vms }, lookedUp({ name: "db" }));
  expect(observation).toEqual({
    status: "unreadable",
    rule: "failed",
    reason: '2 VMs are named "db"; set vapp_name or href',
    matches: [`db in vApp east: ${vmPath("a")}`, `db in vApp west: ${vmPath("b")}`],
  });
});

test("list names every VM and no template", async () => {
  const vms = [...many(3), { id: "t", template: true }];
  const { session } = await start({ vms, pageMax: 2 });
  expect(await session.list?.("cloud_vm")).toEqual(
    many(3).map(({ id }) => ({ type: "cloud_vm", identity: vmPath(id), name: `web/${id}` })),
  );
  await expect(session.list?.("cloud_snapshot")).rejects.toMatchObject({ kind: "invalid" });
});

test("reading nothing sends nothing", async () => {
  const { session, cloud } = await start({});
  expect(await session.read([])).toEqual([]);
  await session.close();
  expect(cloud.server.seen).toEqual([]);
});
