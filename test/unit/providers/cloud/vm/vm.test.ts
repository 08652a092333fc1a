import { expect, test } from "vitest";
import { powerStates } from "../../../../../src/model/operation/power.ts";
import type { LowerRequest } from "../../../../../src/model/provider/provider.ts";
import type { RecordedObject } from "../../../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../../../src/model/value/address.ts";
import { type Attributes, unknown } from "../../../../../src/model/value/value.ts";
import { cloudPower, powerVerbs } from "../../../../../src/providers/cloud/vm/power.ts";
import { snapshotType } from "../../../../../src/providers/cloud/vm/snapshot.ts";
import { vmType } from "../../../../../src/providers/cloud/vm/vm.ts";
import { readFacts, type VmFacts } from "../../../../../src/providers/cloud/vm/vm-facts.ts";

const identity = "/api/vApp/vm-1";
const address = "cloud_vm.db" as Address;
const uuid = "6d1a2b3c-0000-4000-8000-00000000000a";

const facts: VmFacts = {
  api_version: "5.1",
  is_system: true,
  name: null,
  links: ["power-on", "relocate", "enable-nested"],
  shows_links: true,
  tasks: [],
  vapp_tasks: [],
  has_independent_disk: false,
  power_state: "off",
  hardware_version: 9,
  moref: null,
  datastore_href: "http://inner/api/admin/extension/datastore/7",
  datastore_problem: null,
  space: null,
};

function update(
  inputs: Attributes,
  changes: Partial<VmFacts> = {},
  prior: Attributes = { name: "db" },
): LowerRequest {
  const record: RecordedObject = {
    address,
    objectKey: "current",
    type: "cloud_vm",
    provider: "cloud",
    identity,
    status: "ready",
    applied: null,
    attributes: prior,
    dependencies: [],
    timeoutsMs: {},
  };
  return {
    action: "update",
    identity,
    inputs,
    changed: Object.keys(inputs),
    prior: record,
    facts: { ...facts, ...changes },
  };
}

test.each([
  ["https://cloud.example.com/api/vApp/vm-1", "/api/vApp/vm-1"],
  ["http://10.0.0.1:8443/base/api/vApp/vm-1/", "/api/vApp/vm-1"],
  ["/api/vApp/vm-1", "/api/vApp/vm-1"],
  [" vm-1 ", "/api/vApp/vm-1"],
  [uuid, `/api/vApp/vm-${uuid}`],
  [uuid.toUpperCase(), `/api/vApp/vm-${uuid}`],
  [`VM-${uuid}`, undefined],
  [`urn:vcloud:vm:${uuid}`, `/api/vApp/vm-${uuid}`],
  [`urn:cloud:vm:${uuid.toUpperCase()}`, `/api/vApp/vm-${uuid}`],
  [`urn:cloud:vapp:${uuid}`, undefined],
  [`https://c/api/vAppTemplate/vm-${uuid}`, undefined],
  ["https://c/api/vApp/vapp-1", undefined],
  ["https://c/api/vApp/vm-1/action/relocate", undefined],
  ["https://c/api/vApp/vm-1?x=1", undefined],
  ["ftp://c/api/vApp/vm-1", undefined],
  ["/api/vApp/vm-a%2Fb", undefined],
  ["db", undefined],
  ["", undefined],
])("identity of %j", (text, path) => {
  expect(vmType.parseIdentity?.(text)).toBe(path);
  expect(vmType.identityOf({ href: text })).toBe(path);
});

test("an identity parsed again is itself, and unknown or unset links give none", () => {
  expect(vmType.parseIdentity?.(identity)).toBe(identity);
  expect(vmType.identityOf({ href: unknown })).toBeUndefined();
  expect(vmType.identityOf({ name: "db" })).toBeUndefined();
});

test("locks are equal for every spelling of one cloud, and of no other", () => {
  const key = (url: string) => vmType.entity(identity, { url });
  expect(key("https://cloud.example.com/api/")).toBe(key("https://CLOUD.example.com"));
  expect(key("https://cloud.example.com")).not.toBe(key("https://east.example.com"));
  expect(vmType.surroundings?.({ vapp_href: "/api/vApp/vapp-1" }, { url: "https://c" })).toEqual([
    vmType.entity("/api/vApp/vapp-1", { url: "https://c" }),
  ]);
  expect(vmType.surroundings?.({}, null)).toEqual([]);
  // As host management writes it of the same VM.
  expect(vmType.aliases?.("/api/vApp/vm-a", { moref: "vm-11" })).toEqual(["virtual machine vm-11"]);
  // A snapshot of a VM that is not recorded itself: made, and removed.
  const snapshot = "/api/vApp/vm-a/snapshot";
  expect(snapshotType.aliases?.(snapshot, {}, { moref: "vm-11" })).toEqual([
    "virtual machine vm-11",
  ]);
  expect(snapshotType.aliases?.(snapshot, { vm_moref: "vm-11" })).toEqual([
    "virtual machine vm-11",
  ]);
});

