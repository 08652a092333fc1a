/** What an apply has come to in numbers: what was done is counted, whatever failed beside it. */

import type { Applied } from "../../engine/apply.ts";
import type { OperationResult } from "../../engine/run/execution.ts";
import type { EffectKind, OperationSubject } from "../../model/operation/operation.ts";
import type { Change } from "../../model/plan/change.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { keptOf, planCounts } from "../../model/plan/plan-counts.ts";
import type { Address } from "../../model/value/address.ts";
import type { ApplySummary } from "../../render/plan/plan-summary.ts";

export function summaryOf(plan: Plan, applied: Applied): ApplySummary {
  const failed = new Set<string>(applied.failed);
  const skipped = new Set<string>(applied.skipped);
  const pending = pendingIn(applied);
  const done = doneOf(applied.results);
  const branches = new Map(
    plan.operations.flatMap(({ subject: { address }, order: { branch } }) =>
      branch ? [[address, branch.of]] : [],
    ),
  );
  const counts = {
    added: 0,
    changed: 0,
    destroyed: 0,
    forgotten: 0,
    failed: 0,
    pending: 0,
    skipped: 0,
  };
  for (const change of plan.changes) {
    const { address, action } = change;
    const isKept = applied.kept.has(branches.get(address) ?? "");
    const ended = !failed.has(address) && !skipped.has(address) && !isKept;
    if (failed.has(address)) counts.failed += 1;
    else if (pending.has(address)) counts.pending += 1;
    else if (skipped.has(address)) counts.skipped += 1;
    if (isAdded(change, done, ended)) counts.added += 1;
    if (isDestroyed(change, done)) counts.destroyed += 1;
    if (ended && action === "update") counts.changed += 1;
    if (isKept && done.changed.has(address)) counts.changed += 1;
    if (ended && action === "forget") counts.forgotten += 1;
  }
  const { import: imported, adopt: adopted, move: moved } = planCounts(plan);
  return {
    mode: plan.mode === "destroy" ? "destroy" : "apply",
    imported,
    adopted,
    moved,
    ...counts,
    kept: keptOf(plan).length,
    interrupted: applied.interrupted,
  };
}

/** Left for its time, or left since it comes after that; what else was left has another cause. */
function pendingIn({ pending, failed, skipped, interrupted }: Applied): ReadonlySet<string> {
  const own = pending.map(({ operation }) => operation.subject.address);
  const isAll = pending.length > 0 && failed.length === 0 && !interrupted;
  return new Set(isAll ? [...own, ...skipped] : own);
}

type Done = {
  /** Objects that were changed in place, for late values kept them. */
  readonly changed: ReadonlySet<Address>;
  readonly created: ReadonlySet<Address>;
  /** Objects that were deleted, as `address objectKey`. */
  readonly deleted: ReadonlySet<string>;
  /** Addresses and identities of what was deleted: content has ended with its container. */
  readonly ended: ReadonlySet<string>;
};

function doneOf(results: readonly OperationResult[]): Done {
  const of = (effect: EffectKind) =>
    results.flatMap(({ operation, status }) =>
      status === "success" && operation.effect.kind === effect ? [operation] : [],
    );
  const deletes = of("delete");
  const inPlace = results.filter(
    ({ operation, status }) => operation.order.branch?.when === "kept" && status === "success",
  );
  return {
    changed: new Set(inPlace.map(({ operation }) => operation.subject.address)),
    created: new Set(of("create").map(({ subject: { address } }) => address)),
    deleted: new Set(deletes.map(({ subject }) => keyOf(subject))),
    ended: new Set(deletes.flatMap(({ subject: { address, identity } }) => [address, identity])),
  };
}

function keyOf({ address, objectKey }: Pick<OperationSubject, "address" | "objectKey">): string {
  return `${address} ${objectKey}`;
}

/** Also what is only recorded, and has no operation that makes it. */
function isAdded({ address, action }: Change, { created }: Done, ended: boolean): boolean {
  if (action !== "create" && action !== "replace") return false;
  return ended || created.has(address);
}

/** By a request of its own, or silently with its container. */
function isDestroyed({ address, objectKey, action, reason }: Change, done: Done): boolean {
  if (action !== "delete" && action !== "replace") return false;
  if (reason.kind === "container-replaced" || reason.kind === "container-deleted") {
    return done.ended.has(reason.container);
  }
  // Replaced create-first, the old object has another key by the time it is deleted.
  if (action === "replace") return done.ended.has(address);
  return done.deleted.has(keyOf({ address, objectKey }));
}
