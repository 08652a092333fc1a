/**
 * A plan as data after Terraform's plan JSON, so that policy and comment tools read it. Unlike
 * there, a secret is not merely marked: its value is left out. `operations` and the members after
 * it are our own. Within format version 1 members are only added.
 */

import { adoptedObjects } from "../../model/plan/adopted.ts";
import type { Change, ChangeAction, ChangeReason } from "../../model/plan/change.ts";
import { movesIn } from "../../model/plan/moved.ts";
import type {
  DriftNotice,
  Plan,
  PlannedData,
  PlannedOutput,
  StandingDifference,
} from "../../model/plan/plan.ts";
import { planCounts } from "../../model/plan/plan-counts.ts";
import { type Address, parseAddress } from "../../model/value/address.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import {
  equalValues,
  isKnown,
  isUnknown,
  type PlannedAttributes,
  type PlannedValue,
  type Value,
  type ValueMap,
} from "../../model/value/value.ts";
import { isSensitive } from "../text/value/sensitivity.ts";
import { sensitiveLiteral } from "../text/value/value-text.ts";
import {
  type IsSecret,
  knownAttributes,
  knownPart,
  resourceJson,
  secretAttributes,
  unknownAttributes,
  unknownPart,
} from "./json-values.ts";
import { joinJson, operationJson } from "./operation-json.ts";
import { orderOperations } from "./operation-order.ts";
import { plannedConfiguration, plannedValues } from "./planned-values.ts";
import { judgedJson } from "./remark/judged-text.ts";
import { limitsJson } from "./remark/limit-text.ts";
import { policiesJson } from "./remark/policy-text.ts";

/** Holds no secret. Integers may be bigint: write it with `stringifyJson`. */
export function planJson(plan: Plan, types: SchemaRegistry): ValueMap {
  const movedFrom = new Map<Address, Address>();
  for (const { from, to } of movesIn(plan.notes)) movedFrom.set(to, from);
  const adopted = adoptedObjects(plan);
  const priors = new Map(plan.changes.map((change) => [change.address, change.before]));
  const judged = judgedJson(plan);
  return {
    format_version: "1.0",
    planned_values: plannedValues(plan, types),
    resource_drift: plan.drift.map((notice) =>
      driftJson(notice, priors.get(notice.address) ?? {}, types),
    ),
    resource_changes: [
      ...plan.data.filter(({ attributes }) => attributes === undefined).map(lateDataJson),
      ...plan.changes.map((change) =>
        changeJson(
          change,
          {
            previous: movedFrom.get(change.address),
            imported: adopted.get(change.address)?.object.identity,
          },
          types,
        ),
      ),
    ],
    output_changes: Object.fromEntries(
      plan.outputs.map((output) => [output.name, outputChangeJson(output)]),
    ),
    configuration: plannedConfiguration(plan),
    timestamp: new Date(plan.createdMs).toISOString(),
    applyable: planCountsTotal(plan) > 0 && plan.interrupted.length === 0,
    complete: plan.blocked.length === 0,
    errored: plan.diagnostics.some(({ severity }) => severity === "error"),
    endpoints: plan.endpoints.map((endpoint) => ({ ...endpoint })),
    operations: orderOperations(plan).map((operation) => operationJson(operation, types)),
    ...(plan.joins.length === 0 ? {} : { joins: plan.joins.map(joinJson) }),
    ...(plan.limits === undefined ? {} : { limits: limitsJson(plan) }),
    ...(judged.length === 0 ? {} : { judged_during_apply: judged }),
    plan_id: plan.id,
    mode: plan.mode,
    simulated: plan.simulated,
    ...(plan.workspace === undefined ? {} : { workspace: plan.workspace }),
    base: { lineage: plan.base.lineage, serial: plan.base.serial, position: plan.base.position },
    not_checked: plan.notChecked.map(({ address, reason }) => ({ address, reason })),
    differences: plan.differences.map(({ address, attributes }) => ({
      address,
      attributes: attributes.map(differenceJson),
    })),
    scope: { selected: plan.scope.selected, objects: plan.scope.objects },
    facts: plan.facts.map(({ address, facts }) => ({ address, facts })),
    blocked: plan.blocked,
    ...(plan.policies === undefined ? {} : { policies: policiesJson(plan.policies) }),
    consent: plan.consent.map(({ address, disruption }) => ({ address, disruption })),
    allowed: plan.allowed,
    interrupted: plan.interrupted,
    diagnostics: plan.diagnostics.map(({ severity, code, summary, detail, fix, address }) => ({
      severity,
      code,
      summary,
      detail,
      ...(fix === undefined ? {} : { fix }),
      ...(address === undefined ? {} : { address }),
    })),
  };
}

function differenceJson(difference: StandingDifference): ValueMap {
  const { attribute, wanted, observed, sensitive, why } = difference;
  const shown = (value: PlannedValue): Value => {
    if (sensitive) return value === null ? null : sensitiveLiteral;
    return isKnown(value) ? value : null;
  };
  return { attribute, wanted: shown(wanted), observed: shown(observed), why };
}

