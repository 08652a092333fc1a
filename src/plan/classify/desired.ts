/** Classifies objects the configuration wants: create, update, replace, or nothing to do. */

import type { LateCondition } from "../../model/operation/condition.ts";
import type { DesiredInstance } from "../../model/plan/desired.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import { foundBy } from "../../model/recorded/found-by.ts";
import { type Diagnostic, hasErrors } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import type { AttributeSchema } from "../../model/value/resource-schema.ts";
import { type PlannedAttributes, type PlannedValue, unknown } from "../../model/value/value.ts";
import type { Prior } from "../before/prior.ts";
import { problem } from "../codes.ts";
import { withDefaults } from "../compare.ts";
import { judgeConditions, ofKind } from "../conditions.ts";
import { holderKey } from "../keys.ts";
import { completedNames, creates, type Unit } from "../unit.ts";
import { blocked, type Draft, type Outcome } from "./draft.ts";
import { examine } from "./examine.ts";
import { examineNamed } from "./named-objects.ts";
import { classifyNew, containerRequirement, strangerOf } from "./new.ts";
import { classifyRecorded } from "./recorded.ts";
import { goalOf, type Known, type Verdict } from "./verdict.ts";

/** Dependencies, and the data sources it uses, have been classified before. */
export function classifyDesired(draft: Draft, instance: DesiredInstance): Outcome {
  const { address } = instance;
  if (draft.input.withheld.has(address)) return blocked(address);
  const type = draft.input.types[instance.type];
  if (type === undefined) throw new Error(`no resource type ${instance.type}`);
  const isBlocked = (dependency: Address): boolean => draft.blocked.has(dependency);
  if (dependenciesOf(draft, instance).some(isBlocked) || instance.data.some(isBlocked)) {
    return blocked(address);
  }
  const lookup: ReferenceLookup = (other) => draft.planned.get(other);
  const before = judgeConditions(ofKind(instance.conditions, "precondition"), lookup, { address });
  if (before.diagnostics.length > 0) return blocked(address, ...before.diagnostics);
  const resolved = instance.resolve(lookup);
  const told = resolved.diagnostics;
  if (hasErrors(told)) return blocked(address, ...told);
  const wanted = withDefaults(type.schema, resolved.attributes);
  const problems = planTimeProblems(instance, type, wanted);
  if (draft.displaced.has(address)) return blocked(address, ...told);
  const refused = draft.adoptions.refused.get(address);
  if (refused !== undefined) return blocked(address, ...told, refused);
  const prior = draft.priors.get(address);
  const identity = identityOf(type, wanted, prior);
  if (problems.length > 0 || identity === undefined) return blocked(address, ...told, ...problems);
  const known = { draft, instance, type, identity, wanted, resolved, prior };
  return withConditions(outcomeOf(known), instance, before.late, lookup);
}

/** Judged of what it is going to be; what operations do is judged once more when they are done. */
function withConditions(
  outcome: Outcome,
  { address, conditions }: DesiredInstance,
  before: readonly LateCondition[],
  lookup: ReferenceLookup,
): Outcome {
  const { unit, planned, ...rest } = outcome;
  if (unit === undefined || planned === undefined || conditions === undefined) return outcome;
  const after = judgeConditions(
    ofKind(conditions, "postcondition"),
    (other) => (other === address ? planned : lookup(other)),
    { address },
    unit.action === "no-op" ? undefined : "lateSelf",
  );
  if (after.diagnostics.length > 0) {
    const { diagnostics = [] } = rest;
    return { ...rest, isBlocked: true, diagnostics: [...diagnostics, ...after.diagnostics] };
  }
  const late = [...before, ...after.late];
  if (late.length === 0) return outcome;
  return { ...outcome, unit: { ...unit, conditions: late } };
}

/** Of an object whose key and wishes are known. */
function outcomeOf(known: Known): Outcome {
  const { draft, instance, type, identity, resolved, prior } = known;
  const { address, provider } = instance;
  const key = { provider, type: type.name, identity };
  const base = type.ownership === "owned" ? { wantedKey: holderKey(key) } : {};
  const stopped = (...diagnostics: readonly Diagnostic[]): Outcome => ({
    ...base,
    ...blocked(address, ...resolved.diagnostics, ...diagnostics),
  });
  const judged = prior === undefined ? classifyNew(known) : classifyRecorded(known, prior);
  if ("diagnostic" in judged) return stopped(judged.diagnostic);
  const takesKey = prior !== undefined && (makesAnew(judged) || changesKey(type, judged));
  const stranger = takesKey ? strangerOf(known) : undefined;
  const unmet = stranger ?? containerRequirement(known, judged);
  if (unmet !== undefined) return stopped(unmet);
  const readopted = draft.adoptions.readopted.get(address);
  const verdict: Verdict =
    readopted === undefined ? judged : { ...judged, reason: { kind: "readopted", ...readopted } };
  const plain = unitOf(known, verdict);
  const { questions: namedQuestions, ...named } = examineNamed(draft, plain);
  if (named.diagnostics.length > 0) return { ...stopped(...named.diagnostics), namedQuestions };
  const { question, facts, diagnostics } = examine(draft, plain);
  if (hasErrors(diagnostics)) return { ...stopped(...diagnostics), namedQuestions };
  const unit = { ...plain, facts };
  return {
    ...base,
    address,
    diagnostics: [...resolved.diagnostics, ...diagnostics],
    unit,
    planned: plannedAttributes(unit),
    namedQuestions,
    ...(question === undefined ? {} : { question }),
  };
}

