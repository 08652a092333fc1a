/**
 * The dispatcher against its model over all small graphs: every outcome, every order of settling, a
 * drain at every point. Spaces that are too large are sampled by a fixed seed.
 */

import { expect, test } from "vitest";
import type {
  Operation,
  OperationEdge,
  OperationLock,
} from "../../../src/model/operation/operation.ts";
import { allRules } from "../../../src/model/plan/rules.ts";
import { amount, onlyInLongRun } from "../../helpers/amount.ts";
import { withParts } from "../../helpers/parts.ts";
import { createRandom } from "../../simulation/random.ts";
import {
  edgeGraphs,
  lockSets,
  operation,
  windowGraph,
  windowShapes,
  withFallbacks,
  words,
} from "./dispatch-graphs.ts";
import { type Exploration, type ExploreOptions, explore } from "./dispatch-model.ts";

const wide: ExploreOptions = { parallelism: 10, poolLimits: {}, rules: allRules, drain: true };

function survey(
  name: string,
  graphs: Iterable<readonly Operation[]>,
  options: ExploreOptions | ((index: number) => ExploreOptions),
): number {
  const totals: Exploration = { runs: 0, steps: 0 };
  let count = 0;
  for (const graph of graphs) {
    explore(graph, typeof options === "function" ? options(count) : options, totals);
    count += 1;
  }
  console.log(`${name}: ${count} graphs, ${totals.runs} runs, ${totals.steps} steps`);
  return count;
}

test("every graph of up to four operations with edges of every kind", () => {
  // In a short run every 64th of the largest.
  const step = amount(64, 1);
  function* graphs() {
    for (const size of [1, 2, 3]) yield* edgeGraphs(size);
    yield* [...edgeGraphs(4)].filter((_graph, index) => index % step === 0);
  }
  expect(survey("edges", graphs(), wide)).toBe(1 + 4 + 64 + 4_096 / step);
});

test("three operations with edges, and fallbacks at any of them", onlyInLongRun, () => {
  function* graphs() {
    for (const graph of edgeGraphs(3)) {
      for (const has of words([false, true], 3)) yield withFallbacks(graph, has);
    }
  }
  expect(survey("fallbacks", graphs(), wide)).toBe(64 * 8);
});

test("three operations with locks on two keys, any parallelism, sampled", () => {
  const random = createRandom(1);
  function* graphs() {
    for (const graph of edgeGraphs(3)) {
      for (const sets of words(lockSets, 3)) {
        if (random.chance(amount(0.015, 0.06))) yield withLocks(graph, sets);
      }
    }
  }
  const options = (index: number) => ({ ...wide, parallelism: 1 + (index % 3) });
  expect(survey("locks", graphs(), options)).toBeGreaterThan(amount(450, 1_800));
});

test("four operations that have only locks", onlyInLongRun, () => {
  const [free] = edgeGraphs(4);
  function* graphs() {
    for (const sets of words(lockSets, 4)) {
      if (isFirstOfItsKind(sets.map((set) => lockSets.indexOf(set)))) {
        yield withLocks(free ?? [], sets);
      }
    }
  }
  expect(survey("locks alone", graphs(), { ...wide, drain: false })).toBe(495);
});

test("a power window with an outsider, in every shape a planner makes, sampled", () => {
  const random = createRandom(2);
  function* graphs() {
    for (const shape of windowShapes()) {
      const small = shape.members === 1 && shape.closeWords === 1;
      if (!random.chance(small ? amount(0.04, 0.3) : amount(0.003, 0.025))) continue;
      const graph = windowGraph(shape);
      if (graph !== undefined) yield graph;
    }
  }
  expect(survey("windows", graphs(), wide)).toBeGreaterThan(amount(90, 900));
});

test("pools and long requests beside edges, sampled", () => {
  const random = createRandom(3);
  const rounds = amount(4, 20);
  function* graphs() {
    for (const graph of edgeGraphs(3)) {
      for (let round = 0; round < rounds; round += 1) {
        yield graph.map((item) => {
          const pools = ["p", "q"].filter(() => random.chance(0.5));
          return withParts(item, { order: { pools, long: random.chance(0.3) } });
        });
      }
    }
  }
  const options = (index: number): ExploreOptions => ({
    ...wide,
    free: index % 4 === 0,
    parallelism: 1 + (index % 2),
    poolLimits: index % 3 === 0 ? { p: 1 } : { p: 1, q: 2 },
  });
  expect(survey("pools", graphs(), options)).toBe(64 * rounds);
});

