/**
 * Planning: `plan(desired, recorded, observed, now)` as a pure function. Reads no clock, sends
 * nothing; equal inputs give equal bytes. Three rooms, in this order:
 *
 * `before`, who is meant: `moves.ts` and `meant.ts` (which recorded object does an address mean?),
 * `imports.ts`, `lookup.ts` and `adopt.ts` (which existing one?), `recognize.ts` and
 * `endpoints.ts` (is it still that object, on that server?), `prior.ts` (what is there?),
 * `wanted.ts` and `links.ts` (what is wanted, and which edges come of values?), `selection.ts`
 * (what is the plan about?), `protection.ts` (what must not be destroyed?), `missing-moved.ts`
 * (which `moved` entry is missing?).
 * `classify`, what happens to each object, and why: see `classify/classify.ts`.
 * `order`, which operations, when: see `order/lower.ts`.
 *
 * Beside them: `input.ts`, `unit.ts` (one object of the plan), `changes.ts`, `differences.ts` and
 * `notes.ts` (what is shown and recorded), `conditions.ts` (what has to hold), `consent.ts`,
 * `contradictions.ts` and `displaced.ts` (what stands against the plan as a whole).
 */

import { quotedWord } from "../lib/shell-word.ts";
import type {
  NotChecked,
  Plan,
  PlannedOutput,
  PlannedOutputCondition,
} from "../model/plan/plan.ts";
import type { FactsRequest } from "../model/provider/provider.ts";
import { currentByAddress } from "../model/recorded/current.ts";
import type { ObservedEntry } from "../model/recorded/journal.ts";
import type { RecordedProvider, RecordedState } from "../model/recorded/recorded.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { compareAddresses } from "../model/value/address.ts";
import type { ReferenceLookup } from "../model/value/expression.ts";
import { equalValues } from "../model/value/value.ts";
import { type Adoptions, adoptFound } from "./before/adopt.ts";
import { endpointChanges, endpointDiagnostic } from "./before/endpoints.ts";
import {
  awaitedUntil,
  driftOf,
  notCheckedOf,
  observedEntryOf,
  type Prior,
} from "./before/prior.ts";
import { changeOf } from "./changes.ts";
import { type Classification, classify } from "./classify/classify.ts";
import { judgeConditions, type ToldChecks, tellChecks } from "./conditions.ts";
import { consentNeeds, vanishBrake } from "./consent.ts";
import { contradictions } from "./contradictions.ts";
import { standingDifferences, unacceptedDrift, untoldAttributes } from "./differences.ts";
import { withoutDisplaced } from "./displaced.ts";
import type { NamedObject, PlanInput } from "./input.ts";
import { closingNotes, keptNotes, openingNotes } from "./notes.ts";
import { type LoweredPlan, lower } from "./order/lower.ts";
import type { Unit } from "./unit.ts";

/** A plan, and what has to be asked before a better one can be made. */
export type PlanRound = {
  readonly plan: Plan;
  readonly questions: readonly FactsRequest[];
  readonly namedQuestions: readonly NamedObject[];
  /** What is known of each address if this is done. */
  readonly lookup: ReferenceLookup;
};

export function plan(input: PlanInput): Plan {
  return planRound(input).plan;
}

export function planRound(given: PlanInput): PlanRound {
  const adoptions = adoptFound(given);
  const { input } = adoptions;
  const outcome = classifyAndLower(adoptions);
  // Ends, since each round withholds more.
  if ("displaced" in outcome) return planRound(withoutDisplaced(given, outcome.displaced));
  const { classification, lowered } = outcome;
  return {
    plan: planOf(given.recorded, input, classification, lowered),
    questions: classification.questions,
    namedQuestions: classification.namedQuestions,
    lookup: classification.lookup,
  };
}

/** `before`: as recorded, without what is adopted. */
function planOf(
  before: RecordedState,
  input: PlanInput,
  classification: Classification,
  lowered: LoweredPlan,
): Plan {
  const { priors, selection } = classification;
  // What is left out stays as it is: recorded with the rest, its drift would be accepted unseen.
  const followed = priors.filter(({ record }) => selection.has(record.address));
  const outputs = planOutputs(input, classification);
  const checks = planChecks(input, classification);
  const moved = endpointChanges(before, input.endpoints, (address) => selection.has(address));
  const changes = classification.units.map((unit) => changeOf(unit, classification));
  return {
    formatVersion: "1.0",
    id: input.planId,
    createdMs: input.nowMs,
    mode: input.mode,
    base: {
      lineage: input.recorded.lineage,
      serial: input.recorded.serial,
      position: input.recorded.journal.position,
    },
    simulated: input.simulated,
    ...(input.workspace === undefined ? {} : { workspace: input.workspace }),
    changes,
    operations: lowered.operations,
    joins: lowered.joins,
    notes: openingNotes(input, classification),
    closingNotes: closingNotes(classification),
    observed: observedIn(followed, input, classification.units),
    keptNotes: keptNotes(classification),
    drift: followed.flatMap((prior) => driftOf(prior, input.types) ?? []),
    differences: standingDifferences(classification.units),
    notChecked: [
      ...priors.flatMap((prior) => notCheckedOf(prior) ?? []),
      ...untoldAttributes(classification.units),
      ...kept(classification, input.nowMs),
    ],
    outputs: outputs.outputs,
    ...(checks.late.length === 0 ? {} : { checks: checks.late }),
    ...(outputs.late.length === 0 ? {} : { outputConditions: outputs.late }),
    ...(lowered.limits.length === 0 ? {} : { limits: lowered.limits }),
    data: classification.data,
    facts: classification.units.flatMap(({ address, facts }) =>
      facts === undefined ? [] : [{ address, facts }],
    ),
    providers: recordedProviders(input),
    endpoints: [...input.endpoints]
      .map(([provider, endpoint]) => ({ provider, ...endpoint }))
      .toSorted((a, b) => (a.provider < b.provider ? -1 : 1)),
    partial: classification.partial,
    scope: classification.scope,
    blocked: [...classification.blocked].toSorted(compareAddresses),
    diagnostics: [
      ...input.diagnostics,
      ...importProblems(input, classification),
      ...moved.map((change) => endpointDiagnostic(change, "warning")),
      ...vanishBrake(input, priors),
      ...classification.diagnostics,
      ...lowered.diagnostics,
      ...outputs.diagnostics,
      ...checks.diagnostics,
    ],
    consent: consentNeeds(lowered.operations, classification.units, moved),
    allowed: input.allowed,
    interrupted: input.interrupted,
  };
}