test.each([
  [{ on_destroy: "power_off" }, "power-off"],
  [{ on_destroy: "forget" }, "keep"],
  [{}, "keep"],
])("parting of %j", (applied, parting) => {
  expect(vmType.parting?.(applied)).toBe(parting);
});

test.each([
  [{ name: "db" }, []],
  [{ href: identity }, []],
  [{ name: unknown }, []],
  [{ href: unknown }, []],
  [{}, ["CLD001"]],
  [{ vapp_name: "web" }, ["CLD001"]],
  [{ href: "db" }, ["CLD002"]],
  [{ href: "https://c/api/vAppTemplate/vm-1" }, ["CLD002"]],
])("check of %j", (attributes, codes) => {
  expect(vmType.check?.(attributes, address).map(({ code }) => code)).toEqual(codes);
});

test("from every state there is a way to every other, and each word has a request", () => {
  const states = powerStates.filter((state) => state !== "paused");
  for (const from of states) {
    for (const to of states) {
      const words = cloudPower.table[from]?.[to];
      if (from === to) expect(words).toBeUndefined();
      else expect(words?.at(-1)?.reaches).toBe(to);
    }
  }
  for (const verb of powerVerbs) {
    expect(vmType.request(verb, identity, {})?.path).toMatch(
      /^\/api\/vApp\/vm-1\/(power\/)?action\//,
    );
  }
});

test.each([
  ["on", "off", "undeploy-shutdown", ["power-off"], "undeploy"],
  ["on", "suspended", "suspend", ["power-off"], undefined],
  ["suspended", "off", "undeploy", ["discard-state"], "discard"],
  ["off-deployed", "off", "undeploy", undefined, undefined],
  ["off", "on", "power-on", undefined, undefined],
] as const)("from %s to %s by %s", (from, to, verb, disrupts, fallback) => {
  const [word] = cloudPower.table[from]?.[to] ?? [];
  expect(word).toMatchObject({ verb, reaches: to });
  expect(word?.disrupts).toEqual(disrupts);
  expect(word?.fallback?.verb).toBe(fallback);
  // What the graceful word may do, its fallback may.
  expect(word?.fallback?.disrupts).toEqual(fallback === undefined ? undefined : disrupts);
});

const declared = 'xmlns="{xml_namespace}"';
const undeploy = (action: string) =>
  `<UndeployVAppParams ${declared}><UndeployPowerAction>${action}</UndeployPowerAction>` +
  "</UndeployVAppParams>";
const media = (name: string) => `application/vnd.vendor.cloud.${name}+xml`;
test.each([
  ["power-on", "/power/action/powerOn", undefined, undefined],
  ["power-off", "/power/action/powerOff", undefined, undefined],
  ["shutdown", "/power/action/shutdown", undefined, undefined],
  ["reset", "/power/action/reset", undefined, undefined],
  ["suspend", "/power/action/suspend", undefined, undefined],
  ["discard", "/action/discardSuspendedState", undefined, undefined],
  ["revert", "/action/revertToCurrentSnapshot", undefined, undefined],
  ["enable-nested", "/action/enableNestedHypervisor", undefined, undefined],
  ["disable-nested", "/action/disableNestedHypervisor", undefined, undefined],
  ["undeploy-shutdown", "/action/undeploy", media("undeployVAppParams"), undeploy("shutdown")],
  ["undeploy", "/action/undeploy", media("undeployVAppParams"), undeploy("powerOff")],
  [
    "deploy",
    "/action/deploy",
    media("deployVAppParams"),
    `<DeployVAppParams ${declared} powerOn="false" forceCustomization="false"/>`,
  ],
  [
    "relocate",
    "/action/relocate",
    media("relocateVmParams"),
    `<RelocateParams ${declared}><Datastore href="http://inner/ds&amp;7"/></RelocateParams>`,
  ],
])("request of %s", (verb, suffix, contentType, body) => {
  const request = vmType.request(verb, identity, {
    datastore: { name: "ssd", href: "http://inner/ds&7" },
  });
  expect(request).toEqual({
    method: "POST",
    path: `${identity}${suffix}`,
    ...(contentType === undefined ? {} : { contentType, body }),
  });
});

