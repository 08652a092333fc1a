/**
 * Places content in the power timeline of its container: in a natural segment, else in an echo
 * window of its own, else not at all, which is a plan error that prints the cycle.
 */

import type { OperationId } from "../../model/operation/operation.ts";
import { isPowerState, type PowerState } from "../../model/operation/power.ts";
import { equalValues } from "../../model/value/value.ts";
import { problem } from "../codes.ts";
import { containerKey, holderKey } from "../keys.ts";
import { creates, type Unit } from "../unit.ts";
import { chain, type LoweredUnit, type Lowering, type Timeline } from "./lowering.ts";
import { addEdge, type DraftOperation, reaches } from "./order-graph.ts";
import { addTimeline, placeInSegment } from "./power-timeline.ts";
import { segmentsOf } from "./timeline.ts";

/** Living containers by type and identity. */
export type Containers = ReadonlyMap<string, LoweredUnit>;

export function placeContent(
  lowering: Lowering,
  units: readonly LoweredUnit[],
  containers: Containers,
): void {
  const echoes: Echoes = new Map();
  for (const lowered of units) {
    for (const { id, needs } of lowered.content) {
      const operation = lowering.graph.operations.get(id);
      const container =
        operation?.subject.container === undefined
          ? undefined
          : containers.get(containerKey(operation.subject.container));
      if (operation === undefined) continue;
      if (container === undefined) {
        requirePower(lowering, lowered.unit, operation, needs);
        continue;
      }
      const adds = operation.effect.kind === "create";
      if (adds) {
        for (const own of container.ownSteps) addEdge(lowering.graph, own, id);
      } else if (isSetFor(container.unit, lowered.unit)) {
        setForRemoval(lowering, container, id);
      }
      if (placeNaturally(lowering, container, id, needs)) {
        if (!adds) orderRemoval(lowering, container, id);
      } else {
        placeInEcho(lowering, container, lowered.unit, id, needs, echoes);
      }
    }
  }
}

/** Of a container that nothing of the configuration stands for: nobody brings it into a power. */
function requirePower(
  lowering: Lowering,
  unit: Unit,
  { subject: { container }, verb }: DraftOperation,
  needs: PowerState,
): void {
  if (container === undefined || unit.desired === undefined) return;
  const { type, identity } = container;
  const { input } = lowering;
  const named = input.named.get(holderKey({ provider: unit.provider, type, identity }));
  const seen = named?.status === "found" ? named.attributes : {};
  const told = unit.facts === undefined ? undefined : unit.type.container?.powerIn?.(unit.facts);
  const power = told ?? seen[input.types[type]?.power?.observed ?? ""];
  if (!isPowerState(power) || power === needs) return;
  const isTold = lowering.diagnostics.some(
    (item) => item.code === "PLN047" && item.address === unit.address,
  );
  if (isTold) return;
  lowering.diagnostics.push(
    problem(unit.desired, "PLN047", {
      detail:
        `${verb} needs ${type} ${identity} ${needs}, and it is ${power}. No resource stands for ` +
        "it, so nothing here changes that.",
      fix: `Turn it ${needs} first, or add a ${type} for it.`,
    }),
  );
}

/** The container is made to take content by this plan, or once more. */
function isSetFor({ updates, wanted }: Unit, { type }: Unit): boolean {
  const { requires } = type.container ?? {};
  if (requires === undefined || !updates.includes(requires.attribute)) return false;
  return equalValues(wanted[requires.attribute] ?? null, requires.equals);
}

/** Echo windows by container and state, in the order they open. */
type Echoes = Map<string, Timeline[]>;

/** In the first segment with the state that needs no cycle; false when there is none. */
export function placeNaturally(
  lowering: Lowering,
  container: LoweredUnit,
  id: OperationId,
  needs: PowerState,
): boolean {
  const { timeline } = container;
  if (timeline === undefined) return false;
  for (const segment of segmentsOf(timeline.route, needs)) {
    const reached = timeline.reached[segment] ?? "";
    const leaving = timeline.words[segment];
    if (reaches(lowering.graph, id, reached)) continue;
    if (leaving !== undefined && reaches(lowering.graph, leaving, id)) continue;
    placeInSegment(lowering, timeline, segment, id);
    return true;
  }
  return false;
}