test("larger graphs with everything, at random", () => {
  const random = createRandom(4);
  const totals: Exploration = { runs: 0, steps: 0 };
  const rounds = amount(100, 2_000);
  for (let round = 0; round < rounds; round += 1) {
    const graph = randomGraph(random);
    explore(
      graph,
      {
        parallelism: 1 + random.int(4),
        poolLimits: { p: 1 + random.int(2) },
        rules: allRules,
        drain: random.chance(0.3),
        free: random.chance(0.3),
        choose: (actions) => (actions.length === 0 ? [] : [random.pick(actions)]),
      },
      totals,
    );
  }
  console.log(`mixed: ${rounds} graphs, ${totals.runs} runs, ${totals.steps} steps`);
  expect(totals.runs).toBe(rounds);
});

function withLocks(
  graph: readonly Operation[],
  sets: readonly (readonly OperationLock[])[],
): readonly Operation[] {
  return graph.map((item, index) => withParts(item, { order: { locks: sets[index] ?? [] } }));
}

/** Operations without edges differ by nothing but their locks: one order of them is enough. */
function isFirstOfItsKind(indexes: readonly number[]): boolean {
  return indexes.every((value, index) => index === 0 || value >= (indexes[index - 1] ?? 0));
}

/** Two windows of two VMs and loose operations among them, ordered as a planner orders them. */
function randomGraph(random: ReturnType<typeof createRandom>): readonly Operation[] {
  const all: Operation[] = [];
  const edge = (id: string): readonly OperationEdge[] => [
    { id, on: random.pick(["success", "settled"] as const) },
  ];
  const some = (ids: readonly string[]): readonly OperationEdge[] =>
    ids.filter(() => random.chance(0.3)).flatMap(edge);
  const lock = (key: string) => [{ key, mode: "exclusive" as const }];
  const loose: string[] = [];
  for (const vm of ["vm1", "vm2"]) {
    const before = [0, 1].slice(0, random.int(3)).map((index) => `${vm}.before${index}`);
    for (const id of before) {
      all.push(operation(id, { order: { after: some(loose), locks: lock(vm) } }));
    }
    const open = operation(`${vm}.open`, {
      order: {
        after: [...before.flatMap(edge), ...some(loose)],
        locks: lock(vm),
        window: { id: vm, role: "open" },
      },
    });
    const members = [0, 1, 2].slice(0, 1 + random.int(3)).map((index) =>
      operation(`${vm}.member${index}`, {
        order: {
          after: [{ id: open.id, on: "success" }, ...edgesLate(open, loose, random)],
          locks: random.chance(0.3) ? [...lock(vm), ...lock("shared")] : lock(vm),
          pools: random.chance(0.3) ? ["p"] : [],
          window: { id: vm, role: "member" },
        },
      }),
    );
    const close = operation(`${vm}.close`, {
      order: {
        after: [open, ...members].map(({ id }) => ({ id, on: "settled" })),
        locks: lock(vm),
        window: { id: vm, role: "close" },
      },
      request: { closing: true },
    });
    const nodes = withFallbacks(
      [open, ...members, close],
      [random.chance(0.4), ...members.map(() => false), random.chance(0.4)],
    );
    all.push(...nodes);
    loose.push(...before, ...members.map(({ id }) => id), close.id);
    const after = `${vm}.after`;
    all.push(
      operation(after, {
        order: { after: edge(close.id), locks: lock(vm), long: random.chance(0.3) },
      }),
    );
    const free = `${vm}.free`;
    const locks = random.chance(0.5) ? [{ key: "shared", mode: "shared" as const }] : [];
    all.push(
      operation(free, {
        order: { after: some(loose), locks, pools: random.chance(0.3) ? ["p"] : [] },
      }),
    );
    loose.push(after, free);
  }
  return all;
}

/** What a member waits for outside is what its window waits for. */
function edgesLate(
  open: Operation,
  loose: readonly string[],
  random: ReturnType<typeof createRandom>,
): readonly OperationEdge[] {
  const known = loose.filter((id) => open.order.after.some((edge) => edge.id === id));
  return known.filter(() => random.chance(0.5)).map((id) => ({ id, on: "success" }));
}
