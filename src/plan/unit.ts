/** A unit: one object of the plan with its classification, before and while it is lowered. */

import type { LateCondition } from "../model/operation/condition.ts";
import type { ContainerKey, ObjectKey, OperationBranch } from "../model/operation/operation.ts";
import type { PowerState } from "../model/operation/power.ts";
import type { ChangeAction, ChangeReason } from "../model/plan/change.ts";
import type { DesiredInstance } from "../model/plan/desired.ts";
import type { ResourceType } from "../model/provider/provider.ts";
import type { Address } from "../model/value/address.ts";
import type { DeferredAttributes } from "../model/value/expression.ts";
import type { Attributes, PlannedAttributes, Value } from "../model/value/value.ts";
import type { Prior } from "./before/prior.ts";

export type Unit = {
  readonly address: Address;
  /** Key of the recorded object; `current` unless it was deposed by a replace. */
  readonly objectKey: ObjectKey;
  readonly type: ResourceType;
  readonly provider: string;
  readonly settings: Value;
  /** Undefined when the object left the configuration. */
  readonly desired: DesiredInstance | undefined;
  readonly prior: Prior | undefined;
  /** Identity after the plan; the recorded one for deletes. */
  readonly identity: string;
  readonly action: ChangeAction;
  readonly reason: ChangeReason;
  /** Wanted attributes with defaults; empty for deletes. */
  readonly wanted: PlannedAttributes;
  readonly deferred: DeferredAttributes;
  readonly updates: readonly string[];
  readonly forceNew: readonly string[];
  /** Attributes that differ from what is there, and for which nothing is sent. */
  readonly standing: readonly string[];
  /** Only late values say that it is replaced; the in-place changes it needs where it is kept. */
  readonly undecided: { readonly updates: readonly string[] } | undefined;
  /** When its operations run, where its replacement, or that of its container, is undecided. */
  readonly branch: OperationBranch | undefined;
  /** The object ends with its container, or ended already: no request. */
  readonly endsSilently: boolean;
  readonly power: PowerGoal | undefined;
  /** A replace that creates the new object before it deletes the old one, which takes this key. */
  readonly deposes: ObjectKey | undefined;
  /** What it depends on, by reference, `depends_on` or value; recorded ones for deletes. */
  readonly dependencies: readonly Address[];
  /** What the session told about this change; undefined where nothing was asked or answered. */
  readonly facts: Attributes | undefined;
  /** What is judged of it while applying, before and after its operations. Absent: nothing. */
  readonly conditions?: readonly LateCondition[];
  /** Power that an object is given before it is forgotten: off, or what it is still owed. */
  readonly partsWith: PowerState | undefined;
};

/** Power of a VM before and after, as far as planning can know. */
export type PowerGoal = {
  /** Undefined: there is no object yet, or its power could not be read. */
  readonly from: PowerState | undefined;
  readonly to: PowerState;
  /** A restore that is open in recorded state. */
  readonly openRestore: PowerState | undefined;
  /** Power to be remembered by the first operation. */
  readonly remember: PowerState | undefined;
};

/** The container a unit's object is content of, by value. */
export function containerOf(unit: Unit, side: "prior" | "planned"): ContainerKey | undefined {
  const { container } = unit.type;
  if (container === undefined) return undefined;
  if (side === "prior") return unit.prior?.record.container;
  const identity = unit.wanted[container.attribute];
  return typeof identity === "string" ? { type: container.type, identity } : undefined;
}

/** Key of a unit among all units of a plan; that of a current object is its address. */
export function unitKey(unit: Pick<Unit, "address" | "objectKey">): string {
  return unit.objectKey === "current" ? unit.address : `${unit.address} ${unit.objectKey}`;
}

export function creates(unit: Unit): boolean {
  return unit.action === "create" || unit.action === "replace";
}

/** Inputs left unset of an object that is made, to which the server gives values. */
export function completedNames(unit: Unit): readonly string[] {
  if (!creates(unit)) return [];
  return Object.values(unit.type.schema.attributes).flatMap(({ name, completed }) =>
    completed === true && (unit.wanted[name] ?? null) === null ? [name] : [],
  );
}

/** The old object ends, with or without a request. */
export function ends(unit: Unit): boolean {
  return unit.action === "delete" || unit.action === "replace";
}

/** True of an object that is deleted before its successor is made. */
export function endsFirst(unit: Unit): boolean {
  return unit.action === "replace" && unit.deposes === undefined && !unit.endsSilently;
}
