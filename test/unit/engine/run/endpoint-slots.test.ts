/**
 * Several runs at endpoints that have few slots: never are more operations under way than there are
 * slots, all runs come to their end whatever ends in whichever order, and what is done in a power
 * window that is open waits for no other run.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createDispatcher } from "../../../../src/engine/dispatch/dispatcher.ts";
import { keepSlots } from "../../../../src/engine/run/slot-keeping.ts";
import type { EngineEvent } from "../../../../src/model/operation/event.ts";
import type { Operation } from "../../../../src/model/operation/operation.ts";
import { allRules } from "../../../../src/model/plan/rules.ts";
import type { EndpointSlots } from "../../../../src/model/recorded/endpoint-slots.ts";
import { amount } from "../../../helpers/amount.ts";
import { withParts } from "../../../helpers/parts.ts";
import { createRandom } from "../../../simulation/random.ts";
import { operation, windowGraph, windowShapes } from "../dispatch-graphs.ts";

/** Slots of all runs, and who has them. */
type Shared = { readonly held: Map<string, Set<string>>; readonly line: Map<string, string[]> };

function slotsFor(shared: Shared, run: string): EndpointSlots {
  const counts = new Map<string, number>();
  const held = (endpoint: string): Set<string> => {
    const found = shared.held.get(endpoint) ?? new Set();
    shared.held.set(endpoint, found);
    return found;
  };
  const line = (endpoint: string): string[] => {
    const found = shared.line.get(endpoint) ?? [];
    shared.line.set(endpoint, found);
    return found;
  };
  const leave = (endpoint: string): void => {
    shared.line.set(
      endpoint,
      line(endpoint).filter((name) => name !== run),
    );
  };
  return {
    take: async (endpoint, atOnce) => {
      await Promise.resolve();
      const first = line(endpoint)[0] ?? run;
      if (first === run && held(endpoint).size < atOnce) {
        leave(endpoint);
        const count = (counts.get(endpoint) ?? 0) + 1;
        counts.set(endpoint, count);
        held(endpoint).add(`${run} ${count}`);
        return { kind: "taken" };
      }
      if (!line(endpoint).includes(run)) line(endpoint).push(run);
      return { kind: "held", by: [...held(endpoint)].filter((name) => !name.startsWith(run)) };
    },
    give: async (endpoint) => {
      const count = counts.get(endpoint) ?? 0;
      expect(held(endpoint).delete(`${run} ${count}`)).toBe(true);
      counts.set(endpoint, count - 1);
    },
    leave: async (endpoint) => leave(endpoint),
  };
}

type World = {
  readonly shared: Shared;
  readonly limits: ReadonlyMap<string, number>;
  readonly random: () => number;
  readonly underWay: Map<string, number>;
  /** Turns in which nothing began and nothing ended. */
  idle: number;
  most: number;
  events: EngineEvent[];
};

const endpoints = new Map([
  ["daemon", "https://one"],
  ["cloud", "https://two"],
]);

/** Does a run to its end. */
async function perform(world: World, name: string, operations: readonly Operation[]) {
  const { shared, limits, underWay, random } = world;
  const dispatcher = createDispatcher(operations, {
    ...{ parallelism: 3, poolLimits: {}, rules: allRules, limited: endpoints },
  });
  const running: Operation[] = [];
  const start = (): void => {
    for (const one of dispatcher.start()) {
      world.idle = 0;
      running.push(one);
      const endpoint = endpoints.get(one.subject.provider) ?? "";
      const count = (underWay.get(endpoint) ?? 0) + 1;
      underWay.set(endpoint, count);
      world.most = Math.max(world.most, count);
      expect(count).toBeLessThanOrEqual(limits.get(endpoint) ?? 0);
    }
    keeping.keepUp();
  };
  const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const keeping = keepSlots(
    { operations },
    {
      ports: {
        clock: { now: () => 0, sleep: tick },
        events: (event) => world.events.push(event),
      },
      ...{ dispatcher, atOnce: limits, slots: slotsFor(shared, name), wake: start },
    },
  );
  start();
  while (!dispatcher.isDone()) {
    const [one] = running.splice(Math.floor(random() * running.length), 1);
    if (one !== undefined) {
      const endpoint = endpoints.get(one.subject.provider) ?? "";
      underWay.set(endpoint, (underWay.get(endpoint) ?? 0) - 1);
      dispatcher.settle(one.id, random() < 0.8 ? "success" : "failed");
      start();
      world.idle = 0;
    }
    world.idle += 1;
    expect(world.idle, "nobody goes on").toBeLessThan(2_000);
    await tick();
  }
  await keeping.until(Promise.resolve());
}

