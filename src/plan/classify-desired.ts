/** Classifies objects the configuration wants: create, update, replace, or nothing to do. */

import type { Address } from "../model/address.ts";
import type { ChangeAction, ChangeReason } from "../model/change.ts";
import type { DesiredInstance, ResolvedAttributes } from "../model/desired.ts";
import { type Diagnostic, hasErrors } from "../model/diagnostic.ts";
import type { ResourceType } from "../model/provider.ts";
import { equalValues, type PlannedAttributes, unknown } from "../model/value.ts";
import { type Comparison, compareAttributes, withDefaults } from "./compare.ts";
import { classifyData } from "./data.ts";
import { block, containerKey, type Draft, holderKey } from "./draft.ts";
import { examine } from "./examine.ts";
import { otherObject } from "./lookup.ts";
import { plannedAttributes } from "./planned-attributes.ts";
import { powerGoal } from "./power-goal.ts";
import { awaitedUntil, hiddenAttributes, isAwaited, type Prior } from "./prior.ts";
import { problem } from "./problem.ts";
import { matches } from "./selection.ts";
import { creates, type PowerGoal, type Unit } from "./unit.ts";

type Known = {
  readonly draft: Draft;
  readonly instance: DesiredInstance;
  readonly type: ResourceType;
  readonly identity: string;
  readonly wanted: PlannedAttributes;
  readonly resolved: ResolvedAttributes;
  readonly prior: Prior | undefined;
};
type Verdict = {
  readonly action: ChangeAction;
  readonly reason: ChangeReason;
} & Comparison;
type Outcome = Verdict | { readonly diagnostic: Diagnostic };

const nothingDiffers = { updates: [], forceNew: [] } as const;

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
  const refused = draft.adoptions.refused.get(address);
  if (refused !== undefined) return block(draft, address, refused);
  const prior = draft.priors.get(address);
  const identity = identityOf(type, wanted, prior);
  if (problems.length > 0 || identity === undefined) return block(draft, address, ...problems);
  const known = { draft, instance, type, identity, wanted, resolved, prior };
  const outcome = prior === undefined ? classifyNew(known) : classifyRecorded(known, prior);
  if ("diagnostic" in outcome) return block(draft, address, outcome.diagnostic);
  const makesAnew = prior !== undefined && ["create", "replace"].includes(outcome.action);
  const stranger = makesAnew ? strangerOf(known) : undefined;
  if (stranger !== undefined) return block(draft, address, stranger);
  const unmet = containerRequirement(known, outcome);
  if (unmet !== undefined) return block(draft, address, unmet);
  const readopted = draft.adoptions.readopted.get(address);
  const unit = unitOf(
    known,
    readopted === undefined ? outcome : { ...outcome, reason: { kind: "readopted", ...readopted } },
  );
  const { question, facts, diagnostics } = examine(draft, unit);
  if (hasErrors(diagnostics)) return block(draft, address, ...diagnostics);
  draft.diagnostics.push(...diagnostics);
  if (question !== undefined) draft.questions.push(question);
  addUnit(draft, { ...unit, facts });
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
      problem(instance, "PLN001", "Value must be known while planning", {
        detail:
          `${attribute.name} decides which operations exist, but its value is known only ` +
          "after apply.",
        fix: "Use a value that the configuration itself knows.",
      }),
    ),
    ...(type.check?.(wanted, instance.address) ?? []),
  ];
}

function classifyNew(known: Known): Outcome {
  const { draft, instance } = known;
  const create = {
    action: "create",
    reason: { kind: "not-recorded" },
    ...nothingDiffers,
  } as const;
  const holder = holderOf(known);
  if (holder !== undefined && holder !== "moves away") return { diagnostic: holder };
  const lookup = draft.input.lookups.get(instance.address);
  const asked = holder === undefined && !containerIsNew(known);
  if (lookup?.status === "unreadable" && lookup.rule !== "by rule" && asked) {
    return { diagnostic: unreadable(instance, lookup.reason) };
  }
  const stranger = strangerOf(known);
  return stranger === undefined ? create : { diagnostic: stranger };
}

/** The key of a new object is taken by one that nobody has recorded. */
function strangerOf(known: Known): Diagnostic | undefined {
  const { draft, instance, identity, type } = known;
  const lookup = draft.input.lookups.get(instance.address);
  if (lookup?.status !== "found" || containerIsNew(known)) return undefined;
  const { provider } = instance;
  const holder = draft.holders.get(holderKey({ provider, type: type.name, identity }));
  if (holder?.identity === lookup.identity) return undefined;
  return problem(instance, "PLN002", "Object exists already", {
    detail: `A ${type.name} with the key ${identity} exists and is not in recorded state.`,
    fix: `To take it over: vmform import '${instance.address}' '${identity}'`,
  });
}