function placeInEcho(
  lowering: Lowering,
  container: LoweredUnit,
  unit: Unit,
  id: OperationId,
  needs: PowerState,
  echoes: Echoes,
): void {
  // Work that the container's own words have to wait for is done before the first of them.
  const side = reaches(lowering.graph, id, container.settled) ? "before" : "after";
  const key = `${container.unit.address} ${needs} ${side}`;
  const opened = echoes.get(key) ?? [];
  let echo = opened.at(-1);
  if (echo === undefined || isInterleaved(lowering, echo, id)) {
    echo = openEcho(lowering, container, unit, needs, side, opened);
    if (echo === undefined) return;
    echoes.set(key, [...opened, echo]);
  }
  const first = echo.words[0] ?? echo.reached[0] ?? "";
  if (reaches(lowering.graph, id, first)) {
    const detail =
      `${id} needs ${container.unit.address} ${needs}, and ${first} has to wait for it: ` +
      "they form a cycle.";
    lowering.diagnostics.push(problem(unit, "PLN010", { detail }));
    return;
  }
  placeInSegment(lowering, echo, Math.max(0, echo.route.states.indexOf(needs, 1)), id);
  const next = container.timeline?.words[0];
  if (echo.words.length === 0 && next !== undefined) {
    addEdge(lowering.graph, id, next, "settled");
  }
}

/** True when other work on the VM has to come after the window's beginning and before this. */
function isInterleaved(lowering: Lowering, echo: Timeline, id: OperationId): boolean {
  const { graph } = lowering;
  const first = echo.words[0] ?? "";
  if (!reaches(graph, first, id)) return false;
  const locks = graph.operations.get(first)?.order.locks ?? [];
  const reserved = new Set(locks.flatMap(({ key, passing }) => (passing === true ? [] : [key])));
  for (const operation of graph.operations.values()) {
    if (operation.order.window?.id === echo.window || operation.id === id) continue;
    if (!operation.order.locks.some((lock) => reserved.has(lock.key))) continue;
    if (reaches(graph, first, operation.id) && reaches(graph, operation.id, id)) return true;
  }
  return false;
}

/**
 * A window around work of another object, after the container's own words or before them; needs
 * consent. It has no words where the container has the needed state before its own.
 */
export function openEcho(
  lowering: Lowering,
  container: LoweredUnit,
  unit: Unit,
  needs: PowerState,
  side: "before" | "after" = "after",
  earlier: readonly Timeline[] = [],
): Timeline | undefined {
  const { route, reached, words } = container.timeline ?? {};
  const rest = route?.states.at(side === "before" ? 0 : -1);
  const { address } = container.unit;
  if (rest === undefined) {
    const detail = `The power of ${address} could not be read, and the change needs it ${needs}.`;
    lowering.diagnostics.push(problem(unit, "PLN005", { detail }));
    return undefined;
  }
  if (rest !== needs && !lowering.input.allowed.includes("power-cycle")) {
    const detail = `It needs ${address} ${needs}, and ${address} stays ${rest}.`;
    const fix =
      `Allow a power cycle of ${address} with --allow power-cycle, ` +
      `or set its power to ${needs}.`;
    lowering.diagnostics.push(problem(unit, "PLN011", { detail, fix }));
    return undefined;
  }
  // Before its own words, an object that exists already needs to wait for nothing.
  const first = creates(container.unit) ? reached?.[0] : `early ${address}`;
  const start = side === "before" ? first : container.settled;
  const echo = addTimeline(lowering, {
    unit: container.unit,
    start: earlier.at(-1)?.words.at(-1) ?? start ?? container.settled,
    from: rest,
    to: rest,
    needs: [needs],
    window: `${address}@echo-${side}.${needs}.${earlier.length + 1}`,
    remember: rest,
    records: {},
  });
  const next = side === "before" ? words?.[0] : undefined;
  const last = echo?.words.at(-1);
  if (last !== undefined && next !== undefined) chain(lowering, last, next);
  return echo;
}

/**
 * What a container is set to for its content comes before a removal as well, where the order allows
 * it: what was set once seldom needs it, and the container's own change may have to wait for
 * something that ends after the removal.
 */
function setForRemoval(lowering: Lowering, container: LoweredUnit, id: OperationId): void {
  for (const own of container.ownSteps) {
    if (!reaches(lowering.graph, id, own)) addEdge(lowering.graph, own, id);
  }
}

/** Content goes before its container changes, where the order allows it. */
function orderRemoval(lowering: Lowering, container: LoweredUnit, id: OperationId): void {
  for (const own of container.ownSteps) {
    if (!reaches(lowering.graph, own, id)) addEdge(lowering.graph, id, own, "settled");
  }
}
