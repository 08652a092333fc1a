/**
 * Clones of an object that ends with this plan: they are taken before it does, from a source that
 * is turned off for them, since it is going anyway. When one fails, the source stays, with its
 * power.
 */

import type { OperationId } from "../../model/operation/operation.ts";
import type { PowerWord } from "../../model/operation/power.ts";
import { containerKey } from "../keys.ts";
import { creates, ends, type Unit } from "../unit.ts";
import { type LastClones, type LoweredUnit, type Lowering, marks } from "./lowering.ts";
import { addEdge } from "./order-graph.ts";

/** None of an object whose key a living one has: that is what the clone is taken of. */
export function lastClonesOf(units: readonly Unit[]): LastClones {
  const living = new Set<string>();
  const ending = new Set<string>();
  for (const unit of units) {
    if (unit.action !== "delete" && unit.action !== "forget") living.add(sourceKey(unit));
    const record = unit.prior?.record;
    const isEnding = ends(unit) && !unit.endsSilently && record !== undefined;
    if (isEnding) ending.add(sourceKey({ ...unit, identity: record.identity }));
  }
  const clones = new Map<string, Unit[]>();
  for (const unit of units) {
    if (!creates(unit)) continue;
    for (const { attribute, type } of unit.type.links) {
      const identity = unit.wanted[attribute];
      if (typeof identity !== "string") continue;
      const key = `${unit.provider} ${containerKey({ type, identity })}`;
      if (!ending.has(key) || living.has(key)) continue;
      clones.set(key, [...(clones.get(key) ?? []), unit]);
    }
  }
  return clones;
}

function sourceKey({ provider, type, identity }: Pick<Unit, "provider" | "type" | "identity">) {
  return `${provider} ${containerKey({ type: type.name, identity })}`;
}

export function lastClonesFrom({ lastClones }: Lowering, unit: Unit): readonly Unit[] {
  const identity = unit.prior?.record.identity;
  if (identity === undefined || !ends(unit)) return [];
  return lastClones.get(sourceKey({ ...unit, identity })) ?? [];
}

/** Off as for people who use it: what is copied should be at rest. */
export function wordsBeforeClones({ type, power }: Unit): readonly PowerWord[] {
  if (power?.from === undefined) return [];
  return type.power?.table[power.from]?.off ?? [];
}

/** Each clone stands between the words that turn its source off and the delete. */
export function placeLastClones(lowering: Lowering, units: ReadonlyMap<string, LoweredUnit>): void {
  const { graph } = lowering;
  for (const { unit, words, deletes } of units.values()) {
    const [first] = deletes;
    if (first === undefined) continue;
    for (const clone of lastClonesFrom(lowering, unit)) {
      const create = units.get(clone.address)?.createOperation;
      if (create === undefined) continue;
      addEdge(graph, words.at(-1) ?? marks(unit).endBegin, create);
      addEdge(graph, create, first);
      joinWindow(lowering, create, words[0]);
    }
  }
}

function joinWindow({ graph }: Lowering, create: OperationId, word: OperationId | undefined): void {
  const id = graph.operations.get(word ?? "")?.order.window?.id;
  const operation = graph.operations.get(create);
  if (id === undefined || operation === undefined) return;
  graph.operations.set(create, {
    ...operation,
    order: { ...operation.order, window: { id, role: "member" } },
  });
}
