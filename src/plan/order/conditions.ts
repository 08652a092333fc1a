/**
 * Conditions that are judged while applying: before anything is done for their object, and when
 * everything is done for it. Whoever judges is an operation that sends nothing, so that what comes
 * after it is left out where a condition does not hold.
 */

import type { ConditionKind, LateCondition } from "../../model/operation/condition.ts";
import { warning } from "../codes.ts";
import { endsFirst, type Unit, unitKey } from "../unit.ts";
import { isCloneOf } from "./clones.ts";
import type { UnitIndex } from "./cross-edges.ts";
import { addOperation, chain, type Lowering, marks } from "./lowering.ts";
import { addEdge, type NodeId, reaches } from "./order-graph.ts";

/** A mark after which the postconditions of an object may be judged. */
export function judgingMark(unit: Pick<Unit, "address" | "objectKey">): NodeId {
  return `judging ${unitKey(unit)}`;
}

function judgeId(unit: Unit, kind: ConditionKind): NodeId {
  return `${unitKey(unit)}#${kind}.1`;
}

function lateOf({ conditions = [] }: Unit, kind: ConditionKind): readonly LateCondition[] {
  return conditions.filter((condition) => condition.kind === kind);
}

/** Between all that is done for the object and all that comes after it. */
export function addPostconditions(lowering: Lowering, unit: Unit): NodeId {
  const { done } = marks(unit);
  const late = lateOf(unit, "postcondition");
  if (late.length === 0) return done;
  const mark = judgingMark(unit);
  chain(lowering, mark, addJudge(lowering, unit, "postcondition", late), done);
  return mark;
}

/** Between all that the object waits for and its own beginning. */
export function addPreconditions(lowering: Lowering, units: UnitIndex): void {
  const { graph } = lowering;
  for (const { unit } of units.values()) {
    const late = lateOf(unit, "precondition");
    if (late.length === 0) continue;
    const { begin, ended } = marks(unit);
    const own = new Set<NodeId>([ended, `kept-done ${unit.address}`]);
    const before = [...(graph.incoming.get(begin) ?? [])].filter(([from]) => !own.has(from));
    const id = addJudge(lowering, unit, "precondition", late);
    for (const [from, on] of before) addEdge(graph, from, id, on);
    addEdge(graph, id, begin);
    for (const address of unit.dependencies) {
      const source = units.get(address);
      // The beginning of a clone does not wait for what it is cloned from.
      if (source?.createOperation === undefined || !isCloneOf(unit, source)) continue;
      addEdge(graph, source.createOperation, id);
    }
  }
}

function addJudge(
  lowering: Lowering,
  unit: Unit,
  kind: ConditionKind,
  judges: readonly LateCondition[],
): NodeId {
  const step = {
    verb: kind,
    effect: "wait",
    summary: `judge its ${judges.length === 1 ? kind : `${judges.length} ${kind}s`}`,
    request: { inputs: {}, repeat: "safe" },
    applied: {},
    proof: { expect: [] },
  } as const;
  return addOperation(lowering, { ...unit, branch: undefined }, "planned", step, {
    effect: { kind: "wait", judges },
    order: { locks: [] },
  });
}

/** Content and clones begin before their VM is done, unless its postconditions can come first. */
export function addJudgedFirst({ graph }: Lowering, units: UnitIndex): void {
  for (const { unit } of units.values()) {
    if (unit.desired === undefined) continue;
    for (const address of unit.dependencies) {
      const dependency = units.get(address)?.unit;
      if (dependency === undefined || lateOf(dependency, "postcondition").length === 0) continue;
      const judge = judgeId(dependency, "postcondition");
      const { begin } = marks(unit);
      if (!reaches(graph, begin, judge)) addEdge(graph, judge, begin);
    }
  }
}

/** What is deleted before its precondition can be known is told. */
export function warnOfLateJudging({ graph, diagnostics }: Lowering, units: UnitIndex): void {
  for (const { unit } of units.values()) {
    if (!endsFirst(unit) || lateOf(unit, "precondition").length === 0) continue;
    const judge = judgeId(unit, "precondition");
    const last = marks(unit).endBegin;
    if (reaches(graph, judge, last)) continue;
    const detail =
      `${unit.address} is deleted before the precondition of the new one can be judged, since ` +
      "what the condition names is replaced as well.";
    // Without an address, which would withhold it.
    diagnostics.push(warning({ source: unit.desired?.source }, "PLN051", { detail }));
  }
}
