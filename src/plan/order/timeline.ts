/**
 * The power timeline of one VM: which words are sent in which order, the states between them
 * (segments), and where work that needs a state can stand. Pure data; ids and edges come later.
 */

import type { PowerState, PowerTable, PowerWord } from "../../model/operation/power.ts";

/** Word i leads from segment i to segment i + 1. */
export type Route = {
  readonly words: readonly PowerWord[];
  /** One more than words. */
  readonly states: readonly PowerState[];
  /** True when the route makes a detour only to give work the state it needs. */
  readonly detour: boolean;
};

/** The route from one state to another without regard to work; undefined when there is none. */
export function directRoute(
  table: PowerTable,
  from: PowerState,
  to: PowerState,
): Route | undefined {
  const words = from === to ? [] : table[from]?.[to];
  if (words === undefined) return undefined;
  return { words, states: [from, ...words.map((word) => word.reaches)], detour: false };
}

/**
 * The shortest route from one state to another that passes through every needed state, so that
 * work of one VM shares one window: one power cycle whatever changes.
 */
export function routeThrough(
  table: PowerTable,
  from: PowerState,
  to: PowerState,
  needs: readonly PowerState[],
): Route | undefined {
  const direct = directRoute(table, from, to);
  if (direct !== undefined && needs.every((need) => direct.states.includes(need))) return direct;
  let best: Route | undefined;
  for (const stops of permutations(needs)) {
    const route = joinRoutes(table, [from, ...stops, to]);
    if (route === undefined) continue;
    if (best === undefined || route.words.length < best.words.length) best = route;
  }
  return best === undefined ? undefined : { ...best, detour: true };
}

function joinRoutes(table: PowerTable, stops: readonly PowerState[]): Route | undefined {
  const words: PowerWord[] = [];
  for (let index = 1; index < stops.length; index += 1) {
    const from = stops[index - 1];
    const to = stops[index];
    if (from === undefined || to === undefined) return undefined;
    const leg = directRoute(table, from, to);
    if (leg === undefined) return undefined;
    words.push(...leg.words);
  }
  const first = stops[0];
  if (first === undefined) return undefined;
  return { words, states: [first, ...words.map((word) => word.reaches)], detour: false };
}

/** Segments in which work that needs a state can stand, earliest first. */
export function segmentsOf(route: Route, need: PowerState): readonly number[] {
  return route.states.flatMap((state, index) => (state === need ? [index] : []));
}

/** Small: a VM has at most four states. */
function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}
