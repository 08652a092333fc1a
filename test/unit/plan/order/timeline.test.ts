/** Power routes: from every state to every state with every set of needs, the shortest there is. */

import { expect, test } from "vitest";
import type { PowerState } from "../../../../src/model/operation/power.ts";
import { directRoute, routeThrough, segmentsOf } from "../../../../src/plan/order/timeline.ts";
import { fakeVm } from "../../../simulation/fake-types.ts";

const table = fakeVm.power?.table;
if (table === undefined) throw new Error("a fake VM is powered");
/** The states that the fake VM knows. */
const powerStates = ["on", "off", "suspended", "paused"] as const;

const subsets = powerStates.reduce<readonly (readonly PowerState[])[]>(
  (all, state) => [...all, ...all.map((subset) => [...subset, state])],
  [[]],
);
const cases = powerStates.flatMap((from) =>
  powerStates.flatMap((to) => subsets.map((needs) => ({ from, to, needs }))),
);

/** Length of the shortest way by single words that touches every need, by breadth. */
function shortest(from: PowerState, to: PowerState, needs: readonly PowerState[]): number {
  type Walk = { readonly at: PowerState; readonly open: readonly PowerState[] };
  const without = (open: readonly PowerState[], at: PowerState) =>
    open.filter((need) => need !== at);
  let walks: readonly Walk[] = [{ at: from, open: without(needs, from) }];
  for (let length = 0; length < 20; length += 1) {
    if (walks.some((walk) => walk.at === to && walk.open.length === 0)) return length;
    walks = walks.flatMap((walk) =>
      powerStates
        .filter((next) => table?.[walk.at]?.[next]?.length === 1)
        .map((next) => ({ at: next, open: without(walk.open, next) })),
    );
    const seen = new Map(walks.map((walk) => [`${walk.at} ${walk.open.join()}`, walk]));
    walks = [...seen.values()];
  }
  throw new Error(`no way from ${from} to ${to}`);
}

test.each(cases)("from $from to $to by way of $needs", ({ from, to, needs }) => {
  const route = routeThrough(table, from, to, needs);
  if (route === undefined) throw new Error("no route");
  expect(route.states[0]).toBe(from);
  expect(route.states.at(-1)).toBe(to);
  expect(route.states).toHaveLength(route.words.length + 1);
  route.words.forEach((word, index) => {
    const before = route.states[index] ?? from;
    expect(route.states[index + 1]).toBe(word.reaches);
    // Each word is one that its state allows.
    const allowed = powerStates.flatMap((next) => table[before]?.[next]?.[0] ?? []);
    expect(allowed).toContain(word);
  });
  for (const need of needs) expect(segmentsOf(route, need)).not.toEqual([]);
  expect(route.words).toHaveLength(shortest(from, to, needs));
  // A detour is only what work asks for.
  const direct = directRoute(table, from, to);
  expect(route.detour).toBe(!needs.every((need) => direct?.states.includes(need)));
});

test("an interface that cannot get there has no route", () => {
  const poor = { on: { off: table.on?.off ?? [] }, off: {}, suspended: {}, paused: {} };
  expect(routeThrough(poor, "off", "on", [])).toBeUndefined();
  expect(routeThrough(poor, "on", "off", ["suspended"])).toBeUndefined();
  expect(routeThrough(poor, "on", "off", ["on"])?.words).toHaveLength(1);
});
