/** What waits for an address that is known only when a VM is up: however it is referred to. */

import { describe, expect, test } from "vitest";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { plan } from "../../../../src/plan/plan.ts";
import { dataRegistry, settingsSchemas, typeRegistry } from "../../../../src/providers/registry.ts";
import { loadSound } from "../../../helpers/load-config.ts";
import { recordedObject } from "../../../helpers/recorded-builder.ts";
import { type Existing, inputOf } from "../planning.ts";

const types = typeRegistry();
const registries = { types, dataTypes: dataRegistry(), providerSettings: settingsSchemas() };

function planYaml(yaml: string, exists: readonly Existing[] = []): Plan {
  const desired = loadSound(yaml, registries);
  const settings = new Map(desired.providers.map((one) => [one.name, one.settings]));
  const allowed = ["power-cycle"] as const;
  return plan(inputOf({ exists, desired, input: { types, settings, allowed } }));
}

const both = ["daemon_vm.row[0]", "daemon_vm.row[1]"];

/** `name` of a VM beside `row`, two VMs that are turned on, and whose addresses it waits for. */
const names: readonly { readonly name: string; readonly waits: readonly string[] }[] = [
  { name: "${daemon_vm.row[0].ip_address}", waits: ["daemon_vm.row[0]"] },
  { name: '${daemon_vm.row.map(v, v.ip_address).join(",")}', waits: both },
  { name: '${daemon_vm.row.map(v, v["ip_address"]).join(",")}', waits: both },
  { name: "${daemon_vm.row.filter(v, v.power_state == 'on')[0].ip_address}", waits: both },
  { name: '${daemon_vm.row.all(v, v.ip_address != null) ? "up" : "down"}', waits: both },
  { name: '${daemon_vm.row.exists(v, v.ip_address == "10.0.0.1") ? "a" : "b"}', waits: both },
  { name: "${cel.bind(vms, daemon_vm.row, vms[1].ip_address)}", waits: both },
  { name: "${size(daemon_vm.row[0].ip_address)}", waits: ["daemon_vm.row[0]"] },
  { name: "${(true ? daemon_vm.row[0] : daemon_vm.row[1]).ip_address}", waits: both },
  { name: "${locals.addresses.join(',')}", waits: both },
  { name: "${locals.vms.map(v, v.ip_address).join(',')}", waits: both },
  { name: "${locals.vms[1].ip_address}", waits: both },
  // Known while planning, or of no concern.
  { name: '${daemon_vm.row.map(v, v.id).join(",")}', waits: [] },
  { name: '${daemon_vm.row.map(v, v.power_state).join(",")}', waits: [] },
  { name: "${size(daemon_vm.row)}", waits: [] },
  { name: "${locals.vms.map(v, v.id).join(',')}", waits: [] },
  { name: "${locals.vms[1].id}", waits: [] },
];

describe("the name of a VM", () => {
  test.each(names)("$name waits for $waits", ({ name, waits }) => {
    const made = planYaml(`
      locals:
        addresses: "\${daemon_vm.row.map(v, v.ip_address)}"
        vms: "\${daemon_vm.row}"
      resources:
        daemon_vm.row: { count: 2, id: "row\${count.index}", power: on }
        daemon_vm.front: { id: front, name: ${JSON.stringify(name)} }
    `);
    const create = made.operations.find(({ id }) => id === "daemon_vm.front#create.1");
    const awaited = create?.order.after.flatMap(
      ({ id }) => /^(.*)#wait-ip_address/.exec(id)?.[1] ?? [],
    );
    expect(awaited?.toSorted()).toEqual(waits);
  });
});

/** A VM that is on and recorded, with an address, is turned off and on again to be cloned. */
describe("behind a power cycle, what was known before", () => {
  const known = { id: "base", name: "base", power_state: "on", ip_address: "10.0.0.1" };
  const record = recordedObject("daemon_vm.base[0]", {
    identity: "base",
    applied: { id: "base" },
    attributes: known,
  });
  test.each([
    { value: "${daemon_vm.base[0].ip_address}", waits: true },
    { value: "${daemon_vm.base.map(v, v.ip_address)}", waits: true },
    { value: "${daemon_vm.base[0]}", waits: true },
    { value: "${daemon_vm.base.map(v, v.id)}", waits: false },
    { value: "${size(daemon_vm.base)}", waits: false },
  ])("$value is waited for: $waits", ({ value, waits }) => {
    const yaml = `
      resources:
        daemon_vm.base: { count: 1, id: base }
        daemon_vm.copy: { id: copy, parent_id: base }
      outputs: { value: { value: ${JSON.stringify(value)} } }
    `;
    const observation = {
      status: "found",
      identity: "base",
      attributes: known,
      unreadable: {},
    } as const;
    const made = planYaml(yaml, [{ record, observation }]);
    expect(made.diagnostics).toEqual([]);
    const closing = made.operations.find(({ order: { window } }) => window?.role === "close");
    const wait = made.operations.find(({ verb }) => verb === "wait-ip_address");
    expect(closing?.verb).toBe("on");
    expect(wait !== undefined).toBe(waits);
    if (wait !== undefined) expect(wait.order.after.map(({ id }) => id)).toContain(closing?.id);
  });
});

describe("an output", () => {
  test.each([
    { value: "${daemon_vm.row}", waits: both },
    { value: "${daemon_vm.row[1]}", waits: ["daemon_vm.row[1]"] },
    { value: "${daemon_vm.row.map(v, v)}", waits: both },
    { value: "${[daemon_vm.row[0]]}", waits: ["daemon_vm.row[0]"] },
    { value: "${daemon_vm.row.map(v, {'at': v.ip_address})}", waits: both },
    { value: "${daemon_vm.row.map(v, v.id)}", waits: [] },
    { value: "${daemon_vm.row.size()}", waits: [] },
  ])("$value waits for $waits", ({ value, waits }) => {
    const made = planYaml(`
      resources: { daemon_vm.row: { count: 2, id: "row\${count.index}", power: on } }
      outputs: { value: { value: ${JSON.stringify(value)} } }
    `);
    const operations = made.operations.filter(({ verb }) => verb === "wait-ip_address");
    expect(operations.map(({ subject: { address } }) => address)).toEqual(waits);
  });
});
