/** `vmform plan --explain ADDRESS`, as data. A sensitive value is left out. */

import type { SourcePosition } from "../../model/said/diagnostic.ts";
import {
  isKnown,
  isUnknown,
  type PlannedValue,
  type Value,
  type ValueMap,
} from "../../model/value/value.ts";
import type { ExplainedAttribute, PlanExplanation } from "../plan/explain/explanation.ts";
import { sensitiveLiteral } from "../text/value/value-text.ts";
import { diagnosticJson } from "./event-json.ts";

export function explanationJson(explanation: PlanExplanation): ValueMap {
  const { address, changes, place, rules, attributes, consent, operations, problems } = explanation;
  return {
    address,
    changes: changes.map(({ objectKey, action, reason, provider, identity }) => ({
      ...(objectKey === "current" ? {} : { deposed: objectKey }),
      action,
      reason: { ...reason },
      provider_name: provider,
      identity,
    })),
    ...(place === undefined ? {} : { place: placeJson(place) }),
    rules,
    attributes: attributes.map(attributeJson),
    consent: consent.map(({ disruption, given }) => ({ disruption, given })),
    operations: operations.map(({ operation, summary, position, reasons }) => ({
      id: operation.id,
      address: operation.subject.address,
      verb: operation.verb,
      summary,
      position,
      reasons,
      disrupts: operation.disrupts,
      time_limit_ms: operation.proof.limitMs,
    })),
    diagnostics: problems.map(diagnosticJson),
  };
}

function attributeJson(attribute: ExplainedAttribute): ValueMap {
  const { name, place, values, template, sensitive, rules, remarks } = attribute;
  const members: { [name: string]: Value } = { attribute: name };
  if (place !== undefined) members["place"] = placeJson(place);
  for (const [member, value] of Object.entries(values)) {
    const shown = shownValue(value, sensitive);
    if (shown !== undefined) members[member] = shown;
  }
  if (values.planned !== undefined && !isKnown(values.planned)) members["known_after_apply"] = true;
  if (template !== undefined && !sensitive) members["expression"] = template;
  if (sensitive) members["sensitive"] = true;
  return { ...members, rules, remarks };
}

/** Undefined for what is unknown, in part or as a whole. */
function shownValue(value: PlannedValue | undefined, sensitive: boolean): Value | undefined {
  if (value === undefined || isUnknown(value) || !isKnown(value)) return undefined;
  return sensitive && value !== null ? sensitiveLiteral : value;
}

function placeJson({ file, line, column }: SourcePosition): ValueMap {
  return { file, line, column };
}
