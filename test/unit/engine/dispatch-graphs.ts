/** Small operation graphs, all of them: edges, locks, fallbacks and power windows. */

import type {
  Operation,
  OperationEdge,
  OperationLock,
  WindowRole,
} from "../../../src/model/operation/operation.ts";
import { type Parts, withParts } from "../../helpers/parts.ts";
import { buildOperation } from "../../helpers/plan-builder.ts";

const request = { preview: { method: "POST", path: "/" } };

export function operation(id: string, parts: Parts<Operation> = {}): Operation {
  return { ...withParts(buildOperation("daemon_vm.web", id, { request }), parts), id };
}

const edgeKinds = [undefined, "success", "settled", "failure"] as const;
type EdgeKind = (typeof edgeKinds)[number];

const names = ["a", "b", "c", "d"];

/** Every DAG of `size` operations, up to their names, with every kind of edge. */
export function* edgeGraphs(size: number): Generator<readonly Operation[]> {
  const pairs = names
    .slice(0, size)
    .flatMap((to, index) => names.slice(0, index).map((from) => ({ from, to })));
  for (const kinds of words<EdgeKind>(edgeKinds, pairs.length)) {
    yield names.slice(0, size).map((id) => {
      const after = pairs.flatMap((pair, index): readonly OperationEdge[] => {
        const on = kinds[index];
        return pair.to === id && on !== undefined ? [{ id: pair.from, on }] : [];
      });
      return operation(id, { order: { after } });
    });
  }
}

/** Every word of a length over an alphabet. */
export function* words<T>(alphabet: readonly T[], length: number): Generator<readonly T[]> {
  if (length === 0) {
    yield [];
    return;
  }
  for (const rest of words(alphabet, length - 1)) {
    for (const letter of alphabet) yield [...rest, letter];
  }
}

/** Locks over two keys: none, shared or exclusive on each. */
export const lockSets: readonly (readonly OperationLock[])[] = [
  ...words([undefined, "shared", "exclusive"] as const, 2),
].map((modes) =>
  modes.flatMap((mode, index): readonly OperationLock[] =>
    mode === undefined ? [] : [{ key: `key${index}`, mode }],
  ),
);

/** The graph with fallbacks for the operations at the given places. */
export function withFallbacks(
  operations: readonly Operation[],
  has: readonly boolean[],
): readonly Operation[] {
  return operations.flatMap((item, index) => (has[index] ? [item, fallbackOf(item)] : [item]));
}

export function fallbackOf(item: Operation): Operation {
  return {
    ...item,
    id: `${item.id}!`,
    order: { ...item.order, after: [], fallbackFor: item.id },
  };
}

const vm: readonly OperationLock[] = [{ key: "vm", mode: "exclusive" }];

type Relation = "none" | `${"before" | "after"} ${"success" | "settled"}` | "after failure";
const relations: readonly Relation[] = [
  "none",
  "before success",
  "before settled",
  "after success",
  "after settled",
  "after failure",
];

export type WindowShape = {
  readonly toOpen: Relation;
  readonly toMember: Relation;
  readonly toClose: Relation;
  /** Lock of the outsider. */
  readonly lock: "none" | "other" | "vm";
  /** Lock of the member beside the VM's: `other` is what a clone locks besides its parent. */
  readonly memberLock: "none" | "other";
  readonly members: 1 | 2;
  /** `failure`: a way back that runs only when the member failed. */
  readonly closing: "settled" | "failure";
  readonly closeWords: 1 | 2;
  readonly fallbacks: readonly [open: boolean, close: boolean];
};

export function* windowShapes(): Generator<WindowShape> {
  const booleans = [false, true] as const;
  for (const toOpen of relations) {
    for (const toMember of relations) {
      for (const toClose of relations.filter((relation) => !relation.startsWith("before"))) {
        for (const lock of ["none", "other", "vm"] as const) {
          for (const memberLock of ["none", "other"] as const) {
            for (const members of [1, 2] as const) {
              for (const closing of ["settled", "failure"] as const) {
                for (const closeWords of [1, 2] as const) {
                  for (const open of booleans) {
                    for (const close of booleans) {
                      yield {
                        toOpen,
                        toMember,
                        toClose,
                        lock,
                        memberLock,
                        members,
                        closing,
                        closeWords,
                        fallbacks: [open, close],
                      };
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

/**
 * A window (open, members, closing words) and an outsider X, as a planner makes them: members need
 * the open word, the first closing word waits until they have settled, work of others on the VM
 * stands before or after the window, and the window opens late. Undefined for shapes that no planner
 * makes: cycles, and outsiders on the VM that are not ordered.
 */
export function windowGraph(shape: WindowShape): readonly Operation[] | undefined {
  const edges = new Map<string, Map<string, OperationEdge["on"]>>();
  const add = (from: string, to: string, on: OperationEdge["on"]): void => {
    const into = edges.get(to) ?? new Map<string, OperationEdge["on"]>();
    edges.set(to, into.set(from, on));
  };
  const members = shape.members === 1 ? ["m1"] : ["m1", "m2"];
  const closers = shape.closeWords === 1 ? ["close1"] : ["close1", "close2"];
  for (const member of members) {
    add("open", member, "success");
    add(member, "close1", shape.closing);
  }
  if (shape.closing === "settled") add("open", "close1", "settled");
  if (closers.length === 2) add("close1", "close2", "success");
  relate(add, "open", shape.toOpen);
  relate(add, "m1", shape.toMember);
  relate(add, closers.at(-1) ?? "close1", shape.toClose);
  const reach = (from: string, to: string): boolean =>
    from === to || [...(edges.get(to)?.keys() ?? [])].some((before) => reach(from, before));
  const others = [...(edges.get("x")?.keys() ?? [])];
  const last = closers.at(-1) ?? "close1";
  if (others.some((before) => reach("x", before))) return undefined;
  if (shape.lock === "vm" && !reach("x", "open") && !reach(last, "x")) return undefined;
  if (edges.get("m1")?.has("x") === true && !reach("open", "x") && !reach("x", "open")) {
    add("x", "open", "settled");
  }
  const other: readonly OperationLock[] = [{ key: "other", mode: "exclusive" }];
  const make = (id: string, order: Parts<Operation>["order"]): Operation => {
    const after = [...(edges.get(id) ?? [])].map(([from, on]) => ({ id: from, on }));
    return operation(id, { order: { locks: vm, ...order, after } });
  };
  const inside = (role: WindowRole) => ({ window: { id: "window", role } });
  const memberLocks = shape.memberLock === "none" ? vm : [...vm, ...other];
  const graph = [
    make("open", inside("open")),
    ...members.map((id) => make(id, { locks: memberLocks, ...inside("member") })),
    ...closers.map((id) => withParts(make(id, inside("close")), { request: { closing: true } })),
    make("x", { locks: shape.lock === "none" ? [] : shape.lock === "vm" ? vm : other }),
  ];
  const has = graph.map(({ id }) =>
    id === "open" ? shape.fallbacks[0] : id === "close1" && shape.fallbacks[1],
  );
  return withFallbacks(graph, has);
}

function relate(
  add: (from: string, to: string, on: OperationEdge["on"]) => void,
  id: string,
  relation: Relation,
): void {
  const [side, on] = relation.split(" ") as [string, OperationEdge["on"] | undefined];
  if (on === undefined) return;
  if (side === "before") add("x", id, on);
  else add(id, "x", on);
}
