/** What begins together: windows, replacements with content, deletions, and what stands between. */

import { expect, test } from "vitest";
import type { OperationOrder } from "../../../../src/model/operation/operation.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { endingOperations, operationGroups } from "../../../../src/plan/policies/groups.ts";
import { buildChange, buildOperation, buildPlan } from "../../../helpers/plan-builder.ts";
import { address } from "../../../helpers/recorded-builder.ts";

type Kind = "create" | "update" | "delete" | "power";

function operation(name: string, verb: string, kind: Kind, order: Partial<OperationOrder> = {}) {
  const base = { after: [], locks: [], pools: [], long: false };
  return buildOperation(`daemon_vm.${name}`, verb, {
    effect: { kind },
    order: { ...base, ...order },
    ...(verb === "on" ? { request: { closing: true } } : {}),
  });
}

function after(...ids: readonly string[]): Pick<OperationOrder, "after"> {
  return { after: ids.map((id) => ({ id: `daemon_vm.${id}.1`, on: "success" as const })) };
}

/** Groups of more than one, by what stands behind the type. */
function together(parts: Partial<Plan>): readonly string[] {
  const groups = new Map<number, string[]>();
  for (const [id, group] of operationGroups(buildPlan(parts))) {
    const name = id.slice("daemon_vm.".length).replace(/\.1$/, "");
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...groups.values()].filter(({ length }) => length > 1).map((ids) => ids.join(" "));
}

const opens = { window: { id: "w", role: "open" } } as const;
const closes = { window: { id: "w", role: "close" } } as const;
const member = { window: { id: "w", role: "member" } } as const;
const change = (name: string, action: "replace" | "delete") =>
  buildChange(`daemon_vm.${name}`, { action });

test.each<readonly [string, Partial<Plan>, readonly string[]]>([
  [
    "a power window, also of what is content of another",
    {
      operations: [
        operation("a", "off", "power", opens),
        operation("b", "clone", "create", { ...member, ...after("a#off") }),
        operation("a", "on", "power", { ...closes, ...after("b#clone") }),
        operation("b", "boot", "power", after("b#clone")),
      ],
    },
    ["a#off b#clone a#on"],
  ],
  [
    "a replacement, and whatever stands between its ends",
    {
      changes: [change("a", "replace")],
      operations: [
        operation("a", "create", "create"),
        operation("user", "set", "update", after("a#create")),
        operation("a", "delete", "delete", after("user#set")),
        operation("other", "set", "update", after("a#delete")),
      ],
    },
    ["a#create user#set a#delete"],
  ],
  [
    "a deletion with what turns its object off",
    {
      changes: [change("a", "delete")],
      operations: [
        operation("a", "off", "power"),
        operation("a", "delete", "delete", after("a#off")),
      ],
    },
    ["a#off a#delete"],
  ],
  [
    "through a join",
    {
      changes: [change("a", "replace")],
      joins: [{ id: "join", ...after("a#create") }],
      operations: [
        operation("a", "create", "create"),
        operation("user", "set", "update", { after: [{ id: "join", on: "success" }] }),
        operation("a", "delete", "delete", after("user#set")),
      ],
    },
    ["a#create user#set a#delete"],
  ],
  [
    "what only comes after is apart",
    {
      operations: [
        operation("a", "set", "update"),
        operation("b", "set", "update", after("a#set")),
        operation("b", "on", "power", after("b#set")),
      ],
    },
    [],
  ],
])("%s", (_name, parts, expected) => {
  expect(together(parts)).toEqual(expected);
});

test("what an interrupted run has begun is ended, but for a deletion", () => {
  const operations = [
    operation("a", "set", "update", member),
    operation("a", "on", "power", closes),
    operation("b", "set", "update"),
  ];
  const owed = new Set([address("daemon_vm.a")]);
  expect([...endingOperations(buildPlan({ operations }), owed)]).toEqual([
    "daemon_vm.a#set.1",
    "daemon_vm.a#on.1",
  ]);
  expect(endingOperations(buildPlan({ operations }), new Set()).size).toBe(0);
  const leaving = [...operations, operation("a", "delete", "delete", member)];
  const plan = buildPlan({ operations: leaving, changes: [change("a", "delete")] });
  expect(endingOperations(plan, owed).size).toBe(0);
});
