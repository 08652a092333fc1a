/** Classifies wanted objects that are recorded: the question "what has become of it?". */

import { quotedWord } from "../../lib/shell-word.ts";
import type { ChangeReason } from "../../model/plan/change.ts";
import type { DesiredInstance } from "../../model/plan/desired.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import { type Comparison, compareWanted } from "../../model/value/comparison.ts";
import { isKnown } from "../../model/value/value.ts";
import { otherObject } from "../before/lookup.ts";
import {
  awaitedUntil,
  hiddenAttributes,
  isAwaited,
  missingReason,
  type Prior,
} from "../before/prior.ts";
import { prevented } from "../before/protection.ts";
import { matches } from "../before/selection.ts";
import { problem } from "../codes.ts";
import { containerKey, recordedKey } from "../keys.ts";
import { triggeredBy } from "./triggered.ts";
import { goalOf, type Judged, type Known, nothingDiffers, unreadable } from "./verdict.ts";

export function classifyRecorded(known: Known, prior: Prior): Judged {
  const { draft, instance, type, wanted } = known;
  const { record } = prior;
  if (record.provider !== instance.provider) {
    return {
      diagnostic: problem(instance, "PLN006", {
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
    const { nowMs } = draft.input;
    if (isAwaited(prior, nowMs)) return { diagnostic: awaited(instance, prior, nowMs) };
  }
  // A share of a VM that is off cannot be looked for: it is created again, and a conflict settles
  // it.
  if (prior.existence === "missing" || (tentative && prior.existence === "unreadable")) {
    if (prior.failed) return { diagnostic: unreadable(instance, prior.why) };
    const missing = missingReason(prior);
    const reason = tentative ? ({ kind: "tentative" } as const) : missing;
    return { action: "create", reason, ...nothingDiffers };
  }
  const asked = askedReason(known, prior);
  if (asked !== undefined) {
    if (instance.lifecycle.preventDestroy)
      return { diagnostic: prevented(instance, "replace", "configured") };
    return { action: "replace", reason: asked, ...nothingDiffers };
  }
  const container = renewedContainer(known, prior);
  if (container !== undefined) {
    const reason = { kind: "container-replaced", container } as const;
    return { action: "replace", reason, ...nothingDiffers };
  }
  if (prior.failed) return { diagnostic: unreadable(instance, prior.why) };
  const hidden = hiddenAttributes(prior, wanted, instance.lifecycle.ignoreChanges);
  if (hidden !== undefined) return { diagnostic: unreadable(instance, hidden) };
  const comparison = compareWanted({
    type,
    wanted,
    applied: record.applied,
    attributes: prior.attributes,
    ignore: instance.lifecycle.ignoreChanges,
    except: type.power === undefined ? [] : [type.power.wanted],
  });
  if (comparison.forceNew.length === 0) {
    const read = { ...record, attributes: prior.attributes };
    const { ignoreChanges } = instance.lifecycle;
    const due = type.due?.(read, wanted, draft.input.nowMs, isMoving(known)) ?? [];
    const heeded = due.filter((name) => !ignoreChanges.includes(name));
    const updates = [...new Set([...comparison.updates, ...heeded])];
    return classifyUpdate(known, prior, { ...comparison, updates });
  }
  if (instance.lifecycle.preventDestroy)
    return { diagnostic: prevented(instance, "replace", "configured") };
  return replaceFor(known, comparison);
}

/** Why it is made anew though nothing of it differs: somebody asks for it. */
function askedReason({ draft, instance }: Known, prior: Prior): ChangeReason | undefined {
  if (matches(instance.address, draft.input.select.replace)) return { kind: "requested" };
  const by = triggeredBy(draft, instance, prior);
  return by === undefined ? undefined : { kind: "triggered", by };
}

/** Undecided where only values that are known after apply may differ. */
function replaceFor({ draft, wanted, resolved }: Known, comparison: Comparison): Judged {
  const { forceNew: attributes, updates } = comparison;
  const { deferred } = resolved;
  const isLate = attributes.every(
    (name) => !isKnown(wanted[name] ?? null) && deferred[name] !== undefined,
  );
  if (!isLate || !draft.input.rules.keepEqual) {
    return { action: "replace", reason: { kind: "force-new", attributes }, ...comparison };
  }
  const reason = { kind: "force-new", attributes, undecided: true } as const;
  return { action: "replace", reason, undecided: { updates }, ...comparison };
}

/** Something that it refers to is changed in place by this plan. */
function isMoving({ draft, instance }: Known): boolean {
  return instance.references.some(({ address, attribute }) => {
    const unit = draft.units.get(address);
    if (unit?.action !== "update") return false;
    return attribute === undefined || unit.updates.includes(attribute);
  });
}

/** An attached object is never made anew. */
function attachedProblem(known: Known, prior: Prior): Diagnostic | undefined {
  const { instance } = known;
  if (prior.existence === "missing") {
    return problem(instance, "PLN024", {
      detail: prior.another === true ? `${prior.why}.` : `${prior.record.identity}: ${prior.why}.`,
      fix: "Correct what it is looked up by, or remove the resource: then it is forgotten.",
    });
  }
  const asked = askedReason(known, prior);
  if (asked === undefined) return undefined;
  return problem(instance, "PLN029", {
    detail: `A ${instance.type} exists already when it is adopted, and is never made anew.`,
    fix: `Leave out ${asked.kind === "triggered" ? "replace_triggered_by" : "--replace"} for it.`,
  });
}

/** What is imported must exist, under the key that the configuration gives it. */
function importProblem(known: Known, prior: Prior): Diagnostic | undefined {
  const { draft, instance, identity, type, wanted } = known;
  const { record } = prior;
  // An import may name an object by more than its key.
  const key = recordedKey(draft.input.types, { ...record, attributes: prior.attributes });
  const other =
    prior.existence === "found" ? otherObject(type, wanted, prior.attributes) : undefined;
  if (other !== undefined) {
    return problem(instance, "PLN018", {
      detail: `The import names ${record.identity}; ${other}.`,
      fix: "Correct the id of the import, or what the object is looked up by.",
    });
  }
  const kind = prior.existence === "found" ? type.otherKind?.(prior.attributes) : undefined;
  if (kind !== undefined) {
    return problem(instance, "PLN018", {
      detail: `The import names ${record.identity}, which is of another kind: ${kind}.`,
      fix: "Remove the entry, and choose another key for the object of the configuration.",
    });
  }
  if (record.identity !== identity && key !== identity) {
    return problem(instance, "PLN018", {
      detail: `The import names ${record.identity}; the key of the configuration is ${identity}.`,
      fix: "Make the key attributes of the configuration those of the object.",
    });
  }
  if (prior.existence !== "missing") return undefined;
  return problem(instance, "PLN019", {
    detail: `${record.identity}: ${prior.why}.`,
    fix: "Correct the id of the import, or remove the entry to create the object.",
  });
}

/** The object under the old key may still appear; another create would lose sight of it. */
function awaited(instance: DesiredInstance, prior: Prior, nowMs: number): Diagnostic {
  const { identity, address } = prior.record;
  return problem(instance, "PLN014", {
    detail:
      `The create of ${identity} was begun and never seen to take effect; it may still appear ` +
      `until ${awaitedUntil(prior, nowMs)}. Creating it under another key would lose sight of it.`,
    fix:
      "Wait, keep its key, or, when it can no longer appear: " +
      `vmform state resolve ${quotedWord(address)} --not-done`,
  });
}

function renewedContainer(known: Known, prior: Prior): Address | undefined {
  const { container } = prior.record;
  return container === undefined ? undefined : known.draft.renewed.get(containerKey(container));
}

function classifyUpdate(known: Known, prior: Prior, comparison: Comparison): Judged {
  const { updates } = comparison;
  const noChange = {
    action: "no-op",
    reason: { kind: "no-change" },
    ...nothingDiffers,
    standing: comparison.standing,
  } as const;
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
  return { action: "update", reason, ...comparison };
}

function powerUnreadable(prior: Prior): string {
  return prior.existence === "found" ? "Its power could not be read" : prior.why;
}
