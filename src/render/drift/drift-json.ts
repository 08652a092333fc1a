/** A drift report as data, as `schemas/drift-report.schema.json` describes it. */

import type {
  AttributeDifference,
  DriftCause,
  DriftReport,
  DriftSince,
  DriftSuggestion,
  ObjectDrift,
} from "../../model/plan/drift-report.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { diagnosticJson } from "../run/event-json.ts";
import { publicMembers } from "../text/public-json.ts";

export function driftJson(report: DriftReport): ValueMap {
  const { configuration, unmanaged, since, ...rest } = report;
  return publicMembers({
    ...rest,
    configuration: publicMembers(configuration),
    objects: report.objects.map(objectJson),
    causes: report.causes.map(causeJson),
    restores: report.restores.map((item) => ({ ...item })),
    neverRead: report.neverRead.map((item) => ({ ...item })),
    ...(unmanaged === undefined
      ? {}
      : {
          unmanaged: unmanaged.map((item) => ({
            ...item,
            suggestions: suggestionsJson(item.suggestions),
          })),
        }),
    unlisted: report.unlisted.map((item) => ({ ...item })),
    diagnostics: report.diagnostics.map(diagnosticJson),
    counts: publicMembers(report.counts),
    ...(since === undefined ? {} : { since: sinceJson(since) }),
  });
}

function objectJson(object: ObjectDrift): ValueMap {
  return publicMembers({
    ...object,
    place: object.place === undefined ? undefined : { ...object.place },
    drifted: object.drifted.map(differenceJson),
    unapplied: object.unapplied.map(differenceJson),
    standing: object.standing.map(differenceJson),
    ignored: object.ignored.map(({ by, ...item }) => ({
      ...publicMembers(item),
      by: publicMembers(by),
    })),
    ignoredBy: object.ignoredBy === undefined ? undefined : publicMembers(object.ignoredBy),
    notChecked: object.notChecked.map((attribute) => ({ ...attribute })),
    suggestions: suggestionsJson(object.suggestions),
    told: object.told?.map((change) => publicMembers(change)),
  });
}

function causeJson(cause: DriftCause): ValueMap {
  return publicMembers({
    ...cause,
    differences: cause.differences.map(differenceJson),
    suggestions: suggestionsJson(cause.suggestions),
  });
}

function differenceJson(difference: Omit<AttributeDifference, "fingerprint">): ValueMap {
  return publicMembers(difference);
}

function suggestionsJson(suggestions: readonly DriftSuggestion[]): readonly ValueMap[] {
  return suggestions.map((suggestion) => publicMembers(suggestion));
}

function sinceJson({ createdMs, fresh, still, fixed }: DriftSince): ValueMap {
  const all = (items: DriftSince["fixed"]): readonly ValueMap[] =>
    items.map((item) => publicMembers(item));
  return { created_ms: createdMs, new: all(fresh), still: all(still), fixed: all(fixed) };
}