test("a request is unknown where its values are, and there is none for other verbs", () => {
  expect(vmType.request("relocate", identity, {})?.body).toBe(unknown);
  expect(vmType.request("wait-x", identity, {})).toBeUndefined();
  expect(vmType.request("constructor", identity, {})).toBeUndefined();
});

test("moving needs no power, takes the datastore's turn, and is seen by its name", () => {
  const [step, ...more] = vmType.lower(update({ datastore: "ssd-02" }));
  expect(more).toEqual([]);
  expect(step).toEqual({
    verb: "relocate",
    effect: "update",
    summary: "move VM db to datastore ssd-02",
    request: {
      inputs: { datastore: { name: "ssd-02", href: facts.datastore_href } },
      repeat: "unsafe",
    },
    applied: { datastore: "ssd-02" },
    proof: { expect: [{ attribute: "datastore", equals: "ssd-02" }], requestLimitMs: 120_000 },
    order: { pools: ["datastore ssd-02"] },
  });
  const { facts: _, ...first } = update({ datastore: "ssd-02" }) as LowerRequest & {
    facts: Attributes;
  };
  expect(vmType.lower(first as LowerRequest)[0]?.request.inputs.datastore).toEqual({
    name: "ssd-02",
    href: unknown,
  });
});

test.each([
  ["off", ["enable-nested"], true, "off"],
  ["on", ["enable-nested"], true, "on"],
  ["on", [], true, "off"],
  ["on", ["enable-nested"], false, "off"],
  ["on", ["disable-nested"], false, "on"],
  ["off-deployed", ["enable-nested"], true, "off-deployed"],
  ["changing", ["enable-nested"], true, "off"],
  [null, [], true, "off"],
])("nested, %s and offered %j, to %s needs %s", (power, links, wanted, needs) => {
  const request = update({ nested_hv_enabled: wanted }, { links, power_state: power });
  expect(vmType.lower(request)).toMatchObject([
    {
      verb: wanted ? "enable-nested" : "disable-nested",
      order: { needs },
      proof: { expect: [{ attribute: "nested_hv_enabled", equals: wanted }] },
    },
  ]);
});

test("nothing is made or deleted, and local attributes send nothing", () => {
  const { action: _, ...rest } = update({});
  expect(vmType.lower({ action: "create", identity, inputs: { name: "db" } })).toEqual([]);
  expect(vmType.lower({ ...rest, action: "delete" } as LowerRequest)).toEqual([]);
  expect(vmType.lower(update({ on_destroy: "power_off", power: "on" }))).toEqual([]);
  expect(vmType.lower(update({ datastore: null, nested_hv_enabled: null }))).toEqual([]);
});

const running = "Relocating db, by eve, 40 %";
test.each([
  ["nothing", update({ nested_hv_enabled: true, datastore: "ssd-02" }), []],
  [
    "an old API",
    update({ nested_hv_enabled: true }, { api_version: "1.5" }),
    [/speaks API 1\.5.*needs 5\.1/],
  ],
  ["a later API", update({ nested_hv_enabled: true }, { api_version: "5.10" }), []],
  [
    "old hardware",
    update({ nested_hv_enabled: true }, { hardware_version: 8 }),
    [/version 8; 9 is needed/],
  ],
  ["old hardware, turned off", update({ nested_hv_enabled: false }, { hardware_version: 8 }), []],
  [
    "a tenant who moves",
    update({ datastore: "x" }, { is_system: false, links: [] }),
    [/does not offer/],
  ],
  ["an offered move", update({ datastore: "x" }, { is_system: false, links: ["relocate"] }), []],
  [
    "a busy VM",
    update({ datastore: "x" }, { is_system: false, links: [], tasks: [running] }),
    [/Relocating db, by eve, 40 %/],
  ],
  ["another change of a tenant", update({ nested_hv_enabled: true }, { is_system: false }), []],
  [
    "a datastore that cannot be used",
    update({ datastore: "x" }, { datastore_problem: "Datastore x is disabled." }),
    [/^Datastore x is disabled\.$/],
  ],
  [
    "a busy vApp",
    update({ datastore: "x" }, { is_system: false, links: [], vapp_tasks: [running] }),
    [/Relocating db, by eve, 40 %/],
  ],
] as const)("objections to %s", (_, request, details) => {
  const objections = vmType.objections?.(request) ?? [];
  expect(objections).toHaveLength(details.length);
  details.forEach((detail, index) => {
    expect(objections[index]?.detail).toMatch(detail);
    expect(objections[index]?.severity).toBe(
      objections[index]?.code === "CLD013" ? "warning" : "error",
    );
  });
});

