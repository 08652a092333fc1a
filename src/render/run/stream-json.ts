/** Parts of the JSON event stream that no engine event tells: version, plan, counts, outputs. */

import { plural } from "../../lib/text.ts";
import { adoptedObjects } from "../../model/plan/adopted.ts";
import type { Change } from "../../model/plan/change.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { planCounts } from "../../model/plan/plan-counts.ts";
import type { RecordedOutput } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import { equalValues, type ValueMap } from "../../model/value/value.ts";
import type { Explained } from "../plan/explain/explanation.ts";
import { type ApplySummary, applySummaryText, planSummaryText } from "../plan/plan-summary.ts";
import { diagnosticJson, streamAction, streamMessage, streamResource } from "./event-json.ts";
import { explanationJson } from "./explanation-json.ts";

/** Version of the stream's form; within version 1 members are only added. */
const streamVersion = "1.0";

/** The first line of every stream. */
export function versionMessage(version: string, atMs: number): ValueMap {
  const rest = { vmform: version, ui: streamVersion };
  return streamMessage({
    level: "info",
    message: `vmform ${version}`,
    atMs,
    type: "version",
    rest,
  });
}

/** Drift, changes, late reads, diagnostics, counts and outputs of a plan, in this order. */
export function planMessages(plan: Plan, atMs: number): readonly ValueMap[] {
  const drift = plan.drift.map(({ address, status }) => {
    const action = status === "missing" ? "delete" : "update";
    return streamMessage({
      level: "info",
      message: `${address}: Drift detected (${action})`,
      atMs,
      type: "resource_drift",
      rest: { change: { resource: streamResource(address), action } },
    });
  });
  const adopted = adoptedObjects(plan);
  const changes = plan.changes
    .filter(({ action, address }) => action !== "no-op" || adopted.has(address))
    .map((change) => plannedChange(change, adopted.get(change.address)?.object.identity, atMs));
  const reads = plan.data.flatMap(({ address, attributes }) =>
    attributes === undefined ? [plannedRead(address, atMs)] : [],
  );
  const diagnostics = plan.diagnostics.map((diagnostic) =>
    streamMessage({
      level: diagnostic.severity === "error" ? "error" : "warn",
      message: `${diagnostic.severity} ${diagnostic.code}: ${diagnostic.summary}`,
      atMs,
      type: "diagnostic",
      rest: { diagnostic: diagnosticJson(diagnostic) },
    }),
  );
  return [
    ...drift,
    ...changes,
    ...reads,
    ...diagnostics,
    planSummary(plan, atMs),
    ...plannedOutputs(plan, atMs),
  ];
}

/** What a plan says of one object, in place of the plan. */
export function explanationMessage(explanation: Explained, atMs: number): ValueMap {
  return streamMessage({
    level: "info",
    message: `${explanation.address}: Explained`,
    atMs,
    type: "explanation",
    rest: { explanation: explanationJson(explanation) },
  });
}

/** The counts of a finished apply. */
export function applySummaryMessage(summary: ApplySummary, atMs: number): ValueMap {
  const { mode, imported, adopted, added, changed, destroyed, failed, skipped } = summary;
  const operation = mode === "destroy" ? "destroy" : "apply";
  const rest = {
    changes: {
      add: added,
      change: changed,
      import: imported + adopted,
      remove: destroyed,
      operation,
      failed,
      skipped,
      ...(summary.pending === 0 ? {} : { pending: summary.pending }),
    },
  };
  const message = applySummaryText(summary);
  const level = failed + skipped + summary.kept > 0 || summary.interrupted ? "error" : "info";
  return streamMessage({ level, message, atMs, type: "change_summary", rest });
}

/** Outputs after an apply; a sensitive one has no value. */
export function outputsMessage(outputs: readonly RecordedOutput[], atMs: number): ValueMap {
  const members = outputs.map(({ name, value, sensitive }): [string, ValueMap] => [
    name,
    sensitive ? { sensitive } : { sensitive, value },
  ]);
  return streamMessage({
    level: "info",
    message: `Outputs: ${outputs.length}`,
    atMs,
    type: "outputs",
    rest: { outputs: Object.fromEntries(members) },
  });
}

/** An import that changes nothing has an action of its own, as in Terraform. */
function plannedChange(change: Change, imported: string | undefined, atMs: number): ValueMap {
  const only = change.action === "no-op" && imported !== undefined;
  const action = only ? "import" : streamAction(change.action);
  const importing = imported === undefined ? {} : { importing: { id: imported } };
  const reason = change.reason.kind === "force-new" ? { reason: "cannot_update" } : {};
  return streamMessage({
    level: "info",
    message: `${change.address}: Plan to ${action}`,
    atMs,
    type: "planned_change",
    rest: { change: { resource: streamResource(change.address), action, ...reason, ...importing } },
  });
}

/** A data source that is read while applying. */
function plannedRead(address: Address, atMs: number): ValueMap {
  return streamMessage({
    level: "info",
    message: `${address}: Plan to read`,
    atMs,
    type: "planned_change",
    rest: { change: { resource: streamResource(address), action: "read" } },
  });
}

function planSummary(plan: Plan, atMs: number): ValueMap {
  const counts = planCounts(plan);
  const changes = {
    add: counts.add,
    change: counts.change,
    import: counts.import,
    remove: counts.destroy,
    operation: "plan",
    forget: counts.forget,
    power_cycles: counts.powerCycles,
    blocked: counts.blocked,
  };
  const { workspace } = plan;
  const rest = { changes, ...(workspace === undefined ? {} : { workspace }) };
  const message = planSummaryText(plan);
  return streamMessage({ level: "info", message, atMs, type: "change_summary", rest });
}

function plannedOutputs(plan: Plan, atMs: number): readonly ValueMap[] {
  if (plan.outputs.length === 0) return [];
  const members = plan.outputs.map(({ name, sensitive, before, after }): [string, ValueMap] => {
    const action = equalValues(before, after)
      ? "noop"
      : before === null
        ? "create"
        : after === null
          ? "delete"
          : "update";
    return [name, { sensitive, action }];
  });
  const message = plural(plan.outputs.length, "output");
  const rest = { outputs: Object.fromEntries(members) };
  return [streamMessage({ level: "info", message, atMs, type: "outputs", rest })];
}
