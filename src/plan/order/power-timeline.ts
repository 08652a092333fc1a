/**
 * Power timelines as operations: the words of a route, the windows around work that needs another
 * state, and the places where work can stand.
 */

import type { Disruption } from "../../model/operation/disruption.ts";
import type { AttributeExpectation } from "../../model/operation/expectation.ts";
import type { OperationId, WindowId } from "../../model/operation/operation.ts";
import type { PowerState, PowerWord } from "../../model/operation/power.ts";
import type { PlannedAttributes } from "../../model/value/value.ts";
import { problem } from "../codes.ts";
import { creates, type Unit } from "../unit.ts";
import {
  addOperation,
  addWord,
  type Lowering,
  type Particulars,
  type Timeline,
  toolsWaitStep,
} from "./lowering.ts";
import { addEdge, type NodeId } from "./order-graph.ts";
import { type Route, routeThrough, segmentsOf } from "./timeline.ts";

export type TimelineInput = {
  readonly unit: Unit;
  /** Node before the first word. */
  readonly start: NodeId;
  readonly from: PowerState;
  readonly to: PowerState;
  readonly needs: readonly PowerState[];
  readonly window: WindowId;
  /** Power remembered by the first word. */
  readonly remember: PowerState | undefined;
  /** Recorded by the last word. */
  readonly records: PlannedAttributes;
};

/** Undefined, with a diagnostic, when no words lead there. */
export function addTimeline(lowering: Lowering, input: TimelineInput): Timeline | undefined {
  const { unit } = input;
  const model = unit.type.power;
  if (model === undefined) throw new Error(`${unit.type.name} has no power`);
  const route = routeThrough(model.table, input.from, input.to, input.needs);
  if (route === undefined) {
    const detail = `There is no way from ${input.from} to ${input.to} on this interface.`;
    lowering.diagnostics.push(problem(unit, "PLN012", { detail }));
    return undefined;
  }
  const window = route.detour ? input.window : undefined;
  const firstClose = route.detour ? closingFrom(route, input.needs) : route.words.length;
  const words = route.words.map((word, index) =>
    addWord(lowering, unit, "planned", word, wordExtra(input, route, index, firstClose)),
  );
  words.forEach((word, index) => {
    const before = index === 0 ? input.start : (words[index - 1] ?? input.start);
    const settled = index === firstClose && lowering.input.rules.settledClosing;
    addEdge(lowering.graph, before, word, settled ? "settled" : "success");
  });
  const timeline: Timeline = {
    unit,
    model,
    route,
    reached: [input.start, ...words],
    words,
    window,
    tools: new Map(),
  };
  route.words.forEach((word, index) => {
    const before = route.states[index - 1];
    const booted = before === "off" || before === "suspended" || knownTools(timeline) === "not yet";
    if (word.needsTools === true && booted) toolsNode(lowering, timeline, index);
  });
  return timeline;
}

/** Index of the first word after the last segment that the detour was made for. */
function closingFrom(route: Route, needs: readonly PowerState[]): number {
  return Math.max(...needs.map((need) => segmentsOf(route, need)[0] ?? 0));
}

function wordExtra(
  input: TimelineInput,
  route: Route,
  index: number,
  firstClose: number,
): Particulars {
  const last = index === route.words.length - 1;
  const role = index >= firstClose ? "close" : index === 0 ? "open" : "word";
  const toRestore = input.unit.power?.openRestore === input.to;
  const closes = (route.detour && role === "close") || toRestore;
  return {
    ...(route.detour ? { disrupts: cycleDisruptions(route.words[index], index) } : {}),
    request: {
      ...(closes ? { closing: true } : {}),
      ...(role === "close" && !last ? { satisfiedBy: goalReached(input, route) } : {}),
    },
    order: route.detour ? { window: { id: input.window, role } } : {},
    record: {
      ...(last ? { applied: input.records, settlesRestore: true } : {}),
      ...(index === 0 && input.remember !== undefined ? { restore: input.remember } : {}),
    },
  };
}

