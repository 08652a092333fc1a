/**
 * Facts of changes: the question "what has to be asked, beyond attributes, before this change can
 * be lowered, and does anything stand against it?". Asking is not planned here: questions go out
 * with the plan, answers come in.
 */

import type { FactsRequest, LowerRequest, Objection } from "../../model/provider/provider.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import {
  type Attributes,
  isKnown,
  type PlannedAttributes,
  type Value,
} from "../../model/value/value.ts";
import { problem } from "../codes.ts";
import { creates, type Unit } from "../unit.ts";
import type { Draft } from "./draft.ts";

/** A question to be asked, and diagnostics of which an error blocks the unit. */
export type Examined = {
  readonly question?: FactsRequest;
  readonly facts?: Attributes;
  readonly diagnostics: readonly Diagnostic[];
};

export function examine(draft: Draft, unit: Unit): Examined {
  const changed = changedOf(unit);
  if (unit.type.needsFacts !== true || (changed.length === 0 && !creates(unit))) {
    return { diagnostics: remarksOf(unit) };
  }
  const answer = draft.input.facts.get(unit.address);
  if (answer === undefined) return { question: questionOf(unit, changed), diagnostics: [] };
  if (answer.status === "failed") {
    const detail = `${answer.reason}. Nothing is planned for it, nor for what depends on it.`;
    const fault = problem(unit.desired ?? unit, "PLN028", { detail });
    return { diagnostics: [fault] };
  }
  const { facts } = answer;
  const objections = unit.type.objections?.(lowerRequestOf(unit, facts, changed)) ?? [];
  return { facts, diagnostics: objections.map((objection) => diagnosticOf(unit, objection)) };
}

/** What is known without asking; of a change, its objections tell with fresher facts. */
function remarksOf(unit: Unit): readonly Diagnostic[] {
  const { prior, type, desired } = unit;
  if (desired === undefined || prior?.existence !== "found") return [];
  const remarks = type.remarks?.(prior.attributes) ?? [];
  return remarks.map((remark) => diagnosticOf(unit, remark));
}

function diagnosticOf(unit: Unit, objection: Objection): Diagnostic {
  const { address, desired } = unit;
  const source = desired?.source;
  return { ...objection, address, ...(source === undefined ? {} : { source }) };
}

/** What a provider lowers. `changed` holds the wanted power, which the planner lowers itself. */
export function lowerRequestOf(
  unit: Unit,
  facts: Attributes | undefined,
  changed: readonly string[],
): LowerRequest {
  const { identity, wanted: inputs, prior } = unit;
  const known = facts === undefined ? {} : { facts };
  if (creates(unit) || prior === undefined) return { action: "create", identity, inputs, ...known };
  const record = { ...prior.record, attributes: prior.attributes };
  return { action: "update", identity, inputs, changed, prior: record, ...known };
}

function changedOf(unit: Unit): readonly string[] {
  if (unit.action !== "update") return [];
  const { power, type, updates } = unit;
  const powers = power !== undefined && type.power !== undefined && power.from !== power.to;
  return powers ? [...updates, type.power.wanted] : updates;
}

function questionOf(unit: Unit, changed: readonly string[]): FactsRequest {
  const { address, provider, type, identity, wanted, prior } = unit;
  return {
    address,
    provider,
    type: type.name,
    action: creates(unit) ? "create" : "update",
    identity,
    wanted: knownOf(wanted),
    changed,
    prior: prior?.attributes ?? {},
  };
}

function knownOf(planned: PlannedAttributes): Attributes {
  const known: { [name: string]: Value } = {};
  for (const [name, value] of Object.entries(planned)) if (isKnown(value)) known[name] = value;
  return known;
}