/** What was read, to be recorded. Accepting what changed outside is an act of its own. */
function observedIn(
  priors: readonly Prior[],
  input: PlanInput,
  all: readonly Unit[],
): readonly ObservedEntry[] {
  const units = currentByAddress(all);
  return priors.flatMap((prior) => {
    const held = input.mode === "refresh" ? {} : unacceptedDrift(prior, units, input.types);
    return observedEntryOf(prior, held) ?? [];
  });
}

type Outcome =
  | { readonly classification: Classification; readonly lowered: LoweredPlan }
  | { readonly displaced: Classification };

/**
 * A problem found while lowering blocks its resource and its dependents like any other, so the rest
 * is planned again without them. Ends, since each round withholds one more resource.
 */
function classifyAndLower(adoptions: Adoptions): Outcome {
  let { withheld } = adoptions.input;
  const diagnostics: Diagnostic[] = [];
  for (;;) {
    const input = { ...adoptions.input, withheld };
    const classification = classify({ ...adoptions, input });
    if (classification.displaced.length > 0) return { displaced: classification };
    const lowered = lower(input, classification);
    const found = [...contradictions(classification.units, input), ...lowered.diagnostics];
    const news = found.flatMap((item) => item.address ?? []);
    const known = news.every((address) => withheld.has(address));
    diagnostics.push(...found);
    if (known) return { classification, lowered: { ...lowered, diagnostics } };
    withheld = new Set([...withheld, ...news]);
  }
}

function kept(classification: Classification, nowMs: number): readonly NotChecked[] {
  return classification.kept.map((prior) => {
    const { address, identity } = prior.record;
    const reason =
      `the create of ${identity} was begun and never seen to take effect; it may still appear ` +
      `until ${awaitedUntil(prior, nowMs)}. To end the wait: ` +
      `vmform state resolve ${quotedWord(address)} --not-done`;
    return { address, reason };
  });
}

/** Of an address that is left out, an import is none. */
function importProblems(
  { importProblems: all = [] }: PlanInput,
  { selection }: Classification,
): readonly Diagnostic[] {
  return all.filter(({ address }) => address === undefined || selection.has(address));
}

const sensitiveMark = "(sensitive value)";

function recordedProviders(input: PlanInput): readonly RecordedProvider[] {
  return [...input.settings]
    .map(([name, settings]) => ({ name, settings }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** With something left out, a check may not say what it would of the whole. */
function planChecks(input: PlanInput, { partial, lookup }: Classification): ToldChecks {
  const isWhole = input.mode === "apply" && !partial;
  return tellChecks(isWhole ? (input.desired.checks ?? []) : [], lookup);
}

type PlannedOutputs = {
  readonly outputs: readonly PlannedOutput[];
  readonly diagnostics: readonly Diagnostic[];
  readonly late: readonly PlannedOutputCondition[];
};

/** Outputs that change; the rest is not listed. */
function planOutputs(input: PlanInput, classification: Classification): PlannedOutputs {
  const recorded = new Map(input.recorded.outputs.map((output) => [output.name, output]));
  const diagnostics: Diagnostic[] = [];
  const outputs: PlannedOutput[] = [];
  const late: PlannedOutputCondition[] = [];
  // With something left out, a value may not be what the whole would give.
  if (input.mode === "refresh" || classification.partial) return { outputs, diagnostics, late };
  const wanted = input.mode === "destroy" ? [] : input.desired.outputs;
  for (const output of wanted) {
    const before = recorded.get(output.name);
    recorded.delete(output.name);
    const owner = `of the output ${output.name}`;
    const judged = judgeConditions(output.conditions ?? [], classification.lookup, { owner });
    diagnostics.push(...judged.diagnostics);
    // Its last value stays.
    if (judged.diagnostics.length > 0) continue;
    late.push(...judged.late.map((condition) => ({ output: output.name, ...condition })));
    const resolved = output.resolve(classification.lookup);
    diagnostics.push(...resolved.diagnostics);
    if (output.sensitive) {
      // Its value enters no plan and no state: what is recorded is that there is one.
      const value = before?.value ?? null;
      outputs.push({ name: output.name, sensitive: true, before: value, after: sensitiveMark });
      continue;
    }
    outputs.push({
      name: output.name,
      sensitive: false,
      before: before?.value ?? null,
      after: resolved.value,
      ...(resolved.deferred === undefined ? {} : { deferred: resolved.deferred }),
    });
  }
  for (const gone of recorded.values()) {
    outputs.push({ name: gone.name, sensitive: gone.sensitive, before: gone.value, after: null });
  }
  return { outputs: outputs.filter(differs), diagnostics, late };
}

function differs(output: PlannedOutput): boolean {
  return !equalValues(output.before, output.after);
}
