/** Classifies recorded objects that the configuration no longer wants. */

import { quotedWord, shellWord } from "../../lib/shell-word.ts";
import type { PowerState } from "../../model/operation/power.ts";
import type { ChangeReason } from "../../model/plan/change.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import type { Address } from "../../model/value/address.ts";
import { isAwaited, missingReason, type Prior } from "../before/prior.ts";
import { prevented } from "../before/protection.ts";
import { matches } from "../before/selection.ts";
import { problem } from "../codes.ts";
import { containerKey } from "../keys.ts";
import type { Unit } from "../unit.ts";
import { blocked, type Draft, type Outcome } from "./draft.ts";
import { powerGoal } from "./power-goal.ts";

/** Containers come before their content. */
export function classifyLeft(draft: Draft, prior: Prior): Outcome {
  const { record } = prior;
  const { address } = record;
  const at = { address };
  if (draft.input.withheld.has(address)) return blocked(address);
  const type = draft.input.types[record.type];
  if (type === undefined) {
    const detail = `Its type ${record.type} is not known to this version of vmform.`;
    const fix = `Forget it with: vmform state rm ${quotedWord(record.address)}`;
    return blocked(address, problem(at, "PLN008", { detail, fix }));
  }
  const silently = record.container !== undefined && containerEnds(draft, record.container);
  if (record.status === "tentative" && prior.existence !== "found" && !silently) {
    // Never seen, no longer wanted. While it may still appear it is kept; then it is forgotten.
    const over = prior.existence === "missing" && !isAwaited(prior, draft.input.nowMs);
    return over ? { address, expired: prior } : { address, kept: prior };
  }
  if (prior.failed && !silently && !needsNoLook(draft, prior, type)) {
    const detail = `${prior.why}. It left the configuration, but nothing is planned for it.`;
    const fix =
      "If it is not to be seen again, forget it: removed with destroy: false, or " +
      `vmform state rm ${shellWord(record.address)}`;
    return blocked(address, problem(at, "PLN005", { detail, fix }));
  }
  const partsOff = turnsOff(draft, prior, type);
  const harms = type.ownership === "owned" || partsOff;
  const protection = draft.protection(record);
  if (harms && protection !== undefined && record.objectKey === "current") {
    return blocked(address, prevented(at, "destroy", protection));
  }
  const left = leftUnit(draft, prior, type, silently);
  const partsWith = partsOff ? "off" : owedPower(draft, prior, left);
  const unit = { ...left, partsWith };
  if (partsWith !== undefined && unit.power?.from === undefined) {
    const detail = `Its power could not be read. It is not forgotten before it is ${partsWith}.`;
    return blocked(address, problem(at, "PLN005", { detail }));
  }
  // An attached object lives on when it is forgotten, and so does its content.
  if (type.ownership === "attached" && prior.existence !== "missing") return { address, unit };
  return { address, unit, ends: containerKey({ type: record.type, identity: record.identity }) };
}

/**
 * Leaving sends nothing, whatever the object is like: its server may be gone for good. Power that
 * it is owed is another matter, which is not forgotten with it.
 */
function needsNoLook(draft: Draft, { record }: Prior, type: ResourceType): boolean {
  if (draft.restores.has(record.address)) return false;
  if (isRemoved(draft, record.address) || type.recordOnly === true) return true;
  return type.ownership === "attached" && type.parting?.(record.applied ?? {}) !== "power-off";
}

/** An attached object may be turned off when it leaves; `removed` with destroy: false keeps it. */
function turnsOff(draft: Draft, { existence, record }: Prior, type: ResourceType): boolean {
  if (existence !== "found" || isRemoved(draft, record.address)) return false;
  return type.ownership === "attached" && type.parting?.(record.applied ?? {}) === "power-off";
}

/** Who forgets an object forgets what it is owed: a VM that a window left off would stay so. */
function owedPower(
  draft: Draft,
  { existence, record }: Prior,
  { action }: Unit,
): PowerState | undefined {
  if (action !== "forget" || existence !== "found" || record.objectKey !== "current") {
    return undefined;
  }
  return draft.restores.get(record.address);
}

function containerEnds(
  draft: Draft,
  container: { readonly type: string; readonly identity: string },
): boolean {
  const key = containerKey(container);
  return draft.renewed.has(key) || draft.ended.has(key);
}

function leftUnit(draft: Draft, prior: Prior, type: ResourceType, silently: boolean): Unit {
  const { record } = prior;
  const { address } = record;
  const attached = type.ownership === "attached";
  const forget =
    attached ||
    type.recordOnly === true ||
    prior.existence === "missing" ||
    isRemoved(draft, address);
  return {
    address,
    objectKey: record.objectKey,
    type,
    provider: record.provider,
    settings: draft.input.settings.get(record.provider) ?? null,
    desired: undefined,
    prior,
    identity: record.identity,
    action: forget ? "forget" : "delete",
    reason: leftReason(draft, prior, silently),
    wanted: {},
    deferred: {},
    updates: [],
    forceNew: [],
    standing: [],
    undecided: undefined,
    branch: undefined,
    endsSilently: silently,
    power: powerGoal({ draft, address, type, wanted: {}, action: "delete", prior }),
    deposes: undefined,
    dependencies: record.dependencies,
    facts: undefined,
    partsWith: undefined,
  };
}

/** A `removed` entry that keeps the object. */
function isRemoved(draft: Draft, address: Address): boolean {
  if (draft.input.mode === "destroy") return false;
  return draft.input.desired.removed.some(
    ({ from, destroy }) => !destroy && matches(address, [from]),
  );
}

function leftReason(draft: Draft, prior: Prior, silently: boolean): ChangeReason {
  if (prior.existence === "missing") return missingReason(prior);
  if (isRemoved(draft, prior.record.address)) return { kind: "removed" };
  if (silently) {
    return { kind: "container-deleted", container: prior.record.container?.identity ?? "" };
  }
  if (prior.record.objectKey !== "current") return { kind: "deposed" };
  return { kind: draft.input.mode === "destroy" ? "destroy" : "not-in-configuration" };
}
