/** Classifies objects the configuration wants: create, update, replace, or nothing to do. */

import type { Address } from "../../model/address.ts";
import type { DesiredInstance } from "../../model/desired.ts";
import { type Diagnostic, hasErrors } from "../../model/diagnostic.ts";
import { foundBy } from "../../model/found-by.ts";
import type { ResourceType } from "../../model/provider.ts";
import type { AttributeSchema } from "../../model/resource-schema.ts";
import { type PlannedAttributes, type PlannedValue, unknown } from "../../model/value.ts";
import type { Prior } from "../before/prior.ts";
import { problem } from "../codes.ts";
import { withDefaults } from "../compare.ts";
import { containerKey, holderKey } from "../keys.ts";
import { creates, type Unit } from "../unit.ts";
import { classifyData } from "./data.ts";
import { block, type Draft } from "./draft.ts";
import { examine } from "./examine.ts";
import { examineNamed } from "./named-objects.ts";
import { classifyNew, containerRequirement, strangerOf } from "./new.ts";
import { classifyRecorded } from "./recorded.ts";
import { goalOf, type Known, type Verdict } from "./verdict.ts";

/** Dependencies have been classified before. */
export function classifyDesired(draft: Draft, instance: DesiredInstance): void {
  const { address } = instance;
  if (draft.input.withheld.has(address)) return block(draft, address);
  const type = draft.input.types[instance.type];
  if (type === undefined) throw new Error(`no resource type ${instance.type}`);
  for (const used of instance.data) classifyData(draft, used);
  const isBlocked = (dependency: Address): boolean => draft.blocked.has(dependency);
  if (dependenciesOf(draft, instance).some(isBlocked) || instance.data.some(isBlocked)) {
    return block(draft, address);
  }
  const resolved = instance.resolve((other) => draft.planned.get(other));
  draft.diagnostics.push(...resolved.diagnostics);
  if (resolved.diagnostics.some((item) => item.severity === "error")) return block(draft, address);
  const wanted = withDefaults(type.schema, resolved.attributes);
  const problems = planTimeProblems(instance, type, wanted);
  if (draft.displaced.has(address)) return block(draft, address);
  const refused = draft.adoptions.refused.get(address);
  if (refused !== undefined) return block(draft, address, refused);
  const prior = draft.priors.get(address);
  const identity = identityOf(type, wanted, prior);
  if (problems.length > 0 || identity === undefined) return block(draft, address, ...problems);
  if (type.ownership === "owned") {
    const { provider } = instance;
    draft.wantedKeys.set(address, holderKey({ provider, type: type.name, identity }));
  }
  const known = { draft, instance, type, identity, wanted, resolved, prior };
  const outcome = prior === undefined ? classifyNew(known) : classifyRecorded(known, prior);
  if ("diagnostic" in outcome) return block(draft, address, outcome.diagnostic);
  const takesKey = prior !== undefined && (makesAnew(outcome) || changesKey(type, outcome));
  const stranger = takesKey ? strangerOf(known) : undefined;
  if (stranger !== undefined) return block(draft, address, stranger);
  const unmet = containerRequirement(known, outcome);
  if (unmet !== undefined) return block(draft, address, unmet);
  const readopted = draft.adoptions.readopted.get(address);
  const unit = unitOf(
    known,
    readopted === undefined ? outcome : { ...outcome, reason: { kind: "readopted", ...readopted } },
  );
  const named = examineNamed(draft, unit);
  draft.namedQuestions.push(...named.questions);
  if (named.diagnostics.length > 0) return block(draft, address, ...named.diagnostics);
  const { question, facts, diagnostics } = examine(draft, unit);
  if (hasErrors(diagnostics)) return block(draft, address, ...diagnostics);
  draft.diagnostics.push(...diagnostics);
  if (question !== undefined) draft.questions.push(question);
  addUnit(draft, { ...unit, facts });
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
export function leaveAsItIs(draft: Draft, instance: DesiredInstance): void {
  const prior = draft.priors.get(instance.address);
  if (prior === undefined) return;
  draft.planned.set(instance.address, { ...prior.record.applied, ...prior.attributes });
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

function addUnit(draft: Draft, unit: Unit): void {
  const { type, identity, prior } = unit;
  draft.units.set(unit.address, unit);
  draft.byIdentity.set(containerKey({ type: type.name, identity }), unit);
  draft.planned.set(unit.address, plannedAttributes(unit));
  if (!creates(unit)) return;
  // Content ends with the object that had the key, whoever takes the key over.
  const before = containerKey({ type: type.name, identity: prior?.record.identity ?? identity });
  draft.renewed.set(before, unit.address);
  const after = containerKey({ type: type.name, identity });
  if (!draft.renewed.has(after)) draft.renewed.set(after, unit.address);
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
