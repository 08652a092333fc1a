/** A rehearsal as data, after `schemas/rehearsal.schema.json`. Holds no secret of the plan. */

import { durationKind } from "../../model/plan/durations.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { foreseesFailure, type Rehearsal } from "../../model/plan/rehearsal.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { diagnosticJson, streamMessage } from "../run/event-json.ts";
import { publicDocument, publicMembers } from "../text/public-json.ts";
import { rehearsalSummary, summariesOf } from "./rehearsal-text.ts";

/** Times are milliseconds from the beginning of the rehearsed apply. */
export function rehearsalJson(plan: Plan, rehearsal: Rehearsal, types: SchemaRegistry): ValueMap {
  const summaries = summariesOf(plan, types);
  const kinds = new Map(plan.operations.map((one) => [one.id, durationKind(one)]));
  const { failures, paces } = rehearsal;
  return publicDocument({
    plan_id: rehearsal.planId,
    timestamp: new Date(rehearsal.atMs).toISOString(),
    succeeds: !foreseesFailure(rehearsal),
    duration_ms: rehearsal.durationMs,
    duration_known: paces.every(({ samples }) => samples > 0),
    operations: rehearsal.operations.map((operation) => {
      const { id } = operation;
      const kind = kinds.get(id) ?? "";
      return publicMembers({ ...operation, summary: summaries.get(id) ?? id, kind });
    }),
    power_windows: rehearsal.windows.map((window) => publicMembers({ ...window })),
    datastores: rehearsal.datastores.map((datastore) => publicMembers({ ...datastore })),
    failures: failures.map((failure) => publicMembers({ ...failure })),
    paces: paces.map((pace) => publicMembers({ ...pace })),
    unknown: rehearsal.unknown,
    diagnostics: rehearsal.diagnostics.map(diagnosticJson),
  });
}

/** The same in the stream of `plan`. */
export function rehearsalMessage(
  plan: Plan,
  rehearsal: Rehearsal,
  { types, atMs }: { readonly types: SchemaRegistry; readonly atMs: number },
): ValueMap {
  return streamMessage({
    level: foreseesFailure(rehearsal) ? "warn" : "info",
    message: rehearsalSummary(rehearsal),
    atMs,
    type: "rehearsal",
    rest: { rehearsal: rehearsalJson(plan, rehearsal, types) },
  });
}
