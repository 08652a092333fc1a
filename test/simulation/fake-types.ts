/**
 * Resource types of the fake daemon. `fake_vm` is powered like a VM of the local daemon and has two
 * attributes more: `firmware` can be changed only while it is off, `share` only while it is on.
 */

import type { PowerTable, PowerWord } from "../../src/model/operation/power.ts";
import type { LoweredStep, LowerRequest, ResourceType } from "../../src/model/provider/provider.ts";
import { readResourceSchema } from "../../src/model/value/resource-schema.ts";
import type { PlannedAttributes, PlannedValue } from "../../src/model/value/value.ts";

const off: PowerWord = { verb: "off", reaches: "off" };
const on: PowerWord = { verb: "on", reaches: "on" };
const shutdown: PowerWord = {
  verb: "shutdown",
  reaches: "off",
  fallback: off,
  needsTools: true,
  graceful: true,
  disrupts: ["power-off"],
};
const suspend: PowerWord = { verb: "suspend", reaches: "suspended", disrupts: ["power-off"] };
const pause: PowerWord = { verb: "pause", reaches: "paused", disrupts: ["power-off"] };
const unpause: PowerWord = { verb: "unpause", reaches: "on" };

const table: PowerTable = {
  on: { off: [shutdown], suspended: [suspend], paused: [pause] },
  off: { on: [on], suspended: [on, suspend], paused: [on, pause] },
  suspended: { on: [on], off: [on, shutdown], paused: [on, pause] },
  paused: { on: [unpause], off: [unpause, shutdown], suspended: [unpause, suspend] },
};

const text = (marks: object) => ({ type: "string", "x-vmform": marks });

export const limits = {
  create: 2_000,
  clone: 20_000,
  delete: 3_000,
  power: 6_000,
  update: 3_000,
  wait: 8_000,
};

const vmSchema = readResourceSchema("fake_vm", {
  properties: {
    id: text({ key: true, forceNew: true, planTime: true }),
    name: text({ forceNew: true }),
    parent_id: text({ forceNew: true, planTime: true, unreadable: true }),
    power: text({ planTime: true }),
    firmware: text({ planTime: true }),
    share: { type: "boolean", "x-vmform": { planTime: true, unreadable: true } },
    power_state: text({ computed: true }),
    ip_address: text({ computed: true, volatile: true, whileOn: true }),
  },
});

export const fakeVm: ResourceType = {
  name: "fake_vm",
  schema: vmSchema,
  ownership: "owned",
  links: [{ attribute: "parent_id", type: "fake_vm", lock: "shared", needs: "off" }],
  power: {
    wanted: "power",
    observed: "power_state",
    initial: "off",
    table,
    beforeDelete: { on: [off], off: [], suspended: [], paused: [off] },
    toolsWait: { verb: "wait-tools", expect: [{ attribute: "ip_address", present: true }] },
  },
  identityOf: (attributes) => textOf(attributes.id),
  entity: (identity) => `vm ${identity}`,
  lower: lowerVm,
  request: (verb, identity, inputs) =>
    verb.startsWith("wait")
      ? undefined
      : { method: "POST", path: `/vm/${identity}/${verb}`, body: inputs },
  limitMs: limitOf,
};

const fakeFolder: ResourceType = {
  name: "fake_folder",
  schema: readResourceSchema("fake_folder", {
    properties: {
      vm_id: text({ key: true, forceNew: true, planTime: true }),
      guest_path: text({ key: true, forceNew: true, planTime: true }),
      host_path: text({ forceNew: true }),
    },
  }),
  ownership: "owned",
  container: { attribute: "vm_id", type: "fake_vm" },
  links: [],
  identityOf: ({ vm_id, guest_path }) =>
    typeof vm_id === "string" && typeof guest_path === "string"
      ? `${vm_id}/${guest_path}`
      : undefined,
  entity: (identity) => `folder ${identity}`,
  lower: lowerFolder,
  request: (verb, identity, inputs) => ({
    method: "POST",
    path: `/folder/${identity}/${verb}`,
    body: inputs,
  }),
  limitMs: () => limits.update,
};

function lowerVm(request: LowerRequest): readonly LoweredStep[] {
  const { identity } = request;
  if (request.action === "delete") return [destroy(`delete ${identity}`)];
  const { inputs } = request;
  const steps: LoweredStep[] = [];
  const creating = request.action === "create";
  const changed = request.action === "update" ? request.changed : [];
  if (creating) {
    const clone = inputs.parent_id !== undefined && inputs.parent_id !== null;
    const { id, name = null, parent_id = null } = inputs;
    steps.push({
      verb: clone ? "clone" : "create",
      effect: "create",
      summary: `create ${identity}`,
      request: { inputs: { id: id ?? null, name, parent_id }, repeat: "unsafe" },
      applied: { id: id ?? null, name, parent_id },
      proof: { expect: [{ existence: "found" }] },
      order: { long: clone },
    });
  }
  if (changed.includes("firmware") || (creating && (inputs.firmware ?? null) !== null)) {
    steps.push(change("firmware", inputs.firmware ?? null, "off"));
  }
  if (changed.includes("share") || (creating && (inputs.share ?? null) !== null)) {
    const {
      proof: { expect: _none },
      ...step
    } = change("share", inputs.share ?? null, "on");
    steps.push({
      ...step,
      proof: { expect: [], unobservable: true },
    });
  }
  return steps;
}

function change(attribute: string, value: PlannedValue, needs: "on" | "off"): LoweredStep {
  return {
    verb: `set-${attribute}`,
    effect: "update",
    summary: `set ${attribute}`,
    request: { inputs: { [attribute]: value }, repeat: "safe" },
    applied: { [attribute]: value },
    order: { needs },
    proof: { expect: [{ attribute, equals: value }] },
  };
}

function destroy(summary: string): LoweredStep {
  return {
    verb: "delete",
    effect: "delete",
    summary,
    request: { inputs: {}, repeat: "unsafe" },
    applied: {},
    proof: { expect: [{ existence: "missing" }] },
    disrupts: ["destroy"],
  };
}

function lowerFolder(request: LowerRequest): readonly LoweredStep[] {
  const { identity } = request;
  if (request.action === "delete") {
    return [
      {
        ...destroy(`remove ${identity}`),
        verb: "remove",
        order: { needs: "on" },
        disrupts: [],
      },
    ];
  }
  if (request.action === "update") return [];
  const { vm_id = null, guest_path = null, host_path = null } = request.inputs;
  return [
    {
      verb: "add",
      effect: "create",
      summary: `add ${identity}`,
      request: { inputs: { vm_id, guest_path, host_path }, repeat: "unsafe" },
      applied: { vm_id, guest_path, host_path },
      order: { needs: "on" },
      proof: { expect: [{ existence: "found" }] },
    },
  ];
}

function limitOf(verb: string, _attributes: PlannedAttributes): number {
  if (verb === "create") return limits.create;
  if (verb === "clone") return limits.clone;
  if (verb === "delete") return limits.delete;
  if (verb.startsWith("set-")) return limits.update;
  return verb.startsWith("wait") ? limits.wait : limits.power;
}

function textOf(value: PlannedValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export const fakeTypes = { fake_vm: fakeVm, fake_folder: fakeFolder };
