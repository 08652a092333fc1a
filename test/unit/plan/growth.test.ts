/**
 * Plans of deep and wide graphs grow with what is in them: counted in edges and steps, never timed.
 */

import { expect, test } from "vitest";
import { finish } from "../../../src/plan/order/contraction.ts";
import {
  addEdge,
  createOrderGraph,
  type OrderGraph,
  rank,
  reaches,
} from "../../../src/plan/order/order-graph.ts";
import { buildOperation } from "../../helpers/plan-builder.ts";

function addOperation(graph: OrderGraph, id: string): void {
  graph.operations.set(id, buildOperation("daemon_vm.web", id, { id }));
}

/** Edges of the finished plan, those of its joins included. */
function edgesOf(graph: OrderGraph): number {
  const finished = finish(graph);
  if ("cycle" in finished) throw new Error(`cycle: ${finished.cycle.join(" ")}`);
  const orders = finished.operations.map(({ order }) => order);
  return [...orders, ...finished.joins].reduce((sum, { after }) => sum + after.length, 0);
}

/** A unit as the planner makes it: what comes before it, its operation, what comes after. */
function addUnit(graph: OrderGraph, name: string, passes: boolean): void {
  if (passes) addEdge(graph, `begin ${name}`, `done ${name}`);
  addOperation(graph, name);
  addEdge(graph, `begin ${name}`, name);
  addEdge(graph, name, `done ${name}`);
}

type Shape = (graph: OrderGraph, count: number) => void;

function ofUnits(dependencies: (index: number, count: number) => readonly number[]): Shape {
  return (graph, count) => {
    for (let index = 0; index < count; index += 1) {
      addUnit(graph, `u${index}`, true);
      for (const other of dependencies(index, count)) {
        addEdge(graph, `done u${other}`, `begin u${index}`);
      }
    }
  };
}

/** Half of the operations after the other half, by way of one mark. */
const bipartite: Shape = (graph, count) => {
  for (let index = 0; index < count; index += 1) {
    addOperation(graph, `o${index}`);
    if (index < count / 2) addEdge(graph, `o${index}`, "middle");
    else addEdge(graph, "middle", `o${index}`);
  }
};

test.each<[string, Shape]>([
  ["a chain that is passed by", ofUnits((index) => (index === 0 ? [] : [index - 1]))],
  ["one depended on by all", ofUnits((index) => (index === 0 ? [] : [0]))],
  [
    "all depended on by one",
    ofUnits((index, count) =>
      index < count - 1 ? [] : Array.from({ length: index }, (_, i) => i),
    ),
  ],
  [
    "a random graph",
    ofUnits((index) => (index === 0 ? [] : [(index * 7_919) % index, (index * 104_729) % index])),
  ],
  ["two layers", bipartite],
])("edges of %s grow with the objects", (_, shape) => {
  const [small, large] = [500, 1_000].map((count) => {
    const graph = createOrderGraph();
    shape(graph, count);
    return edgesOf(graph);
  });
  expect(small).toBeGreaterThan(0);
  expect((large ?? 0) / (small ?? 1)).toBeLessThan(2.3);
});

test("what few operations lead through is no join", () => {
  const graph = createOrderGraph();
  bipartite(graph, 10);
  const finished = finish(graph);
  expect(finished).toMatchObject({ joins: [] });
  expect(edgesOf(graph)).toBe(25);
});

test("what many lead through is one", () => {
  const graph = createOrderGraph();
  bipartite(graph, 40);
  expect(finish(graph)).toMatchObject({ joins: [{ id: "middle" }] });
  expect(edgesOf(graph)).toBe(40);
});

/** Counts the nodes that a search looks at. */
class CountingMap<K, V> extends Map<K, V> {
  looks = 0;
  override get(key: K): V | undefined {
    this.looks += 1;
    return super.get(key);
  }
}

test("a search in a ranked chain looks at what is in between, also after new edges", () => {
  const incoming = new CountingMap<string, Map<string, "success">>();
  const graph: OrderGraph = { operations: new Map(), incoming };
  const count = 2_000;
  for (let index = 1; index < count; index += 1) addEdge(graph, `n${index - 1}`, `n${index}`);
  expect(rank(graph)).toBeUndefined();
  incoming.looks = 0;
  for (let index = 10; index < count; index += 1) {
    // Something new between two neighbours, placed after one and before the other.
    addEdge(graph, `n${index - 2}`, `x${index}`, "settled");
    addEdge(graph, `x${index}`, `n${index}`, "settled");
    expect(reaches(graph, `n${index - 3}`, `x${index}`)).toBe(true);
    expect(reaches(graph, `x${index}`, `n${index - 3}`)).toBe(false);
    expect(reaches(graph, `x${index}`, `n${index + 1}`)).toBe(index < count - 1);
  }
  expect(incoming.looks / count).toBeLessThan(20);
});

test("ranks follow edges against them, and a cycle is told", () => {
  const graph = createOrderGraph();
  for (const id of ["a", "b", "c", "d"]) addOperation(graph, id);
  addEdge(graph, "a", "b");
  addEdge(graph, "c", "d");
  expect(rank(graph)).toBeUndefined();
  addEdge(graph, "d", "a");
  expect(reaches(graph, "c", "b")).toBe(true);
  expect(reaches(graph, "b", "c")).toBe(false);
  addEdge(graph, "b", "c");
  expect(reaches(graph, "b", "c")).toBe(true);
  expect(reaches(graph, "c", "b")).toBe(true);
  expect(finish(graph)).toHaveProperty("cycle");
});
