/**
 * Resource types of the fake cloud: VMs that exist already and are changed by remote tasks, and the
 * one snapshot that a VM may have, whose identity the server completes when it is made.
 */

import type { PowerTable, PowerWord } from "../../src/model/operation/power.ts";
import type {
  LoweredStep,
  LowerRequest,
  Objection,
  ResourceType,
} from "../../src/model/provider/provider.ts";
import { readResourceSchema } from "../../src/model/value/resource-schema.ts";

/** A request that is not seen as a task by then never arrived, milliseconds. */
export const requestLimitMs = 1_500;

const cloudLimits: { readonly [verb: string]: number } = {
  relocate: 60_000,
  "set-nested": 15_000,
  create: 20_000,
  remove: 20_000,
};
const wordLimitMs = 15_000;

const powerOn: PowerWord = { verb: "power-on", reaches: "on" };
const undeploy: PowerWord = { verb: "undeploy", reaches: "off" };
const discard: PowerWord = { verb: "discard", reaches: "off" };
const deploy: PowerWord = { verb: "deploy", reaches: "off-deployed" };
const suspend: PowerWord = { verb: "suspend", reaches: "suspended", disrupts: ["power-off"] };
const undeployGently: PowerWord = {
  verb: "undeploy-shutdown",
  graceful: true,
  reaches: "off",
  fallback: { ...undeploy, disrupts: ["power-off"] },
  disrupts: ["power-off"],
};
const shutdown: PowerWord = {
  verb: "shutdown",
  graceful: true,
  reaches: "off-deployed",
  fallback: { verb: "power-off", reaches: "off-deployed", disrupts: ["power-off"] },
  disrupts: ["power-off"],
};
const giveUp: PowerWord = { ...undeploy, fallback: discard, disrupts: ["discard-state"] };

const table: PowerTable = {
  on: { off: [undeployGently], suspended: [suspend], "off-deployed": [shutdown] },
  off: { on: [powerOn], suspended: [powerOn, suspend], "off-deployed": [deploy] },
  suspended: { on: [powerOn], off: [giveUp], "off-deployed": [giveUp, deploy] },
  "off-deployed": { on: [powerOn], off: [undeploy], suspended: [powerOn, suspend] },
};

const text = (marks: object) => ({ type: "string", "x-vmform": marks });
const lookup = { lookup: true, planTime: true };

export const fakeCloudVm: ResourceType = {
  name: "fake_cloud_vm",
  schema: readResourceSchema("fake_cloud_vm", {
    properties: {
      href: text(lookup),
      name: text(lookup),
      vapp_name: text(lookup),
      datastore: text({ planTime: true }),
      power: text({ planTime: true }),
      nested_hv_enabled: { type: "boolean", "x-vmform": { planTime: true } },
      on_destroy: {
        type: "string",
        enum: ["forget", "power_off"],
        default: "forget",
        "x-vmform": { local: true, planTime: true },
      },
      power_state: text({ computed: true }),
      vapp_href: text({ computed: true }),
    },
  }),
  ownership: "attached",
  links: [],
  power: { wanted: "power", observed: "power_state", initial: "off", table, beforeDelete: {} },
  identityOf: ({ href }) => (typeof href === "string" ? href : undefined),
  entity: (identity) => `vm ${identity}`,
  surroundings: ({ vapp_href: vapp }) => (typeof vapp === "string" ? [`vapp ${vapp}`] : []),
  parting: ({ on_destroy: parting }) => (parting === "power_off" ? "power-off" : "keep"),
  needsFacts: true,
  objections,
  lower: lowerVm,
  request: (verb, identity, body) => ({ method: "POST", path: `${identity}/${verb}`, body }),
  wordRequestLimitMs: requestLimitMs,
  limitMs: (verb) => cloudLimits[verb] ?? wordLimitMs,
};