/** Each has the operations of one window, and one beside it. */
const graphs = [...windowShapes()].flatMap((shape) => {
  const graph = windowGraph(shape);
  return graph === undefined ? [] : [graph];
});

/** Some of the operations are of the other endpoint. */
function spread(graph: readonly Operation[], elsewhere: readonly boolean[], name: string) {
  const named = (id: string): string => `${name} ${id}`;
  return graph.map((one, index) => {
    const { id, order } = one;
    const { window, fallbackFor } = order;
    const renamed = {
      ...order,
      after: order.after.map((edge) => ({ ...edge, id: named(edge.id) })),
      locks: order.locks.map((lock) => ({ ...lock, key: named(lock.key) })),
      ...(window === undefined ? {} : { window: { ...window, id: named(window.id) } }),
      ...(fallbackFor === undefined ? {} : { fallbackFor: named(fallbackFor) }),
    };
    const provider = elsewhere[index] ? "cloud" : "daemon";
    return { ...one, id: named(id), subject: { ...one.subject, provider }, order: renamed };
  });
}

test("never more than there are slots, and everybody comes to the end", async () => {
  let contended = 0;
  const some = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
  const graph = fc.record({ index: fc.nat(graphs.length - 1), elsewhere: some });
  const run = fc.array(graph, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(run, { minLength: 2, maxLength: 4 }),
      fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 2 })),
      fc.integer(),
      async (runs, [one, two], seed) => {
        const random = createRandom(seed);
        const world: World = {
          shared: { held: new Map(), line: new Map() },
          limits: new Map([
            ["https://one", one],
            ["https://two", two],
          ]),
          random: () => random.next(),
          ...{ underWay: new Map(), idle: 0, most: 0, events: [] },
        };
        await Promise.all(
          runs.map((parts, nth) => {
            const operations = parts.flatMap(({ index, elsewhere }, part) =>
              spread(graphs[index] ?? [], elsewhere, `${nth}.${part}`),
            );
            return perform(world, `run ${nth}`, operations);
          }),
        );
        for (const held of world.shared.held.values()) expect([...held]).toEqual([]);
        for (const line of world.shared.line.values()) expect(line).toEqual([]);
        if (world.events.some(({ kind }) => kind === "operation-waiting")) contended += 1;
      },
    ),
    { numRuns: amount(60, 600) },
  );
  expect(contended).toBeGreaterThan(10);
});

test("a window that is open waits for nobody, and the others do", () => {
  const window = (id: string, role: "open" | "member" | "close", after: readonly string[]) =>
    operation(id, {
      order: {
        window: { id: "window", role },
        after: after.map((one) => ({ id: one, on: "success" as const })),
      },
    });
  const operations = [
    window("off", "open", []),
    window("work", "member", ["off"]),
    window("on", "close", ["work"]),
    withParts(operation("other"), {}),
  ];
  const dispatcher = createDispatcher(operations, {
    ...{ parallelism: 9, poolLimits: {}, rules: allRules, limited: endpoints },
  });
  expect(dispatcher.start()).toEqual([]);
  const wants = dispatcher.slotWants();
  expect(wants.map(({ endpoints: needed }) => needed)).toEqual([["https://one"]]);
  const started = (): readonly string[] => dispatcher.start().map(({ id }) => id);
  dispatcher.grantSlots(wants[0]?.key ?? "");
  expect(started()).toEqual(["off"]);
  for (const next of ["work", "on"]) {
    dispatcher.settle(next === "work" ? "off" : "work", "success");
    expect(started()).toEqual([next]);
    expect(dispatcher.reclaimSlots()).toEqual({ endpoints: [], unused: [] });
  }
  dispatcher.settle("on", "success");
  expect(dispatcher.reclaimSlots().endpoints).toEqual(["https://one"]);
  expect(dispatcher.isDone()).toBe(false);
  dispatcher.grantSlots(dispatcher.slotWants()[0]?.key ?? "");
  expect(started()).toEqual(["other"]);
  dispatcher.drain();
  dispatcher.settle("other", "success");
  expect(dispatcher.reclaimSlots().endpoints).toEqual(["https://one"]);
  expect(dispatcher.isDone()).toBe(true);
});
