/** The order graph: marks vanish from the finished plan while the order through them stays. */

import { expect, test } from "vitest";
import { finish } from "../../../../src/plan/order/contraction.ts";
import {
  addEdge,
  createOrderGraph,
  type OrderGraph,
  reaches,
} from "../../../../src/plan/order/order-graph.ts";
import { buildOperation } from "../../../helpers/plan-builder.ts";

/** `a>b` success, `a~b` settled, `a!b` failure; operations are given by name, all else is a mark. */
function graphOf(operations: string, edges: string): OrderGraph {
  const graph = createOrderGraph();
  for (const name of operations.split(" ")) {
    const [id = "", fallbackFor] = name.split("?");
    const order = fallbackFor === undefined ? {} : { fallbackFor };
    graph.operations.set(id, buildOperation("daemon_vm.web", id, { id, order }));
  }
  for (const text of edges === "" ? [] : edges.split(" ")) {
    const [, from = "", sign = "", to = ""] = /^(\w+)([>~!])(\w+)$/.exec(text) ?? [];
    const on = ({ ">": "success", "~": "settled", "!": "failure" } as const)[sign as ">"];
    addEdge(graph, from, to, on);
  }
  return graph;
}

function finished(graph: OrderGraph): string {
  const result = finish(graph);
  if ("cycle" in result) return `cycle ${result.cycle.join(" ")}`;
  const sign = { success: ">", settled: "~", failure: "!" };
  return result.operations
    .map(({ id, order: { after } }) =>
      [id, ...after.map((edge) => `${edge.id}${sign[edge.on]}`).toSorted()].join(" "),
    )
    .join("; ");
}

test.each<[string, string, string, string]>([
  ["alone", "a", "", "a"],
  ["an edge", "a b", "a>b", "a; b a>"],
  ["against the order of the input", "b a", "a~b", "a; b a~"],
  ["success beats settled", "a b", "a~b a>b", "a; b a>"],
  ["failure beats both", "a b", "a>b a!b a~b", "a; b a!"],
  ["to itself: no edge", "a", "a>a", "a"],
  ["through a mark", "a b", "a>m m>b", "a; b a>"],
  ["through many marks", "a b", "a>m1 m1>m2 m2>m3 m3>b", "a; b a>"],
  ["settled on the way makes settled", "a b", "a>m m~b", "a; b a~"],
  ["settled before the mark as well", "a b", "a~m m>b", "a; b a~"],
  ["failure through a mark means that it has ended", "a b", "a!m m>b", "a; b a~"],
  ["two ways: the stronger one", "a b", "a>m m~b a~n n>b a>o o>b", "a; b a>"],
  ["not through an operation", "a b c", "a>b b>c", "a; b a>; c b>"],
  ["fan in and out", "a b c d", "a>m b~m m>c m>d", "a; b; c a> b~; d a> b~"],
  ["marks without operations before them", "a", "m1>m2 m2>a", "a"],
  ["a fallback comes after what it is for, without an edge", "f?a b a", "a>b", "a; f; b a>"],
  ["a cycle of operations", "a b", "a>b b>a", "cycle a b"],
  ["a cycle through a mark names operations only", "a b", "a>m m>b b>n n>a", "cycle a b"],
])("%s", (_, operations, edges, expected) => {
  const found = finished(graphOf(operations, edges));
  if (!expected.startsWith("cycle")) return expect(found).toBe(expected);
  expect(found.split(" ").toSorted()).toEqual(expected.split(" ").toSorted());
});

test.each<[string, string, string, boolean]>([
  ["itself", "a", "a", true],
  ["the next", "a", "b", true],
  ["through marks and edges of every kind", "a", "d", true],
  ["backwards", "d", "a", false],
  ["elsewhere", "a", "x", false],
  ["what is not there", "a", "nowhere", false],
])("reaches %s", (_, from, to, expected) => {
  expect(reaches(graphOf("a b c d x", "a>b b~m m!c c>d"), from, to)).toBe(expected);
});

test("a chain of 50,000 marks", () => {
  const graph = graphOf("a b", "");
  let before = "a";
  for (let index = 0; index < 50_000; index += 1) {
    addEdge(graph, before, `m${index}`);
    before = `m${index}`;
  }
  addEdge(graph, before, "b");
  expect(reaches(graph, "a", "b")).toBe(true);
  expect(finished(graph)).toBe("a; b a>");
});