/** Facts of a change: whether nested can be set now, what runs, how old the virtual hardware is. */
function objections(request: LowerRequest): readonly Objection[] {
  if (request.action === "delete" || request.facts === undefined) return [];
  const { hardware, running } = request.facts;
  const found: Objection[] = [];
  if (request.inputs.nested_hv_enabled === true && hardware === "old") {
    const detail = "Its virtual hardware is too old for nested virtualization.";
    found.push({ severity: "error", code: "FAK001", summary: "Hardware is too old", detail });
  }
  if (running === true) {
    const detail = "Somebody is at work on it.";
    found.push({ severity: "warning", code: "FAK002", summary: "A task runs already", detail });
  }
  return found;
}

function lowerVm(request: LowerRequest): readonly LoweredStep[] {
  if (request.action !== "update") return [];
  const { inputs, changed, identity, facts } = request;
  const { datastore = null, nested_hv_enabled: nested = null } = inputs;
  const steps: LoweredStep[] = [];
  if (changed.includes("datastore")) {
    steps.push({
      verb: "relocate",
      effect: "update",
      summary: `move ${identity}`,
      request: { inputs: { datastore }, repeat: "unsafe" },
      applied: { datastore },
      proof: { expect: [{ attribute: "datastore", equals: datastore }], requestLimitMs },
    });
  }
  if (changed.includes("nested_hv_enabled")) {
    steps.push({
      verb: "set-nested",
      effect: "update",
      summary: `set nested of ${identity}`,
      request: { inputs: { nested_hv_enabled: nested }, repeat: "safe" },
      applied: { nested_hv_enabled: nested },
      ...(facts?.nested_offered === true
        ? {}
        : {
            order: { needs: "off" },
          }),
      proof: { expect: [{ attribute: "nested_hv_enabled", equals: nested }], requestLimitMs },
    });
  }
  return steps;
}

const separator = "/snapshot";

/** Of the snapshot made then, or of whatever snapshot the VM has. */
export function snapshotIdentity(vm: string, created?: string): string {
  return `${vm}${separator}${created === undefined ? "" : `/${created}`}`;
}

export function vmOfSnapshot(identity: string): string {
  return identity.split(separator)[0] ?? identity;
}

export function createdOf(identity: string): string | undefined {
  return identity.split(`${separator}/`)[1];
}

export const fakeCloudSnapshot: ResourceType = {
  name: "fake_cloud_snapshot",
  schema: readResourceSchema("fake_cloud_snapshot", {
    properties: {
      vm: text({ key: true, forceNew: true, planTime: true }),
      label: text({ forceNew: true, unreadable: true }),
      created_at: text({ computed: true }),
      vapp_href: text({ computed: true }),
    },
  }),
  ownership: "owned",
  container: { attribute: "vm", type: "fake_cloud_vm" },
  links: [],
  identityOf: ({ vm }) => (typeof vm === "string" ? snapshotIdentity(vm) : undefined),
  entity: (identity) => `snapshot ${identity}`,
  lower: lowerSnapshot,
  request: (verb, identity, body) => ({ method: "POST", path: `${identity}/${verb}`, body }),
  limitMs: (verb) => cloudLimits[verb] ?? wordLimitMs,
};

function lowerSnapshot(request: LowerRequest): readonly LoweredStep[] {
  const { identity } = request;
  if (request.action === "update") return [];
  if (request.action === "delete") {
    return [
      {
        verb: "remove",
        effect: "delete",
        summary: `remove ${identity}`,
        request: { inputs: {}, repeat: "unsafe" },
        applied: {},
        proof: { expect: [{ existence: "missing" }], requestLimitMs },
        disrupts: ["destroy"],
      },
    ];
  }
  const { vm = null, label = null } = request.inputs;
  return [
    {
      verb: "create",
      effect: "create",
      summary: `make ${identity}`,
      request: { inputs: { vm, label }, repeat: "unsafe" },
      applied: { vm, label },
      proof: { expect: [{ existence: "found" }], requestLimitMs },
    },
  ];
}

export const fakeCloudTypes = {
  fake_cloud_vm: fakeCloudVm,
  fake_cloud_snapshot: fakeCloudSnapshot,
};