test.each<[number, number, number, RegExp | undefined]>([
  [100, 100, 1, undefined],
  [99, 100, 1, /^99 MB are free, and the disks of the VM take up to 100 MB/],
  [99, 300, 3, /the disks of the 3 VMs moved there take up to 300 MB/],
])("%i MB free for %i MB of %i VMs", (freeMb, needMb, vmCount, told) => {
  const space = { free_mb: freeMb, need_mb: needMb, vm_count: vmCount };
  const objections = vmType.objections?.(update({ datastore: "x" }, { space })) ?? [];
  if (told === undefined) expect(objections).toEqual([]);
  else expect(objections).toMatchObject([{ severity: "warning", code: "CLD016", detail: told }]);
});

const on = { power_state: "on" } as const;
test.each<[Attributes, Partial<VmFacts>, RegExp | undefined]>([
  [{ power: "on" }, { links: ["power-on"] }, undefined],
  [{ power: "on" }, { links: ["relocate"] }, /offer the user of this session to turn on this VM/],
  [{ power: "on" }, { links: [], power_state: "suspended" }, /turn on/],
  [{ power: "off" }, { ...on, links: ["undeploy"] }, undefined],
  [{ power: "off" }, { ...on, links: ["suspend"] }, /turn off/],
  [{ power: "suspended" }, { ...on, links: ["undeploy"] }, /suspend/],
  [{ nested_hv_enabled: true }, { links: ["power-on"] }, /enable nested/],
  [{ nested_hv_enabled: true }, { ...on, links: ["undeploy"] }, undefined],
  [{ nested_hv_enabled: true }, { ...on, links: ["enable-nested"] }, undefined],
  [{ nested_hv_enabled: true }, { ...on, links: ["suspend"] }, /turn off this VM/],
  // How a link to disable it looks is not known.
  [{ nested_hv_enabled: false }, { links: ["power-on"] }, undefined],
  // What is absent says nothing while something runs, or where there are no links at all.
  [{ power: "on" }, { links: [], vapp_tasks: [running] }, undefined],
  [{ power: "on" }, { links: [], shows_links: false }, undefined],
  [{ power: "off" }, { links: [], power_state: "changing" }, undefined],
])("%j of %j is offered or not", (inputs, known, told) => {
  const objections = vmType.objections?.(update(inputs, known)) ?? [];
  const withheld = objections.filter(({ code }) => code === "CLD017");
  if (told === undefined) expect(withheld).toEqual([]);
  else expect(withheld).toMatchObject([{ severity: "error", detail: told }]);
});

test("hardware of the record counts where the facts know none", () => {
  const inputs = { nested_hv_enabled: true };
  const request = update(inputs, { hardware_version: null }, { hardware_version: 7 });
  const objections = vmType.objections?.(request);
  expect(objections).toMatchObject([{ code: "CLD011", detail: /version 7/ }]);
});

test("facts survive a saved plan, and spoilt ones say nothing", () => {
  const more = { vapp_tasks: [running], space: { free_mb: 1, need_mb: 2, vm_count: 3 } };
  expect(readFacts({ ...facts, ...more, tasks: [running] })).toEqual({
    ...facts,
    ...more,
    tasks: [running],
  });
  const spoilt = readFacts({ links: "relocate", tasks: [null, 3], hardware_version: "9" });
  expect(spoilt).toMatchObject({
    api_version: "",
    is_system: false,
    links: [],
    shows_links: false,
    vapp_tasks: [],
    has_independent_disk: false,
    tasks: [],
    hardware_version: null,
  });
});

test("a move may take a day, and every word is a remote task", () => {
  expect(vmType.limitMs("relocate", {})).toBe(24 * 3_600_000);
  expect(vmType.wordRequestLimitMs).toBe(120_000);
});
