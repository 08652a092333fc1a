/**
 * The pure half of `manager_disk_reclaim`, content of a `manager_vm`: a record of work, first a
 * wipe and then a shrink. A shrink before its wipe has ended gives nothing back, so each is an
 * operation of its own, and what was wiped and not shrunk is only shrunk (specification, section D,
 * private methods).
 */

import type { RequestPreview } from "../../../model/operation/operation.ts";
import type { LoweredStep, LowerRequest, ResourceType } from "../../../model/provider/provider.ts";
import type { RecordedObject } from "../../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../../model/said/diagnostic.ts";
import type { Address } from "../../../model/value/address.ts";
import type { PlannedAttributes, PlannedValue } from "../../../model/value/value.ts";
import { loadSchema } from "../../kit/schema/schema-file.ts";
import { limitOf } from "../../kit/schema/settings.ts";
import { requestLimitMs } from "../../kit/vm/attached-vm.ts";
import { instantOf } from "../client/element.ts";
import { vmIdOf } from "../client/moref.ts";
import { periodMs } from "../client/period.ts";
import { problem } from "../codes.ts";
import { reclaimIn, reclaimTypeName, vmTypeName } from "../machine/names.ts";
import { entityKey } from "../machine/vm.ts";
import { browserRequest } from "./browser-request.ts";
import {
  type ReclaimFacts,
  readReclaimFacts,
  reclaimObjections,
  shrunkDisks,
} from "./reclaim-facts.ts";

const hourMs = 3_600_000;

export const wipeVerb = "wipe";
export const shrinkVerb = "shrink";

const wipePool = "wipe host ";
const shrinkPool = "shrink datastore ";
const separator = "/reclaim";

export const reclaimType: ResourceType = {
  name: reclaimTypeName,
  get schema() {
    return loadSchema("resources", reclaimTypeName);
  },
  ownership: "owned",
  tasks: true,
  recordOnly: true,
  container: {
    attribute: "vm",
    type: vmTypeName,
    powerIn: (facts) => readReclaimFacts(facts).power ?? undefined,
  },
  links: [],
  identityOf: (attributes) => {
    const { vm = "", disk_id: disk } = reclaimIn(attributes);
    const id = vmIdOf(vm);
    const isOpen = disk === undefined && (attributes.disk_id ?? null) !== null;
    return id === undefined || isOpen ? undefined : reclaimIdentity(id, disk);
  },
  // There is nothing on the server that could be imported.
  parseIdentity: () => undefined,
  // An id of a VM may be given again.
  identifiers: [["vm_instance_uuid"]],
  entity: (identity, settings) => entityKey(reclaimParts(identity).vm, settings),
  due,
  needsFacts: true,
  objections: reclaimObjections,
  poolLimit: (pool, settings) => {
    if (pool.startsWith(wipePool)) return limitOf(settings, "wipes_per_host") ?? 1;
    if (pool.startsWith(shrinkPool)) return limitOf(settings, "shrinks_per_datastore") ?? 1;
    return undefined;
  },
  lower,
  request,
  // The whole guest is read by a wipe, and whole files are moved by a shrink.
  limitMs: () => 24 * hourMs,
  check,
};

function reclaimIdentity(vm: string, disk?: string): string {
  return `${vm}${separator}${disk === undefined ? "" : `/${disk}`}`;
}

/** `disk` is absent where all disks of the VM are meant. */
export function reclaimParts(identity: string): { readonly vm: string; readonly disk?: string } {
  const [vm = "", disk] = identity.split(/\/reclaim\/?/);
  return disk === undefined || disk === "" ? { vm } : { vm, disk };
}

/**
 * A wipe that succeeded and was not followed by its shrink is `pending`, and stays so however long
 * ago that is. It is recorded with what was sent, since that joins the record by success alone;
 * what a task tells may be lost with the process that followed it. A time of the wipe that is null
 * takes it back: a shrink was refused (`wipeTakenBack`).
 */
function due(
  { applied, attributes }: RecordedObject,
  wanted: PlannedAttributes,
  nowMs: number,
): readonly string[] {
  const pending = applied?.pending;
  if (pending === true) return [attributes.wiped_at === null ? "wiped_at" : "pending"];
  // A record of work that nobody has seen the end of.
  if (pending !== false) return ["wiped_at"];
  const { shrunk_at: shrunk, wiped_at: wiped } = reclaimIn(attributes);
  const everyMs = periodMs(reclaimIn(wanted).every ?? "");
  if (everyMs === undefined) return [];
  // A wipe that found nothing was not followed by a shrink.
  const lastMs = Math.max(...[shrunk, wiped].map((at) => instantOf(at) ?? 0));
  return lastMs + everyMs <= nowMs ? ["every"] : [];
}

