/** Joins are a way of writing edges: whatever happens, a run with them is the run without them. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createDispatcher } from "../../../src/engine/dispatch/dispatcher.ts";
import type {
  Operation,
  OperationEdge,
  OperationJoin,
} from "../../../src/model/operation/operation.ts";
import { allRules } from "../../../src/model/plan/rules.ts";
import { withParts } from "../../helpers/parts.ts";
import { operation } from "./dispatch-graphs.ts";

type Nodes = {
  readonly operations: readonly Operation[];
  readonly joins: readonly OperationJoin[];
};

const size = 9;

/** Nodes 0 … 8, each with edges from earlier ones; those for which `isJoin` holds are joins. */
function nodesOf(
  isJoin: readonly boolean[],
  edges: readonly (readonly ("success" | "settled" | undefined)[])[],
): Nodes {
  const operations: Operation[] = [];
  const joins: OperationJoin[] = [];
  for (let index = 0; index < size; index += 1) {
    const after = (edges[index] ?? []).slice(0, index).flatMap((on, from): OperationEdge[] => {
      return on === undefined ? [] : [{ id: `n${from}`, on }];
    });
    if (isJoin[index]) joins.push({ id: `n${index}`, after });
    else operations.push(operation(`n${index}`, { order: { after } }));
  }
  return { operations, joins };
}

/** Every join replaced by what is in it; success only where it is awaited all the way. */
function flatten({ operations, joins }: Nodes): readonly Operation[] {
  const inside = new Map(joins.map(({ id, after }) => [id, after]));
  const reached = (edges: readonly OperationEdge[]): readonly OperationEdge[] =>
    edges.flatMap(({ id, on }) => {
      const within = inside.get(id);
      if (within === undefined) return [{ id, on }];
      return reached(within).map((edge) => (on === "success" ? edge : { ...edge, on }));
    });
  return operations.map((item) => {
    const strongest = new Map<string, OperationEdge>();
    for (const edge of reached(item.order.after)) {
      if (strongest.get(edge.id)?.on !== "success") strongest.set(edge.id, edge);
    }
    return withParts(item, { order: { after: [...strongest.values()] } });
  });
}

test("a run with joins is the run with the edges they stand for", () => {
  const edge = fc.constantFrom(undefined, undefined, "success" as const, "settled" as const);
  const edges = fc.array(fc.array(edge, { minLength: size, maxLength: size }), {
    minLength: size,
    maxLength: size,
  });
  const kinds = fc.array(fc.boolean(), { minLength: size, maxLength: size });
  const outcomes = fc.infiniteStream(fc.tuple(fc.nat(), fc.constantFrom("success", "failed")));
  let skipped = 0;
  fc.assert(
    fc.property(kinds, edges, outcomes, (isJoin, given, steps) => {
      const nodes = nodesOf(isJoin, given);
      const options = { parallelism: 99, poolLimits: {}, rules: allRules };
      const joined = createDispatcher(nodes.operations, { ...options, joins: nodes.joins });
      const plain = createDispatcher(flatten(nodes), options);
      const statuses = (dispatcher: typeof joined) =>
        nodes.operations.map(({ id }) => `${id} ${dispatcher.status(id)}`);
      for (;;) {
        const started = joined.start().map(({ id }) => id);
        expect(started.toSorted()).toEqual(
          plain
            .start()
            .map(({ id }) => id)
            .toSorted(),
        );
        expect(statuses(joined)).toEqual(statuses(plain));
        const running = joined.running();
        if (running.length === 0) break;
        const [choice, outcome] = steps.next().value as [number, "success" | "failed"];
        const { id } = running[choice % running.length] ?? { id: "" };
        joined.settle(id, outcome);
        plain.settle(id, outcome);
      }
      expect(joined.isDone()).toBe(true);
      const ends = statuses(joined).map((text) => text.split(" ")[1]);
      expect(ends).not.toContain("waiting");
      if (ends.includes("skipped") && nodes.joins.length > 0) skipped += 1;
    }),
    { numRuns: 300 },
  );
  expect(skipped).toBeGreaterThan(20);
});