/** A window that never left its goal, since its first word failed, needs no way back. */
function goalReached(input: TimelineInput, route: Route): readonly AttributeExpectation[] {
  const attribute = input.unit.type.power?.observed;
  const goal = route.states.at(-1);
  return attribute === undefined || goal === undefined ? [] : [{ attribute, equals: goal }];
}

/** In a window the VM comes back: one power cycle, not a power-off. */
function cycleDisruptions(word: PowerWord | undefined, index: number): readonly Disruption[] {
  const own = (word?.disrupts ?? []).filter((disruption) => disruption !== "power-off");
  return index === 0 ? [...own, "power-cycle"] : own;
}

/**
 * Puts an operation into a segment: after what reaches it, before the word that leaves it. Work
 * that goes with any power needs no tools in the guest either.
 */
export function placeInSegment(
  lowering: Lowering,
  timeline: Timeline,
  segment: number,
  id: OperationId,
  needsState = true,
): void {
  const reached = needsState
    ? reachedNode(lowering, timeline, segment)
    : (timeline.reached[segment] ?? "");
  addEdge(lowering.graph, reached, id);
  const leaving = timeline.words[segment];
  const operation = lowering.graph.operations.get(id);
  const staysWithout =
    needsState && segment === 0 && operation?.subject.address === timeline.unit.address;
  const isFree = lowering.input.rules.settledClosing && !(staysWithout && mayRest(timeline));
  if (leaving !== undefined) addEdge(lowering.graph, id, leaving, isFree ? "settled" : "success");
  const inside = segment > 0 && segment < timeline.words.length;
  if (!inside || timeline.window === undefined || operation === undefined) return;
  const window = { id: timeline.window, role: "member" } as const;
  lowering.graph.operations.set(id, { ...operation, order: { ...operation.order, window } });
}

/**
 * Nothing is owed to a VM that rests where its own change needs it: when that fails, it stays
 * there, or the change would need a power cycle next time.
 */
function mayRest({ unit, window }: Timeline): boolean {
  return window === undefined && !creates(unit) && unit.power?.openRestore === undefined;
}

/** Node after which work may stand in a segment: the word that reaches it, or the tools behind. */
function reachedNode(lowering: Lowering, timeline: Timeline, segment: number): NodeId {
  return toolsNode(lowering, timeline, segment) ?? timeline.reached[segment] ?? "";
}

/**
 * Whether the guest's tools answered when last asked. `not yet` is what a power on of ours leaves
 * behind until they do; `never asked` is a VM that somebody else has turned on.
 */
function knownTools({ unit, model }: Timeline): "running" | "not yet" | "never asked" {
  const prior = creates(unit) ? undefined : unit.prior?.attributes;
  const values = (model.toolsWait?.expect ?? []).map((item) =>
    "attribute" in item ? prior?.[item.attribute] : null,
  );
  if (values.every((value) => value !== null && value !== undefined)) return "running";
  return values.includes(null) ? "not yet" : "never asked";
}

/** The wait for the guest's tools before work that needs them; undefined where none is needed. */
function toolsNode(
  lowering: Lowering,
  timeline: Timeline,
  segment: number,
): OperationId | undefined {
  const { route, model, unit } = timeline;
  const before = route.states[segment - 1];
  const boots = before === "off" || before === "suspended" || knownTools(timeline) !== "running";
  const { toolsWait } = model;
  if (toolsWait === undefined || !lowering.input.rules.toolsWait) return undefined;
  if (route.states[segment] !== "on" || !boots) return undefined;
  const existing = timeline.tools.get(segment);
  if (existing !== undefined) return existing;
  const window = timeline.window;
  const order: Particulars["order"] =
    window === undefined ? {} : { window: { id: window, role: "word" } };
  const wait = addOperation(lowering, unit, "planned", toolsWaitStep(toolsWait), { order });
  timeline.tools.set(segment, wait);
  addEdge(lowering.graph, timeline.reached[segment] ?? "", wait);
  const leaving = timeline.words[segment];
  if (leaving !== undefined) addEdge(lowering.graph, wait, leaving, "settled");
  return wait;
}