/**
 * What a disk that refuses to be shrunk tells: the wipe that was recorded does not hold for it (any
 * more), whoever has done what to it. Another wipe does no harm, while a shrink alone would be
 * refused for ever.
 */
export const wipeTakenBack = {
  attributes: { wiped_at: null },
  message: "the wipe of before does not count any more, and the next run wipes again",
} as const;

function lower(change: LowerRequest): readonly LoweredStep[] {
  // Only the record ends.
  if (change.action === "delete") return [];
  const { identity, inputs } = change;
  const facts = change.facts === undefined ? undefined : readReclaimFacts(change.facts);
  const isWiped =
    change.action === "update" && change.changed.every((attribute) => attribute === "pending");
  const shrink = shrinkStep(identity, facts);
  if (isWiped) return [shrink];
  const wipe = wipeStep(identity, inputs, facts);
  const effect = change.action === "create" ? "create" : "update";
  return [
    { ...wipe, effect },
    {
      ...shrink,
      request: { ...shrink.request, unneededBy: nothingFound },
      order: { ...shrink.order, afterPrevious: true },
    },
  ];
}

/** Told by the wipe before it: nothing of it can be given back. */
const nothingFound = {
  attribute: "pending",
  equals: false,
  why: "the wipe found nothing that could be given back, so nothing was sent",
};

const common = {
  effect: "update",
  disrupts: ["reclaim"],
  // The server keeps nothing of it that could be read; the task alone tells how it ended.
  proof: { expect: [], unobservable: true, requestLimitMs },
} as const;

function wipeStep(
  identity: string,
  inputs: PlannedAttributes,
  facts: ReclaimFacts | undefined,
): LoweredStep {
  const { vm } = reclaimParts(identity);
  const given = givenInputs(inputs);
  const { every = null } = inputs;
  return {
    ...common,
    verb: wipeVerb,
    summary: `wipe the free space of VM ${facts?.vm ?? vm}`,
    request: { inputs: given, repeat: "unsafe" },
    order: {
      long: true,
      needs: "on",
      pools: facts === undefined || facts.host === null ? [] : [`${wipePool}${facts.host}`],
    },
    applied: {
      ...given,
      pending: true,
      ...(every === null ? {} : { every }),
      ...(facts?.instance_uuid ? { vm_instance_uuid: facts.instance_uuid } : {}),
    },
  };
}

/** While the VM is on, as the wipe: a window that was opened for that one stays open for this. */
function shrinkStep(identity: string, facts: ReclaimFacts | undefined): LoweredStep {
  const { vm, disk } = reclaimParts(identity);
  const disks = facts === undefined ? [] : shrunkDisks(facts, disk);
  return {
    ...common,
    verb: shrinkVerb,
    summary: `shrink ${disk === undefined ? "the disks" : `disk ${disk}`} of VM ${facts?.vm ?? vm}`,
    request: { inputs: {}, repeat: "unsafe" },
    applied: { pending: false },
    order: {
      long: true,
      needs: "on",
      pools: disks.flatMap(({ datastore }) => (datastore ? [`${shrinkPool}${datastore}`] : [])),
    },
  };
}

function givenInputs(inputs: PlannedAttributes): PlannedAttributes {
  const { vm = null, disk_id: disk = null, triggers = null } = inputs;
  const given: { [attribute: string]: PlannedValue } = { vm };
  if (disk !== null) given.disk_id = disk;
  if (triggers !== null) given.triggers = triggers;
  return given;
}

/** The form of the object browser (wire facts D.1); an empty disk means all of them. */
function request(verb: string, identity: string): RequestPreview | undefined {
  const call = browserCall(verb, identity);
  return call === undefined ? undefined : browserRequest(call);
}

export function browserCall(
  verb: string,
  identity: string,
):
  | {
      readonly moid: string;
      readonly method: string;
      readonly parameters: readonly (readonly [string, string])[];
    }
  | undefined {
  const { vm, disk = "" } = reclaimParts(identity);
  switch (verb) {
    case wipeVerb:
      return { moid: vm, method: "wipeDisk", parameters: [] };
    case shrinkVerb:
      return { moid: vm, method: "shrinkDisk", parameters: [["diskId", disk]] };
    default:
      return undefined;
  }
}

function check(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const { vm, every } = reclaimIn(attributes);
  if (vm !== undefined && vmIdOf(vm) !== vm) {
    const detail = `${JSON.stringify(vm)} is no id of a VM.`;
    const fix = "Use ${manager_vm.NAME.moref}.";
    return [problem({ address }, "MGR105", { detail, fix })];
  }
  if (every === undefined || periodMs(every) !== undefined) return [];
  const detail = `${JSON.stringify(every)} is no period.`;
  const fix = "Write a period such as 30d; units: m, h, d, w.";
  return [problem({ address }, "MGR106", { detail, fix })];
}
