/**
 * Replace order: delete-then-create, or create-then-delete where `create_before_destroy` asks for
 * it and for every replaced object such a one depends on, or the two orders would form a cycle.
 */

import type { ObjectKey } from "../../model/operation/operation.ts";
import type { Address } from "../../model/value/address.ts";
import { problem } from "../codes.ts";
import { recordedKey } from "../keys.ts";
import type { Unit } from "../unit.ts";
import { blocked, type Draft, type Drafting } from "./draft.ts";

/** The units of a draft, with the key that each object replaced create-first will take. */
export function chooseOrder({ draft, fold }: Drafting): readonly Unit[] {
  const first = createFirst(draft);
  if (first.size === 0) return [...draft.units.values()];
  const used = new Set(
    draft.input.recorded.objects.map((object) => `${object.address} ${object.objectKey}`),
  );
  return [...draft.units.values()].map((unit) => {
    if (!first.has(unit)) return unit;
    const { prior } = unit;
    if (prior !== undefined && unit.identity === recordedKey(draft.input.types, prior.record)) {
      fold(blocked(unit.address, sameKey(unit, isAsked(unit))));
    }
    // The new object stands before anything could be decided.
    return { ...unit, deposes: freeKey(used, unit), undecided: undefined, branch: undefined };
  });
}

function isAsked(unit: Unit): boolean {
  return unit.action === "replace" && unit.desired?.lifecycle.createBeforeDestroy === true;
}

/** Spreads to everything a create-first object depends on, and to the content of containers. */
function createFirst(draft: Draft): ReadonlySet<Unit> {
  const first = new Set<Unit>();
  const seen = new Set<Unit>();
  const units = [...draft.units.values()];
  const content = contentByContainer(units);
  const stack = units.filter((unit) => isAsked(unit) || isContentOfDeposed(draft, unit));
  for (let unit = stack.pop(); unit !== undefined; unit = stack.pop()) {
    if (seen.has(unit)) continue;
    seen.add(unit);
    if (unit.action === "replace") first.add(unit);
    for (const address of [...unit.dependencies, ...(unit.prior?.record.dependencies ?? [])]) {
      const dependency = draft.units.get(address);
      if (dependency !== undefined) stack.push(dependency);
    }
    if (unit.action === "replace") stack.push(...(content.get(unit.address) ?? []));
  }
  return first;
}

/** Content that is replaced because its container is, by the container's address. */
function contentByContainer(units: readonly Unit[]): ReadonlyMap<Address, readonly Unit[]> {
  const content = new Map<Address, Unit[]>();
  for (const unit of units) {
    if (unit.reason.kind !== "container-replaced") continue;
    const list = content.get(unit.reason.container) ?? [];
    list.push(unit);
    content.set(unit.reason.container, list);
  }
  return content;
}

/** Its container was replaced by an earlier run, which has not deleted the old one yet. */
function isContentOfDeposed(draft: Draft, unit: Unit): boolean {
  if (unit.reason.kind !== "container-replaced") return false;
  const container = draft.units.get(unit.reason.container);
  return container !== undefined && container.action !== "replace" && container.action !== "create";
}

function freeKey(used: Set<string>, unit: Unit): ObjectKey {
  for (let count = 1; ; count += 1) {
    const key: ObjectKey = `deposed-${count}`;
    if (used.has(`${unit.address} ${key}`)) continue;
    used.add(`${unit.address} ${key}`);
    return key;
  }
}

function sameKey(unit: Unit, asked: boolean) {
  const why = asked
    ? "create_before_destroy is set"
    : "something that depends on it is created before it is destroyed";
  return problem(unit.desired ?? unit, "PLN015", {
    detail: `${why}, so both objects must exist at once, but both are ${unit.identity}.`,
    fix: "Give it a new key together with the change, or drop create_before_destroy.",
  });
}
