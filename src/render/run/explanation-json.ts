/** `vmform plan --explain ADDRESS`, as data. A sensitive value is left out. */

import type { SourcePosition } from "../../model/said/diagnostic.ts";
import {
  isKnown,
  isUnknown,
  type PlannedValue,
  type Value,
  type ValueMap,
} from "../../model/value/value.ts";
import type {
  DataExplanation,
  ExplainedArgument,
  ExplainedUse,
} from "../plan/explain/data-explanation.ts";
import type {
  Explained,
  ExplainedAttribute,
  PlanExplanation,
} from "../plan/explain/explanation.ts";
import { sensitiveLiteral } from "../text/value/value-text.ts";
import { diagnosticJson } from "./event-json.ts";

export function explanationJson(explanation: Explained): ValueMap {
  return "read" in explanation ? dataJson(explanation) : objectJson(explanation);
}

/** Members that every explanation has are empty where they are of objects. */
function dataJson(explanation: DataExplanation): ValueMap {
  const { address, type, provider, place, read, rules, query, answer, problems } = explanation;
  return {
    address,
    changes: [],
    ...(place === undefined ? {} : { place: placeJson(place) }),
    rules,
    attributes: [],
    consent: [],
    operations: [],
    data: {
      type,
      ...(provider === "" ? {} : { provider_name: provider }),
      read,
      waits_for: explanation.waitsFor.map(({ address: other, why }) => ({ address: other, why })),
      ...(query === undefined ? {} : { query: query.map(argumentJson) }),
      ...(answer === undefined
        ? {}
        : {
            answer: Object.fromEntries(
              answer.map(({ name, value, sensitive }) => [
                name,
                sensitive && value !== null ? sensitiveLiteral : value,
              ]),
            ),
          }),
      asks_the_same: explanation.alike,
      used_by: explanation.uses.map(useJson),
      used_through_others: explanation.through,
      ...(explanation.usesKnown ? {} : { uses_unknown: true }),
    },
    diagnostics: problems.map(diagnosticJson),
  };
}

function argumentJson({ name, place, value, template, sensitive }: ExplainedArgument): ValueMap {
  const shown = shownValue(value, sensitive);
  return {
    argument: name,
    ...(place === undefined ? {} : { place: placeJson(place) }),
    ...(shown === undefined ? { known_after_apply: true } : { value: shown }),
    ...(template === undefined || sensitive ? {} : { expression: template }),
    ...(sensitive ? { sensitive: true } : {}),
  };
}

function useJson({ user, by, attribute, reads, place }: ExplainedUse): ValueMap {
  return {
    [user.kind === "object" ? "address" : user.kind]: user.name,
    by,
    ...(attribute === undefined ? {} : { attribute }),
    ...(reads === undefined ? {} : { reads }),
    ...(place === undefined ? {} : { place: placeJson(place) }),
  };
}

function objectJson(explanation: PlanExplanation): ValueMap {
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
