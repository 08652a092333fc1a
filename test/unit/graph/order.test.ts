/** Topological order: stable, complete, and honest about cycles, also at depths that end a stack. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createHeap, type Edge, topologicalOrder } from "../../../src/graph/order.ts";
import { onlyInLongRun } from "../../helpers/amount.ts";

const edge = (text: string): Edge => {
  const [from = "", to = ""] = text.split(">");
  return { from, to };
};
const edges = (text: string): readonly Edge[] =>
  text === "" ? [] : text.split(" ").map((item) => edge(item));

test.each<[string, string, string, string]>([
  ["nothing", "", "", ""],
  ["no edges: the order of the input", "c a b", "", "c a b"],
  ["an edge against the input", "a b", "b>a", "b a"],
  ["the earliest ready node comes next", "a b c d", "c>a", "b c a d"],
  ["an edge twice", "a b", "b>a b>a", "b a"],
  ["edges of unknown nodes do not count", "a b", "x>a b>y", "a b"],
  ["a diamond", "d c b a", "a>b a>c b>d c>d", "a c b d"],
])("%s", (_, nodes, given, expected) => {
  const list = nodes === "" ? [] : nodes.split(" ");
  const order = expected === "" ? [] : expected.split(" ");
  expect(topologicalOrder(list, edges(given))).toEqual({ order });
});

test.each<[string, string, string]>([
  ["itself", "a b", "a>a"],
  ["two", "a b c", "a>b b>a"],
  ["behind a way in, with a way out", "in a b c out", "in>a a>b b>c c>a c>out"],
  ["two cycles", "a b c d", "a>b b>a c>d d>c b>c"],
])("a cycle: %s", (_, nodes, given) => {
  const found = topologicalOrder(nodes.split(" "), edges(given));
  if (!("cycle" in found)) throw new Error("no cycle found");
  expect(isCycle(found.cycle, edges(given))).toBe(true);
});

/** Each node of a cycle leads to the next, the last to the first, and none stands twice. */
function isCycle(cycle: readonly string[], all: readonly Edge[]): boolean {
  const leads = cycle.every((from, index) => {
    const to = cycle[(index + 1) % cycle.length];
    return all.some((item) => item.from === from && item.to === to);
  });
  return cycle.length > 0 && new Set(cycle).size === cycle.length && leads;
}

const graphs = fc.integer({ min: 1, max: 9 }).chain((size) =>
  fc.record({
    nodes: fc.constant(Array.from({ length: size }, (_none, index) => `n${index}`)),
    pairs: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 16 }),
  }),
);

test("an order keeps every edge and takes the earliest ready node, or there is a cycle", () => {
  fc.assert(
    fc.property(graphs, ({ nodes, pairs }) => {
      const all = pairs.map(([from, to]) => ({ from: `n${from}`, to: `n${to}` }));
      const found = topologicalOrder(nodes, all);
      if ("cycle" in found) {
        expect(isCycle(found.cycle, all)).toBe(true);
        return;
      }
      // The definition, carried out literally.
      const left = [...nodes];
      for (const node of found.order) {
        const ready = left.filter(
          (item) => !all.some(({ from, to }) => to === item && left.includes(from)),
        );
        expect(node).toBe(ready[0]);
        left.splice(left.indexOf(node), 1);
      }
      expect(left).toEqual([]);
    }),
  );
});

test("a chain and a cycle of 100,000 nodes", onlyInLongRun, () => {
  const size = 100_000;
  const nodes = Array.from({ length: size }, (_none, index) => `n${index}`);
  const chain = nodes.slice(1).map((to, index) => ({ from: `n${index}`, to }));
  expect(topologicalOrder(nodes, chain)).toEqual({ order: nodes });
  const found = topologicalOrder(nodes, [...chain, { from: `n${size - 1}`, to: "n0" }]);
  expect("cycle" in found && found.cycle.length).toBe(size);
});

test("a heap gives the smallest first, whatever comes between", () => {
  const steps = fc.array(fc.option(fc.nat(20), { freq: 3 }));
  fc.assert(
    fc.property(steps, (all) => {
      const heap = createHeap();
      const model: number[] = [];
      for (const step of all) {
        if (step === null) {
          expect(heap.pop()).toBe(model.toSorted((a, b) => a - b)[0]);
          model.sort((a, b) => a - b).shift();
        } else {
          heap.push(step);
          model.push(step);
        }
      }
    }),
  );
});
