/**
 * What a plan says of one object, and why: where it is configured, what is recorded, observed and
 * planned of each attribute, by which rule, which consent that needs, and its operations in order.
 */

import type { Consent } from "../../../model/operation/disruption.ts";
import type { Operation } from "../../../model/operation/operation.ts";
import type { Change } from "../../../model/plan/change.ts";
import { missingConsent } from "../../../model/plan/consent.ts";
import type { DesiredInstance } from "../../../model/plan/desired.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import type { Diagnostic, SourcePosition } from "../../../model/said/diagnostic.ts";
import type { Address } from "../../../model/value/address.ts";
import type { SchemaRegistry } from "../../../model/value/resource-schema.ts";
import {
  equalValues,
  type PlannedAttributes,
  type PlannedValue,
} from "../../../model/value/value.ts";
import { isSensitive } from "../../text/value/sensitivity.ts";
import { orderOperations } from "../operation-order.ts";
import { requestMask } from "../request-mask.ts";
import type { DataExplanation } from "./data-explanation.ts";
import { explainedAttributes } from "./explained-attributes.ts";
import { objectRules } from "./object-rules.ts";
import { type ReasonsOf, reasonsIn } from "./operation-reasons.ts";

/** Undefined where it is not set, not read, or where there is no object. */
export type ExplainedValues = {
  readonly configured: PlannedValue | undefined;
  readonly recorded: PlannedValue | undefined;
  readonly observed: PlannedValue | undefined;
  readonly planned: PlannedValue | undefined;
};

export type ExplainedAttribute = {
  readonly name: string;
  readonly place: SourcePosition | undefined;
  readonly values: ExplainedValues;
  /** The expression of a value that is known after apply, as written. */
  readonly template: string | undefined;
  readonly sensitive: boolean;
  /** What decides on it: sentences without a period; empty where it stays as it is. */
  readonly rules: readonly string[];
  /** What has to be known of the values, in the same form. */
  readonly remarks: readonly string[];
};

export type ExplainedConsent = { readonly disruption: Consent; readonly given: boolean };

export type ExplainedOperation = {
  readonly operation: Operation;
  /** Without what is secret. */
  readonly summary: string;
  /** Among all of the plan, in the order in which they are shown, from 1. */
  readonly position: number;
  readonly reasons: readonly string[];
};

export type PlanExplanation = {
  readonly address: Address;
  /** Of the object, and of what an earlier replace has left; none where it is not planned. */
  readonly changes: readonly Change[];
  readonly place: SourcePosition | undefined;
  readonly rules: readonly string[];
  readonly attributes: readonly ExplainedAttribute[];
  readonly consent: readonly ExplainedConsent[];
  readonly operations: readonly ExplainedOperation[];
  /** Operations of the plan. */
  readonly total: number;
  readonly problems: readonly Diagnostic[];
};

/** Of an object, or of a data source. */
export type Explained = PlanExplanation | DataExplanation;

export type ExplainedWith = {
  readonly types: SchemaRegistry;
  /** What the configuration says; absent where only the plan is known, or it is not configured. */
  readonly instance?: DesiredInstance;
  /** Whether the configuration is known at all. */
  readonly configurationKnown: boolean;
};

/** Pure. Says the same of equal plans. */
export function explainPlan(
  plan: Plan,
  address: Address,
  { types, instance, configurationKnown }: ExplainedWith,
): PlanExplanation {
  const changes = plan.changes.filter((change) => change.address === address);
  const change = changes.find(({ objectKey }) => objectKey === "current") ?? changes[0];
  const lacking = missingConsent(plan).filter((need) => need.address === address);
  const lacks = new Set(lacking.map(({ disruption }) => disruption));
  const needed = plan.consent.flatMap((need) =>
    need.address === address ? [need.disruption] : [],
  );
  return {
    address,
    changes,
    place: instance?.source,
    rules: objectRules(plan, address, change, { instance, configurationKnown }),
    attributes:
      change === undefined
        ? []
        : explainedAttributes(plan, change, {
            types,
            instance,
            configured: configuredOf(plan, instance),
          }),
    consent: [...new Set(needed)].map((disruption) => {
      return { disruption, given: !lacks.has(disruption) };
    }),
    operations: operationsOf(plan, address, types, reasonsIn(plan, instance)),
    total: plan.operations.length,
    problems: plan.diagnostics.filter((diagnostic) => diagnostic.address === address),
  };
}

/** As far as it is known while planning. */
function configuredOf(
  { changes }: Plan,
  instance: DesiredInstance | undefined,
): PlannedAttributes | undefined {
  if (instance === undefined) return undefined;
  const after = new Map(changes.map((change) => [change.address, change.after]));
  return instance.resolve((name) => after.get(name) ?? undefined).attributes;
}

/** Its own, and those of the power windows of the VM that it is. */
function operationsOf(
  plan: Plan,
  address: Address,
  types: SchemaRegistry,
  reasons: ReasonsOf,
): readonly ExplainedOperation[] {
  const windows = new Set(
    plan.operations.flatMap(({ subject, order: { window } }) =>
      subject.address === address && window !== undefined && window.role !== "member"
        ? [window.id]
        : [],
    ),
  );
  return orderOperations(plan).flatMap((operation, index) => {
    const { subject, order } = operation;
    const isMember = order.window !== undefined && windows.has(order.window.id);
    if (subject.address !== address && !isMember) return [];
    const isSecret = (name: string): boolean => isSensitive(types, subject.type, name);
    const summary = requestMask(operation.request.inputs, isSecret).text(operation.summary);
    return [{ operation, summary, position: index + 1, reasons: reasons(operation) }];
  });
}

/** Nothing of an attribute is in motion, and nothing differs. */
export function isSettled({ values, rules }: ExplainedAttribute): boolean {
  const { configured, recorded, observed, planned } = values;
  const all = [configured, recorded, observed, planned].filter((value) => value !== undefined);
  const [first] = all;
  return rules.length === 0 && all.every((value) => equalValues(value, first ?? null));
}
