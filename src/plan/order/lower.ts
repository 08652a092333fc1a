/**
 * Lowers a classification to operations: the question "which requests, in which order?".
 * `lower-unit.ts` makes the operations of one object (`lowering.ts` has what they start from,
 * `replacement.ts` the check before a destructive half), `timeline.ts` and `power-timeline.ts` its
 * power words and windows. What stands where between objects: `clones.ts`, `last-clones.ts` and
 * `placement.ts`; what waits for what: `cross-edges.ts`, `waits.ts` and `windows.ts`.
 * `order-graph.ts` holds the graph while it grows, `contraction.ts` makes the finished one.
 */

import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Operation, OperationJoin } from "../../model/operation.ts";
import type { Classification } from "../classify/classify.ts";
import type { PlanInput } from "../input.ts";
import { containerKey } from "../keys.ts";
import { unitKey } from "../unit.ts";
import { placeClones } from "./clones.ts";
import { finish } from "./contraction.ts";
import { addCrossEdges } from "./cross-edges.ts";
import { lastClonesOf, placeLastClones } from "./last-clones.ts";
import { lowerUnit } from "./lower-unit.ts";
import type { LoweredUnit, Lowering } from "./lowering.ts";
import { createOrderGraph, rank } from "./order-graph.ts";
import { placeContent } from "./placement.ts";
import { addEndsLast } from "./replacement.ts";
import { addWaits, addWaitsBehindWindows } from "./waits.ts";
import { openLate, orderAroundWindows } from "./windows.ts";

export type LoweredPlan = {
  readonly operations: readonly Operation[];
  readonly joins: readonly OperationJoin[];
  readonly diagnostics: readonly Diagnostic[];
};

export function lower(input: PlanInput, classification: Classification): LoweredPlan {
  const lowering: Lowering = {
    input,
    graph: createOrderGraph(),
    counters: new Map(),
    lastClones: input.rules.clonesFirst ? lastClonesOf(classification.units) : new Map(),
    attributesOf: attributesByKey(classification),
    diagnostics: [],
  };
  const lowered = classification.units.map((unit) => lowerUnit(lowering, unit));
  const units = new Map(lowered.map((item) => [unitKey(item.unit), item]));
  const containers = new Map(lowered.flatMap(containerEntry));
  addWaits(lowering, units, classification);
  addCrossEdges(lowering, units, containers);
  const early = rank(lowering.graph);
  // Placing work in a graph that has a cycle already would only add noise.
  if (early !== undefined) return nothing([cycle(early.cycle, lowering)]);
  placeClones(lowering, units);
  placeLastClones(lowering, units);
  placeContent(lowering, lowered, containers);
  addWaitsBehindWindows(lowering, units);
  addEndsLast(lowering, units);
  orderAroundWindows(lowering.graph);
  if (input.rules.openLate) openLate(lowering.graph);
  const { diagnostics } = lowering;
  const finished = finish(lowering.graph);
  if ("cycle" in finished) return nothing([...diagnostics, cycle(finished.cycle, lowering)]);
  return { ...finished, diagnostics };
}

function nothing(diagnostics: readonly Diagnostic[]): LoweredPlan {
  return { operations: [], joins: [], diagnostics };
}

function attributesByKey({ priors }: Classification): Lowering["attributesOf"] {
  const byKey = new Map(
    priors.map(({ record: { type, identity }, attributes }) => [
      containerKey({ type, identity }),
      attributes,
    ]),
  );
  return (key) => byKey.get(containerKey(key));
}

/** Only objects that live on hold content. */
function containerEntry(lowered: LoweredUnit): readonly (readonly [string, LoweredUnit])[] {
  const { unit } = lowered;
  if (unit.action === "delete" || unit.action === "forget") return [];
  return [[containerKey({ type: unit.type.name, identity: unit.identity }), lowered]];
}

function cycle(ids: readonly string[], lowering: Lowering): Diagnostic {
  const address = lowering.graph.operations.get(ids[0] ?? "")?.address;
  return {
    severity: "error",
    code: "PLN010",
    summary: "Operations form a cycle",
    detail: `Each has to wait for the one before it: ${[...ids, ids[0]].join(" → ")}.`,
    ...(address === undefined ? {} : { address }),
  };
}