const actionsOf: { readonly [action in ChangeAction]: readonly string[] } = {
  "no-op": ["no-op"],
  create: ["create"],
  update: ["update"],
  replace: ["delete", "create"],
  delete: ["delete"],
  forget: ["forget"],
};

function planCountsTotal(plan: Plan): number {
  const counts = planCounts(plan);
  const { import: imported, adopt, add, change, destroy, forget, move, outputs } = counts;
  const recorded = imported + adopt + forget + move + counts.endpoint;
  return recorded + add + change + destroy + outputs + plan.operations.length;
}

/** Where the record of a change comes from: another address, or an object that existed already. */
type Origin = {
  readonly previous: Address | undefined;
  readonly imported: string | undefined;
};

function changeJson(
  change: Change,
  { previous, imported }: Origin,
  types: SchemaRegistry,
): ValueMap {
  const forcing = change.attributes.filter(({ forcesReplace }) => forcesReplace);
  const marked = new Set(
    change.attributes.flatMap(({ attribute, sensitive }) => (sensitive ? [attribute] : [])),
  );
  const isSecret = (name: string): boolean =>
    marked.has(name) || isSensitive(types, change.type, name);
  const actionReason = actionReasonOf(change.reason);
  return {
    ...resourceJson(change.address, change.provider),
    ...(previous === undefined ? {} : { previous_address: previous }),
    ...(change.objectKey === "current" ? {} : { deposed: change.objectKey }),
    change: {
      ...valuesJson(actionsOf[change.action], change.before, change.after, isSecret),
      ...(forcing.length === 0
        ? {}
        : { replace_paths: forcing.map(({ attribute }) => [attribute]) }),
      ...(imported === undefined ? {} : { importing: { id: imported } }),
    },
    ...(actionReason === undefined ? {} : { action_reason: actionReason }),
    identity: change.identity,
    reason: { ...change.reason },
  };
}

/** As a read of Terraform, which has to wait for the same reasons. Its answer is no part of it. */
function lateDataJson({ address, provider, query, deferred, waitsFor }: PlannedData): ValueMap {
  const isPending = Object.keys(deferred).length === 0;
  return {
    ...resourceJson(address, provider),
    // A sensitive argument is a reference to a secret, never the secret itself.
    change: valuesJson(["read"], null, query, () => false),
    action_reason: isPending ? "read_because_dependency_pending" : "read_because_config_unknown",
    waits_for: waitsFor,
  };
}

function driftJson(notice: DriftNotice, prior: ValueMap, types: SchemaRegistry): ValueMap {
  const type = parseAddress(notice.address)?.type ?? "";
  const isSecret = (name: string): boolean => isSensitive(types, type, name);
  const recorded = notice.attributes.map((drift) => [drift.attribute, drift.recorded] as const);
  const observed = notice.attributes.map((drift) => [drift.attribute, drift.observed] as const);
  const before = { ...prior, ...Object.fromEntries(recorded) };
  const after = { ...prior, ...Object.fromEntries(observed) };
  return {
    ...resourceJson(notice.address),
    change:
      notice.status === "missing"
        ? valuesJson(["delete"], before, null, isSecret)
        : valuesJson(["update"], before, after, isSecret),
  };
}

function valuesJson(
  actions: readonly string[],
  before: PlannedAttributes | null,
  after: PlannedAttributes | null,
  isSecret: IsSecret,
): ValueMap {
  return {
    actions,
    before: before === null ? null : knownAttributes(before, isSecret),
    after: after === null ? null : knownAttributes(after, isSecret),
    after_unknown: after === null ? {} : unknownAttributes(after),
    before_sensitive: before === null ? false : secretAttributes(before, isSecret),
    after_sensitive: after === null ? false : secretAttributes(after, isSecret),
  };
}

function outputChangeJson(output: PlannedOutput): ValueMap {
  const { before, after, sensitive } = output;
  const action = equalValues(before, after)
    ? "no-op"
    : before === null
      ? "create"
      : after === null
        ? "delete"
        : "update";
  const masked = (value: PlannedValue): Value =>
    sensitive && value !== null ? sensitiveLiteral : knownPart(value);
  return {
    actions: [action],
    before: masked(before),
    ...(isUnknown(after) ? {} : { after: masked(after) }),
    after_unknown: isKnown(after) ? false : unknownPart(after),
    before_sensitive: sensitive,
    after_sensitive: sensitive,
  };
}

function actionReasonOf(reason: ChangeReason): string | undefined {
  switch (reason.kind) {
    case "force-new":
      return "replace_because_cannot_update";
    case "container-replaced":
    case "triggered":
      return "replace_by_triggers";
    case "not-in-configuration":
    case "removed":
      return "delete_because_no_resource_config";
    case "requested":
      return "replace_by_request";
    case "deposed":
    case "readopted":
    case "not-recorded":
    case "missing":
    case "tentative":
    case "attributes":
    case "set-again":
    case "restore":
    case "container-deleted":
    case "destroy":
    case "no-change":
      return undefined;
  }
}
