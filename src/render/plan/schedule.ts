/**
 * When each operation of a plan would run if each took as long as it may, or as is usual: in lanes,
 * one for each machine, and with the chain that decides on the whole. Pure, and linear in edges.
 */

import type { Operation, OperationEdge } from "../../model/operation/operation.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Rehearsal } from "../../model/plan/rehearsal.ts";
import { orderOperations } from "./operation-order.ts";

export type Scheduled = {
  readonly operation: Operation;
  readonly startMs: number;
  readonly endMs: number;
  readonly lane: number;
  readonly critical: boolean;
  /** Used only when another one fails: it takes no time here. */
  readonly spare: boolean;
  /** In a rehearsal; absent: it does not. */
  readonly fails?: boolean;
};

export type Lane = { readonly label: string };

/** From its first word to its last. */
export type ScheduledWindow = {
  readonly lane: number;
  readonly startMs: number;
  readonly endMs: number;
};

export type Schedule = {
  readonly lanes: readonly Lane[];
  readonly items: readonly Scheduled[];
  readonly windows: readonly ScheduledWindow[];
  readonly endMs: number;
};

/** When something has ended, and which operation that was. */
type Point = { readonly endMs: number; readonly by: string | undefined };
/** `by`: what decided on its start. */
type Placed = Omit<Scheduled, "critical"> & { readonly by: string | undefined };

/** `msOf` is how long an operation takes; as long as it may where nothing is said. */
export function scheduleOf(
  plan: Pick<Plan, "operations" | "joins">,
  msOf: (operation: Operation) => number = ({ proof }) => proof.limitMs,
): Schedule {
  const joins = new Map(plan.joins.map(({ id, after }) => [id, after]));
  const points = new Map<string, Point>();
  const lanes = new Map<string, { lane: number; label: string; last: Point }>();
  const placed: Placed[] = [];
  for (const operation of orderOperations(plan)) {
    const { id, order, subject } = operation;
    const key = laneKey(operation);
    const start = { endMs: 0, by: undefined };
    const lane = lanes.get(key) ?? { lane: lanes.size, label: subject.address, last: start };
    lanes.set(key, lane);
    const spare = order.fallbackFor !== undefined;
    const before = spare ? points.get(order.fallbackFor ?? "") : undefined;
    const from = before ?? later(lane.last, latest(order.after, points, joins));
    const endMs = from.endMs + (spare ? 0 : msOf(operation));
    placed.push({ operation, startMs: from.endMs, endMs, lane: lane.lane, spare, by: from.by });
    const ended = { endMs, by: id };
    points.set(id, ended);
    if (!spare) lane.last = ended;
    if (subject.container === undefined) lane.label = subject.address;
  }
  const critical = chainOf(placed);
  return {
    lanes: [...lanes.values()].map(({ label }) => ({ label })),
    items: placed.map(({ by: _by, ...item }) => {
      return { ...item, critical: critical.has(item.operation.id) };
    }),
    windows: windowsOf(placed),
    endMs: lastOf(placed)?.endMs ?? 0,
  };
}

/** The operations that ran in a rehearsal, at the times that they took there. */
export function rehearsedSchedule(
  plan: Pick<Plan, "operations" | "joins">,
  rehearsal: Rehearsal,
): Schedule {
  const { lanes, items } = scheduleOf(plan);
  const times = new Map(rehearsal.operations.map((one) => [one.id, one]));
  const ran = items.flatMap((item): readonly Placed[] => {
    const { startMs, endMs, outcome } = times.get(item.operation.id) ?? {};
    if (startMs === undefined || endMs === undefined) return [];
    const fails = outcome === "failed";
    return [{ ...item, startMs, endMs, fails, spare: false, by: undefined }];
  });
  const shown = ran.map(({ by: _by, ...item }) => ({ ...item, critical: false }));
  return { lanes, items: shown, windows: windowsOf(ran), endMs: rehearsal.durationMs };
}

/** One machine is one lane, whatever its operations are about. */
function laneKey({ order: { locks }, subject: { address } }: Operation): string {
  const own = locks.find(({ mode, passing }) => mode === "exclusive" && passing !== true);
  return own?.key ?? address;
}

function latest(
  after: readonly OperationEdge[],
  points: ReadonlyMap<string, Point>,
  joins: ReadonlyMap<string, readonly OperationEdge[]>,
): Point {
  let found: Point = { endMs: 0, by: undefined };
  const waiting = [...after];
  const seen = new Set<string>();
  for (let edge = waiting.pop(); edge !== undefined; edge = waiting.pop()) {
    const { id } = edge;
    if (seen.has(id)) continue;
    seen.add(id);
    const point = points.get(id);
    if (point !== undefined) found = later(found, { endMs: point.endMs, by: id });
    else waiting.push(...(joins.get(id) ?? []));
  }
  return found;
}

function later(left: Point, right: Point): Point {
  return right.endMs > left.endMs ? right : left;
}

function lastOf(placed: readonly Placed[]): Placed | undefined {
  let last: Placed | undefined;
  for (const item of placed) if (last === undefined || item.endMs > last.endMs) last = item;
  return last;
}

/** Ids of the operations of which each has waited for the one before it, up to the last end. */
function chainOf(placed: readonly Placed[]): ReadonlySet<string> {
  const byId = new Map(placed.map((item) => [item.operation.id, item]));
  const chain = new Set<string>();
  let item = lastOf(placed);
  while (item !== undefined && !chain.has(item.operation.id)) {
    chain.add(item.operation.id);
    item = byId.get(item.by ?? "");
  }
  return chain;
}

function windowsOf(placed: readonly Placed[]): readonly ScheduledWindow[] {
  const windows = new Map<string, ScheduledWindow>();
  for (const { operation, lane, startMs, endMs } of placed) {
    const { window } = operation.order;
    if (window === undefined || window.role === "member") continue;
    const known = windows.get(window.id) ?? { lane, startMs, endMs };
    windows.set(window.id, {
      lane: known.lane,
      startMs: Math.min(known.startMs, startMs),
      endMs: Math.max(known.endMs, endMs),
    });
  }
  return [...windows.values()];
}