/** Content is not added to a container that is configured not to take it. */
function containerRequirement(known: Known, verdict: Verdict): Diagnostic | undefined {
  const { draft, instance, type, wanted } = known;
  const { container } = type;
  const identity = wanted[container?.attribute ?? ""];
  if (container?.requires === undefined || typeof identity !== "string") return undefined;
  if (verdict.action !== "create" && verdict.action !== "replace") return undefined;
  const holder = draft.byIdentity.get(containerKey({ type: container.type, identity }));
  const { attribute, equals } = container.requires;
  const value = holder?.wanted[attribute] ?? holder?.prior?.record.applied?.[attribute] ?? null;
  if (holder === undefined || equalValues(value, equals)) return undefined;
  return problem(instance, "PLN020", "Container does not take content", {
    detail: `${holder.address} has to have ${attribute}: ${JSON.stringify(equals)} for it.`,
    fix: `Set ${attribute}: ${JSON.stringify(equals)} in ${holder.address}.`,
  });
}

function containerIsNew(known: Known): boolean {
  const { container } = known.type;
  const identity = known.wanted[container?.attribute ?? ""];
  if (container === undefined || typeof identity !== "string") return false;
  return known.draft.renewed.has(containerKey({ type: container.type, identity }));
}

/** Another record with the same key: a key that moves, or a resource that was renamed. */
function holderOf(known: Known): Diagnostic | "moves away" | undefined {
  const { draft, instance, type, identity } = known;
  const { provider } = instance;
  const record = draft.holders.get(holderKey({ provider, type: type.name, identity }));
  if (record === undefined || record.address === instance.address) return undefined;
  const holder = draft.priors.get(record.address);
  const over = holder !== undefined && !isAwaited(holder, draft.input.nowMs);
  if (record.status === "tentative" && holder?.existence === "missing" && over) return "moves away";
  if (draft.desired.has(record.address) || !draft.input.rules.renamedKey) return "moves away";
  return problem(instance, "PLN003", "Resource was renamed", {
    detail: `${identity} is recorded as ${record.address}, which left the configuration.`,
    fix: `Add: moved: [{ from: '${record.address}', to: '${instance.address}' }]`,
  });
}

function unreadable(instance: DesiredInstance, reason: string): Diagnostic {
  return problem(instance, "PLN005", "Object could not be read", {
    detail: `${reason}. Nothing is planned for it, nor for what depends on it.`,
  });
}

function classifyRecorded(known: Known, prior: Prior): Outcome {
  const { draft, instance, type, wanted } = known;
  const { record } = prior;
  if (record.provider !== instance.provider) {
    return {
      diagnostic: problem(instance, "PLN006", "Provider changed", {
        detail: `It is recorded with provider ${record.provider}, not ${instance.provider}.`,
        fix: "Give the resource a new name, or restore its provider.",
      }),
    };
  }
  if (draft.input.imported.has(instance.address)) {
    const wrong = importProblem(known, prior);
    if (wrong !== undefined) return { diagnostic: wrong };
  }
  if (type.ownership === "attached") {
    const wrong = attachedProblem(known, prior);
    if (wrong !== undefined) return { diagnostic: wrong };
  }
  const tentative = record.status === "tentative";
  if (tentative && prior.existence !== "found" && record.identity !== known.identity) {
    if (isAwaited(prior, draft.input.nowMs)) return { diagnostic: awaited(instance, prior) };
  }
  // A share of a VM that is off cannot be looked for: it is created again, and a conflict settles
  // it.
  if (prior.existence === "missing" || (tentative && prior.existence === "unreadable")) {
    if (prior.failed) return { diagnostic: unreadable(instance, prior.why) };
    const missing = { kind: "missing", proof: prior.why } as const;
    const reason = tentative ? ({ kind: "tentative" } as const) : missing;
    return { action: "create", reason, ...nothingDiffers };
  }
  if (matches(instance.address, draft.input.select.replace)) {
    if (instance.lifecycle.preventDestroy) return { diagnostic: prevented(instance, "replace") };
    return { action: "replace", reason: { kind: "requested" }, ...nothingDiffers };
  }
  const container = renewedContainer(known, prior);
  if (container !== undefined) {
    const reason = { kind: "container-replaced", container } as const;
    return { action: "replace", reason, ...nothingDiffers };
  }
  if (prior.failed) return { diagnostic: unreadable(instance, prior.why) };
  const hidden = hiddenAttributes(prior, wanted, instance.lifecycle.ignoreChanges);
  if (hidden !== undefined) return { diagnostic: unreadable(instance, hidden) };
  const comparison = compareAttributes({
    schema: type.schema,
    wanted,
    applied: record.applied,
    attributes: prior.attributes,
    ignore: instance.lifecycle.ignoreChanges,
    except: type.power === undefined ? [] : [type.power.wanted],
    ...(type.same === undefined
      ? {}
      : { same: (name, given, actual) => type.same?.(name, given, actual) === true }),
  });
  if (comparison.forceNew.length === 0) {
    const read = { ...record, attributes: prior.attributes };
    const { ignoreChanges } = instance.lifecycle;
    const due = type.due?.(read, wanted, draft.input.nowMs) ?? [];
    const heeded = due.filter((name) => !ignoreChanges.includes(name));
    return classifyUpdate(known, prior, [...new Set([...comparison.updates, ...heeded])]);
  }
  if (instance.lifecycle.preventDestroy) return { diagnostic: prevented(instance, "replace") };
  const reason = { kind: "force-new", attributes: comparison.forceNew } as const;
  return { action: "replace", reason, ...comparison };
}

