/**
 * Destructive halves last: what ends an object that is replaced waits for all that its successor
 * waits for, and for a look that shows the successor to be possible.
 */

import { componentsOf } from "../../graph/components.ts";
import type { AttributeExpectation } from "../../model/operation/expectation.ts";
import { checkOf, type NeededObject } from "../../model/operation/operation.ts";
import type { LoweredStep, ValueLink } from "../../model/provider/provider.ts";
import { endsFirst, type Unit } from "../unit.ts";
import { addOperation, type LoweredUnit, type Lowering, marks } from "./lowering.ts";
import { addEdge, type NodeId, type OrderGraph } from "./order-graph.ts";

const checkVerb = "check";

/** Where there is something to look at before: late values, or an object that the create names. */
export function addCheck(
  lowering: Lowering,
  unit: Unit,
  lowered: Pick<LoweredUnit, "createOperation" | "words" | "deletes">,
): void {
  const { graph, input } = lowering;
  const first = lowered.words[0] ?? lowered.deletes[0];
  const create = graph.operations.get(lowered.createOperation ?? "");
  if (!endsFirst(unit) || first === undefined || create === undefined) return;
  const needs = neededBy(lowering, unit);
  const isLate = Object.keys(create.request.deferred).length > 0;
  if (unit.undecided === undefined && (!input.rules.checkFirst || !(isLate || needs.length > 0))) {
    return;
  }
  const decides = unit.undecided === undefined ? {} : { decides: decidingOf(unit) };
  const check = { create: create.id, needs: input.rules.checkFirst ? needs : [], ...decides };
  const step = checkStep(unit);
  const id = addOperation(lowering, { ...unit, branch: undefined }, "prior", step, {
    effect: { kind: "wait", check },
    order: { locks: [] },
  });
  addEdge(graph, marks(unit).endBegin, id);
  addEdge(graph, id, first);
}

function checkStep(unit: Unit): LoweredStep {
  return {
    verb: checkVerb,
    effect: "wait",
    summary:
      unit.undecided === undefined
        ? "check that it can be made anew"
        : "check whether it has to be made anew, and can be",
    request: { inputs: {}, repeat: "safe" },
    applied: {},
    proof: { expect: [] },
  };
}

function decidingOf({ forceNew, deferred }: Unit): Unit["deferred"] {
  return Object.fromEntries(
    forceNew.flatMap((name) => {
      const value = deferred[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function neededBy({ input }: Lowering, { type, wanted }: Unit): readonly NeededObject[] {
  return type.links.flatMap((link) => {
    const identity = wanted[link.attribute];
    if (typeof identity !== "string") return [];
    return [{ type: link.type, identity, expect: expectedOf(input.types, link) }];
  });
}

function expectedOf(types: Lowering["input"]["types"], link: ValueLink): AttributeExpectation[] {
  const observed = types[link.type]?.power?.observed;
  if (link.needs === undefined || observed === undefined) return [{ existence: "found" }];
  return [{ existence: "found" }, { attribute: observed, equals: link.needs }];
}

type Wish = {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly on: "success" | "settled" | "failure";
};

/**
 * Edges from what the successors wait for to the ends of the objects before them. Where they would
 * close a circle (two objects that swap their keys), the ends inside wait for all that the circle
 * waits for.
 */
export function addEndsLast(lowering: Lowering, units: ReadonlyMap<string, LoweredUnit>): void {
  if (!lowering.input.rules.destructiveLast) return;
  const { graph } = lowering;
  const wishes = [...units.values()].flatMap((lowered) => wishesOf(graph, lowered));
  if (wishes.length === 0) return;
  const components = circlesOf(graph, wishes);
  const circles = new Map<number, NodeId[]>();
  const early = new Set<NodeId>();
  for (const { from, to, on } of wishes) {
    const circle = components.get(to) ?? -1;
    if (components.get(from) !== circle) addEdge(graph, from, to, on);
    else {
      circles.set(circle, [...(circles.get(circle) ?? []), to]);
      early.add(to);
    }
  }
  if (circles.size === 0) return;
  waitOutside(graph, components, circles);
  for (const { unit } of units.values()) {
    if (early.has(marks(unit).endBegin)) forgoNeeds(graph, unit);
  }
}

/** Checked before what it waits for has been done, an object would be looked for too early. */
function forgoNeeds(graph: OrderGraph, unit: Unit): void {
  const id = `${unit.address}#${checkVerb}.1`;
  const operation = graph.operations.get(id);
  const check = operation === undefined ? undefined : checkOf(operation);
  if (operation === undefined || check === undefined) return;
  const effect = { kind: "wait", check: { ...check, needs: [] } } as const;
  graph.operations.set(id, { ...operation, effect });
}

/** All that comes before the create and is not the end of the object itself. */
function wishesOf(graph: OrderGraph, { unit, createOperation, deletes }: LoweredUnit): Wish[] {
  if (!endsFirst(unit) || deletes.length === 0 || createOperation === undefined) return [];
  const mark = marks(unit);
  const own = new Set<NodeId>([mark.begin, mark.ended, `kept-done ${unit.address}`]);
  return [mark.begin, createOperation].flatMap((node) =>
    [...(graph.incoming.get(node) ?? [])].flatMap(([from, on]) =>
      own.has(from) ? [] : [{ from, to: mark.endBegin, on }],
    ),
  );
}

function circlesOf(graph: OrderGraph, wishes: readonly Wish[]): ReadonlyMap<NodeId, number> {
  const edges: { readonly from: NodeId; readonly to: NodeId }[] = [...wishes];
  const nodes = new Set<NodeId>(graph.operations.keys());
  for (const [to, before] of graph.incoming) {
    nodes.add(to);
    for (const from of before.keys()) {
      nodes.add(from);
      edges.push({ from, to });
    }
  }
  for (const { from, to } of wishes) nodes.add(from).add(to);
  return componentsOf([...nodes], edges);
}

/** A mark of each circle, behind all that leads into it and before the ends inside. */
function waitOutside(
  graph: OrderGraph,
  components: ReadonlyMap<NodeId, number>,
  circles: ReadonlyMap<number, readonly NodeId[]>,
): void {
  for (const [to, before] of [...graph.incoming]) {
    const circle = components.get(to) ?? -1;
    if (!circles.has(circle)) continue;
    for (const [from, on] of before) {
      if (components.get(from) !== circle) addEdge(graph, from, markOf(circle), on);
    }
  }
  for (const [circle, ends] of circles) {
    for (const end of ends) addEdge(graph, markOf(circle), end);
  }
}

function markOf(circle: number): NodeId {
  return `before circle ${circle}`;
}
