/** The dispatcher by single examples, and that its work grows with the plan and not its square. */

import { expect, test } from "vitest";
import { createDispatcher } from "../../../../src/engine/dispatch/dispatcher.ts";
import type { Operation } from "../../../../src/model/operation/operation.ts";
import { allRules, type Rules } from "../../../../src/model/plan/rules.ts";
import { type Parts, withParts } from "../../../helpers/parts.ts";
import { fallbackOf, operation } from "../dispatch-graphs.ts";

function dispatch(
  operations: readonly Operation[],
  parts: {
    readonly parallelism?: number;
    readonly pools?: { readonly [pool: string]: number };
    readonly rules?: Partial<Rules>;
  } = {},
) {
  const dispatcher = createDispatcher(operations, {
    parallelism: parts.parallelism ?? 10,
    poolLimits: parts.pools ?? {},
    rules: { ...allRules, ...parts.rules },
  });
  return { ...dispatcher, ids: () => dispatcher.start().map(({ id }) => id) };
}

const exclusive = (key: string) => [{ key, mode: "exclusive" as const }];
const shared = (key: string) => [{ key, mode: "shared" as const }];

test("operations start in the order of the plan", () => {
  const dispatcher = dispatch(
    ["c", "a", "b"].map((id) => operation(id)),
    { parallelism: 2 },
  );
  expect(dispatcher.ids()).toEqual(["c", "a"]);
  dispatcher.settle("a", "success");
  expect(dispatcher.ids()).toEqual(["b"]);
});

test("waits and long requests take no slot", () => {
  const { preview: _none, ...request } = operation("wait").request;
  const wait = { ...operation("wait"), request };
  const dispatcher = dispatch(
    [operation("a"), operation("b"), operation("clone", { order: { long: true } }), wait],
    { parallelism: 1 },
  );
  expect(dispatcher.ids()).toEqual(["clone", "wait", "a"]);
});

test("a slot that was given back is taken by the next, while the lock is kept", () => {
  const dispatcher = dispatch(
    [
      operation("a", { order: { locks: exclusive("vm") } }),
      operation("b", { order: { locks: exclusive("vm") } }),
      operation("c"),
    ],
    { parallelism: 1 },
  );
  expect(dispatcher.ids()).toEqual(["a"]);
  dispatcher.freeSlot("a");
  expect(dispatcher.ids()).toEqual(["c"]);
  dispatcher.settle("c", "success");
  expect(dispatcher.ids()).toEqual([]);
  dispatcher.settle("a", "success");
  expect(dispatcher.ids()).toEqual(["b"]);
});

test("clones of one template run together, and its delete waits for all of them", () => {
  const clones = ["a", "b", "c"].map((id) =>
    operation(id, { order: { locks: shared("base"), long: true } }),
  );
  const dispatcher = dispatch([
    ...clones,
    operation("delete", { order: { locks: exclusive("base") } }),
  ]);
  expect(dispatcher.ids()).toEqual(["a", "b", "c"]);
  dispatcher.settle("a", "success");
  dispatcher.settle("b", "failed");
  expect(dispatcher.ids()).toEqual([]);
  dispatcher.settle("c", "success");
  expect(dispatcher.ids()).toEqual(["delete"]);
});

test("what follows an operation follows its fallback", () => {
  const shutdown = operation("shutdown");
  const off = fallbackOf(shutdown);
  const next = operation("next", { order: { after: [{ id: "shutdown", on: "success" }] } });
  const dispatcher = dispatch([shutdown, off, next]);
  dispatcher.start();
  dispatcher.settle("shutdown", "failed");
  expect(dispatcher.ids()).toEqual([off.id]);
  dispatcher.settle(off.id, "success");
  expect(dispatcher.ids()).toEqual(["next"]);
});

test("an operation whose task still runs has failed, and calls for no fallback", () => {
  const shutdown = operation("shutdown");
  const off = fallbackOf(shutdown);
  const next = operation("next", { order: { after: [{ id: "shutdown", on: "success" }] } });
  const last = operation("last", { order: { after: [{ id: "shutdown", on: "settled" }] } });
  const dispatcher = dispatch([shutdown, off, next, last]);
  dispatcher.start();
  dispatcher.settle("shutdown", "open");
  expect(dispatcher.ids()).toEqual(["last"]);
  const statuses = ["shutdown", off.id, "next"].map((id) => dispatcher.status(id));
  expect(statuses).toEqual(["failed", "skipped", "skipped"]);
  dispatcher.settle("last", "success");
  expect(dispatcher.isDone()).toBe(true);
});

