/**
 * Lowers a classification to operations: the question "which requests, in which order?".
 * `lower-unit.ts` makes the operations of one object (`lowering.ts` has what they start from,
 * `replacement.ts` the check before a destructive half), `timeline.ts` and `power-timeline.ts` its
 * power words and windows. What stands where between objects: `clones.ts`, `last-clones.ts` and
 * `placement.ts`; what waits for what: `cross-edges.ts`, `waits.ts` and `windows.ts`.
 * `order-graph.ts` holds the graph while it grows, `contraction.ts` makes the finished one.
 */

import type { Operation, OperationJoin } from "../../model/operation/operation.ts";
import type { ChangedLimit } from "../../model/plan/plan.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Classification } from "../classify/classify.ts";
import { problem } from "../codes.ts";
import type { PlanInput } from "../input.ts";
import { containerKey } from "../keys.ts";
import { unitKey } from "../unit.ts";
import { placeClones } from "./clones.ts";
import { addJudgedFirst, addPreconditions, warnOfLateJudging } from "./conditions.ts";
import { finish } from "./contraction.ts";
import { addCrossEdges, type UnitIndex } from "./cross-edges.ts";
import { lastClonesOf, placeLastClones } from "./last-clones.ts";
import { lowerUnit } from "./lower-unit.ts";
import type { LoweredUnit, Lowering } from "./lowering.ts";
import { createOrderGraph, rank } from "./order-graph.ts";
import { type Containers, placeContent } from "./placement.ts";
import { addEndsLast } from "./replacement.ts";
import { addWaits, addWaitsBehindWindows } from "./waits.ts";
import { openLate, orderAroundWindows } from "./windows.ts";

export type LoweredPlan = {
  readonly operations: readonly Operation[];
  readonly joins: readonly OperationJoin[];
  readonly diagnostics: readonly Diagnostic[];
  readonly limits: readonly ChangedLimit[];
};

export function lower(input: PlanInput, classification: Classification): LoweredPlan {
  const lowering: Lowering = {
    input,
    graph: createOrderGraph(),
    counters: new Map(),
    lastClones: input.rules.clonesFirst ? lastClonesOf(classification.units) : new Map(),
    attributesOf: attributesByKey(classification),
    diagnostics: [],
    limits: [],
  };
  const lowered = classification.units.map((unit) => lowerUnit(lowering, unit));
  const placing: Placing = {
    lowering,
    classification,
    lowered,
    units: new Map(lowered.map((item) => [unitKey(item.unit), item])),
    containers: new Map(lowered.flatMap(containerEntry)),
  };
  for (const step of betweenUnits) step(placing);
  const early = rank(lowering.graph);
  // Placing work in a graph that has a cycle already would only add noise.
  if (early !== undefined) return nothing([cycle(early.cycle, lowering)]);
  for (const step of inTimelines) step(placing);
  const { diagnostics } = lowering;
  const finished = finish(lowering.graph);
  if ("cycle" in finished) return nothing([...diagnostics, cycle(finished.cycle, lowering)]);
  return { ...finished, diagnostics, limits: uniqueLimits(lowering.limits) };
}

/** A verb of one object may stand in the plan more than once. */
function uniqueLimits(limits: readonly ChangedLimit[]): readonly ChangedLimit[] {
  const keyOf = ({ address, verb, limitMs }: ChangedLimit) => `${address} ${verb} ${limitMs}`;
  return [...new Map(limits.map((limit) => [keyOf(limit), limit])).values()];
}

/** What the steps of lowering share once every unit has its own operations. */
type Placing = {
  readonly lowering: Lowering;
  readonly classification: Classification;
  readonly lowered: readonly LoweredUnit[];
  /** By unit key. */
  readonly units: UnitIndex;
  /** Objects that live on, by type and identity. */
  readonly containers: Containers;
};

type Step = (placing: Placing) => void;

/** What waits for what between objects: edges alone, the first two in any order. */
const betweenUnits: readonly Step[] = [
  function waitsForValues({ lowering, units, classification }) {
    addWaits(lowering, units, classification);
  },
  function dependentsAfterDependencies({ lowering, units, containers }) {
    addCrossEdges(lowering, units, containers);
  },
  // It takes over what the object waits for by now.
  function preconditionsFirst({ lowering, units }) {
    addPreconditions(lowering, units);
  },
];

/**
 * Where work that needs a state stands. What opens windows comes first: the first three in any
 * order among themselves, since each asks the graph anew what comes after what.
 */
const inTimelines: readonly Step[] = [
  function clonesInTheirParents({ lowering, units }) {
    placeClones(lowering, units);
  },
  function lastClonesBeforeDeletes({ lowering, units }) {
    placeLastClones(lowering, units);
  },
  function contentInItsContainers({ lowering, lowered, containers }) {
    placeContent(lowering, lowered, containers);
  },
  function dependentsAfterPostconditions({ lowering, units }) {
    addJudgedFirst(lowering, units);
  },
  // All windows stand now: what they lose is waited for again behind them.
  function waitsBehindWindows({ lowering, units }) {
    addWaitsBehindWindows(lowering, units);
  },
  // A destructive half waits for all that its successor's create waits for by now.
  function endsLast({ lowering, units }) {
    addEndsLast(lowering, units);
    warnOfLateJudging(lowering, units);
  },
  // It takes what is no member out of windows, so their members have to be known.
  function othersAroundWindows({ lowering }) {
    orderAroundWindows(lowering.graph);
  },
  // Last: only with every other edge is it known how late a window may open.
  function windowsOpenLate({ lowering }) {
    if (lowering.input.rules.openLate) openLate(lowering.graph);
  },
];

function nothing(diagnostics: readonly Diagnostic[]): LoweredPlan {
  return { operations: [], joins: [], diagnostics, limits: [] };
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
  const address = lowering.graph.operations.get(ids[0] ?? "")?.subject.address;
  return problem({ address }, "PLN010", {
    detail: `Each has to wait for the one before it: ${[...ids, ids[0]].join(" → ")}.`,
  });
}