/** An attached object is never made anew. */
function attachedProblem({ draft, instance }: Known, prior: Prior): Diagnostic | undefined {
  if (prior.existence === "missing") {
    return problem(instance, "PLN024", "Adopted object does not exist any more", {
      detail: `${prior.record.identity}: ${prior.why}.`,
      fix: "Correct what it is looked up by, or remove the resource: then it is forgotten.",
    });
  }
  if (!matches(instance.address, draft.input.select.replace)) return undefined;
  return problem(instance, "PLN029", "Attached object cannot be replaced", {
    detail: `A ${instance.type} exists already when it is adopted, and is never made anew.`,
    fix: "Leave out --replace for it.",
  });
}

/** What is imported must exist, under the key that the configuration gives it. */
function importProblem(known: Known, prior: Prior): Diagnostic | undefined {
  const { instance, identity, type, wanted } = known;
  const { record } = prior;
  const other =
    prior.existence === "found" ? otherObject(type, wanted, prior.attributes) : undefined;
  if (other !== undefined) {
    return problem(instance, "PLN018", "Imported object is not the configured one", {
      detail: `The import names ${record.identity}; ${other}.`,
      fix: "Correct the id of the import, or what the object is looked up by.",
    });
  }
  if (record.identity !== identity) {
    return problem(instance, "PLN018", "Imported object has another key", {
      detail: `The import names ${record.identity}, the configuration ${identity}.`,
      fix: "Make the key attributes of the configuration those of the object.",
    });
  }
  if (prior.existence !== "missing") return undefined;
  return problem(instance, "PLN019", "Object to import does not exist", {
    detail: `${record.identity}: ${prior.why}.`,
    fix: "Correct the id of the import, or remove the entry to create the object.",
  });
}

/** The object under the old key may still appear; another create would lose sight of it. */
function awaited(instance: DesiredInstance, prior: Prior): Diagnostic {
  const { identity, address } = prior.record;
  return problem(instance, "PLN014", "An earlier create is not settled", {
    detail:
      `The create of ${identity} was begun and never seen to take effect; it may still appear ` +
      `until ${awaitedUntil(prior)}. Creating it under another key would lose sight of it.`,
    fix:
      "Wait, keep its key, or, when it can no longer appear: " +
      `vmform state resolve '${address}' --not-done`,
  });
}

function renewedContainer(known: Known, prior: Prior): Address | undefined {
  const { container } = prior.record;
  return container === undefined ? undefined : known.draft.renewed.get(containerKey(container));
}

function classifyUpdate(known: Known, prior: Prior, updates: readonly string[]): Outcome {
  const noChange = { action: "no-op", reason: { kind: "no-change" }, ...nothingDiffers } as const;
  const goal = goalOf(known, "update");
  if (goal !== undefined && goal.from === undefined) {
    const wanted = known.wanted[known.type.power?.wanted ?? ""] ?? null;
    if (wanted === null && goal.openRestore === undefined && updates.length === 0) return noChange;
    return { diagnostic: unreadable(known.instance, powerUnreadable(prior)) };
  }
  const powerChanges =
    goal !== undefined &&
    goal.from !== goal.to &&
    !known.instance.lifecycle.ignoreChanges.includes(known.type.power?.wanted ?? "");
  if (!powerChanges && updates.length === 0) return noChange;
  const restores = powerChanges && goal.openRestore === goal.to && updates.length === 0;
  const reason: ChangeReason = restores
    ? { kind: "restore", power: goal.to }
    : { kind: "attributes" };
  return { action: "update", reason, updates, forceNew: [] };
}

function powerUnreadable(prior: Prior): string {
  return prior.existence === "found" ? "Its power could not be read" : prior.why;
}

function goalOf(known: Known, action: ChangeAction): PowerGoal | undefined {
  const { draft, instance, type, wanted, prior } = known;
  const { address } = instance;
  const ignored = instance.lifecycle.ignoreChanges.includes(type.power?.wanted ?? "");
  const considered = ignored && prior !== undefined ? {} : wanted;
  return powerGoal({ draft, address, type, wanted: considered, action, prior });
}

export function prevented(instance: { readonly address: Address }, what: string): Diagnostic {
  return problem(instance, "PLN007", "Destroying is prevented", {
    detail: `The plan would ${what} it, and lifecycle.prevent_destroy is set.`,
    fix: "Undo the change, or remove prevent_destroy.",
  });
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
    ...verdict,
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