test("a way back that is not needed is unused as a whole", () => {
  const closes = { id: "w", role: "close" } as const;
  const dispatcher = dispatch([
    operation("off", { order: { window: { id: "w", role: "open" } } }),
    operation("delete", {
      order: { window: { id: "w", role: "member" }, after: [{ id: "off", on: "success" }] },
    }),
    operation("on", { order: { window: closes, after: [{ id: "delete", on: "failure" }] } }),
    operation("pause", { order: { window: closes, after: [{ id: "on", on: "success" }] } }),
  ]);
  for (const id of ["off", "delete"]) {
    expect(dispatcher.ids()).toEqual([id]);
    dispatcher.settle(id, "success");
  }
  expect(dispatcher.ids()).toEqual([]);
  expect(["on", "pause"].map((id) => dispatcher.status(id))).toEqual(["unused", "unused"]);
  expect(dispatcher.isDone()).toBe(true);
});

const window = [
  operation("off", { order: { window: { id: "w", role: "open" }, locks: exclusive("vm") } }),
  operation("other", { order: { locks: exclusive("vm") } }),
  operation("change", {
    order: {
      window: { id: "w", role: "member" },
      locks: exclusive("vm"),
      after: [{ id: "off", on: "success" }],
    },
  }),
  operation("on", {
    order: {
      window: { id: "w", role: "close" },
      locks: exclusive("vm"),
      after: [{ id: "change", on: "settled" }],
    },
  }),
];

test.each([
  [true, ["off", "change", "on", "other"]],
  [false, ["off", "other", "change", "on"]],
])("reservation %s: others come after the window, or between its words", (reserve, order) => {
  const dispatcher = dispatch(window, { rules: { reserve } });
  const seen: string[] = [];
  for (let ids = dispatcher.ids(); ids.length > 0; ids = dispatcher.ids()) {
    seen.push(...ids);
    for (const id of ids) dispatcher.settle(id, "success");
  }
  expect(seen).toEqual(order);
});

test("drain starts no more than what closes an open window", () => {
  const dispatcher = dispatch(window);
  expect(dispatcher.ids()).toEqual(["off"]);
  dispatcher.drain();
  dispatcher.settle("off", "success");
  expect(dispatcher.ids()).toEqual(["on"]);
  dispatcher.settle("on", "success");
  expect(dispatcher.ids()).toEqual([]);
  expect(["change", "other"].map((id) => dispatcher.status(id))).toEqual(["skipped", "skipped"]);
});

test("only what runs can be settled, and only what is planned can be asked for", () => {
  const dispatcher = dispatch([operation("a")]);
  expect(() => dispatcher.settle("a", "success")).toThrow("a is not running");
  dispatcher.start();
  dispatcher.settle("a", "success");
  expect(() => dispatcher.settle("a", "success")).toThrow("a is not running");
  expect(() => dispatcher.status("b")).toThrow("no operation b");
});

/** Counts how often an operation's locks and pools are looked at: once per try to start it. */
function countingTries(operations: readonly Operation[]): {
  readonly operations: readonly Operation[];
  readonly tries: () => number;
} {
  let tries = 0;
  const counted = operations.map((item): Operation => {
    const order = new Proxy(item.order, {
      get: (target, name, receiver) => {
        if (name === "pools") tries += 1;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    return { ...item, order };
  });
  return { operations: counted, tries: () => tries };
}

function triesOf(operations: readonly Operation[], pools: { readonly [pool: string]: number }) {
  const counted = countingTries(operations);
  const dispatcher = dispatch(counted.operations, { pools });
  let ended = 0;
  for (let ids = dispatcher.ids(); ids.length > 0; ids = dispatcher.ids()) {
    for (const id of ids) dispatcher.settle(id, ended % 7 === 0 ? "failed" : "success");
    ended += ids.length;
  }
  expect(ended).toBe(operations.length);
  return counted.tries();
}

const crowds: readonly [string, (count: number) => readonly Operation[]][] = [
  ["independent", (count) => many(count, {})],
  [
    "in one pool",
    (count) =>
      many(count, {
        order: { pools: ["datastore"] },
      }),
  ],
  [
    "on one VM",
    (count) =>
      many(count, {
        order: { locks: exclusive("vm") },
      }),
  ],
  [
    "long, in one pool",
    (count) =>
      many(count, {
        order: { pools: ["datastore"], long: true },
      }),
  ],
  [
    "in one pool, each on a VM of its own",
    (count) =>
      many(count, {
        order: { pools: ["datastore"] },
      }).map((item, index) => withParts(item, { order: { locks: exclusive(`vm${index}`) } })),
  ],
  [
    "on one VM, shared and exclusive by turns",
    (count) =>
      many(count, {}).map((item, index) => {
        const locks = index % 2 === 0 ? shared("vm") : exclusive("vm");
        return withParts(item, { order: { locks } });
      }),
  ],
];

function many(count: number, parts: Parts<Operation>): readonly Operation[] {
  return Array.from({ length: count }, (_, index) => operation(`o${index}`, parts));
}

test.each(crowds)("twice as many operations %s take twice as many tries", (_, make) => {
  const pools = { datastore: 2 };
  const [once, twice] = [triesOf(make(500), pools), triesOf(make(1_000), pools)];
  expect(twice / once).toBeLessThan(2.2);
});