function makesAnew({ action }: Verdict): boolean {
  return action === "create" || action === "replace";
}

/** A key that the interface can change in place. */
function changesKey({ schema }: ResourceType, { action, updates }: Verdict): boolean {
  return action === "update" && updates.some((name) => schema.attributes[name]?.key === true);
}

/** An attached object has the identity it was found with; one not found yet has none. */
function identityOf(
  type: ResourceType,
  wanted: PlannedAttributes,
  prior: Prior | undefined,
): string | undefined {
  return type.ownership === "attached" ? prior?.record.identity : type.identityOf(wanted);
}

/** Not selected: what is recorded stands, and references see it. */
export function leaveAsItIs(draft: Draft, { address }: DesiredInstance): Outcome {
  const prior = draft.priors.get(address);
  if (prior === undefined) return { address };
  return { address, planned: { ...prior.record.applied, ...prior.attributes } };
}

function planTimeProblems(
  instance: DesiredInstance,
  type: ResourceType,
  wanted: PlannedAttributes,
): readonly Diagnostic[] {
  const late = Object.values(type.schema.attributes).filter(
    (attribute) => attribute.planTime && wanted[attribute.name] === unknown,
  );
  return [
    ...late.map((attribute) =>
      problem(instance, "PLN001", {
        detail:
          `${attribute.name} decides which operations exist, but its value is known only ` +
          "after apply.",
        fix: "Use a value that the configuration itself knows.",
      }),
    ),
    ...(type.check?.(wanted, instance.address) ?? []),
  ];
}

function unitOf(known: Known, verdict: Verdict): Unit {
  const { draft, instance, type, identity, wanted, resolved, prior } = known;
  return {
    address: instance.address,
    objectKey: "current",
    type,
    provider: instance.provider,
    settings: draft.input.settings.get(instance.provider) ?? null,
    desired: instance,
    prior,
    identity,
    undecided: undefined,
    ...verdict,
    branch: branchOf(draft, instance.address, verdict),
    wanted,
    deferred: resolved.deferred,
    endsSilently: verdict.reason.kind === "container-replaced",
    power: goalOf(known, verdict.action),
    deposes: undefined,
    dependencies: dependenciesOf(draft, instance),
    facts: undefined,
    partsWith: undefined,
  };
}

/** What is made anew only with its container, or for late values alone, may not be after all. */
function branchOf(draft: Draft, address: Address, verdict: Verdict): Unit["branch"] {
  const { reason } = verdict;
  if (reason.kind === "container-replaced") return draft.units.get(reason.container)?.branch;
  return verdict.undecided === undefined ? undefined : { of: address, when: "replaced" };
}

function dependenciesOf(draft: Draft, instance: DesiredInstance): readonly Address[] {
  const byValue = draft.links.byValue.get(instance.address);
  if (byValue === undefined) return instance.dependencies;
  return [...new Set([...instance.dependencies, ...byValue])];
}

/** Wanted values over prior ones; computed ones are unknown where the change makes them. */
export function plannedAttributes(unit: Unit): PlannedAttributes {
  const planned: { [name: string]: PlannedValue } = {};
  const wanted = foundBy(unit.type, unit.wanted);
  const prior = creates(unit) ? {} : (unit.prior?.attributes ?? {});
  const applied = creates(unit) ? {} : (unit.prior?.record.applied ?? {});
  for (const attribute of Object.values(unit.type.schema.attributes)) {
    const { name, follows } = attribute;
    if (attribute.lookup) {
      // What finds an object is no wish: the object has the name it has.
      planned[name] = prior[name] ?? wanted[name] ?? null;
    } else if (!attribute.computed) {
      planned[name] = unit.wanted[name] ?? prior[name] ?? applied[name] ?? null;
    } else if (unit.power !== undefined && name === unit.type.power?.observed) {
      planned[name] = unit.power.to;
    } else if (attribute.volatile) {
      planned[name] = plannedVolatile(unit, attribute);
    } else {
      const changes = creates(unit) || follows.some((other) => unit.updates.includes(other));
      planned[name] = changes ? unknown : (prior[name] ?? null);
    }
  }
  for (const name of completedNames(unit)) planned[name] = unknown;
  return planned;
}

/**
 * What only a running VM tells is null when it will not be on, and unknown, and waited for, when it
 * comes on. Anything else stays as it is, whatever the power: the server goes on telling it.
 */
function plannedVolatile(unit: Unit, { name, whileOn }: AttributeSchema): PlannedValue {
  const isOff = unit.power !== undefined && unit.power.to !== "on";
  if (isOff && whileOn) return null;
  const stays = !whileOn || unit.power === undefined || unit.power.from === unit.power.to;
  // An address that cannot be read just now is no reason to replace what was made of it.
  const last = unit.prior?.attributes[name] ?? unit.prior?.record.attributes[name] ?? null;
  if (!creates(unit) && stays && last !== null) return last;
  return isOff ? null : unknown;
}
