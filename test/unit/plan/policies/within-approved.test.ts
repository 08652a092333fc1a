/** What an apply that was cut off may go on with: no more than what was approved. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Operation } from "../../../../src/model/operation/operation.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { DeferredValue } from "../../../../src/model/value/expression.ts";
import { type PlannedAttributes, unknown } from "../../../../src/model/value/value.ts";
import { beyondApproved, type EvaluateNow } from "../../../../src/plan/policies/within-approved.ts";
import { buildOperation, buildPlan, deferredValue } from "../../../helpers/plan-builder.ts";
import { address } from "../../../helpers/recorded-builder.ts";

type Request = {
  readonly vm: string;
  readonly verb: string;
  readonly size: number;
};

function operation({ vm, verb, size }: Request, index = 0): Operation {
  return buildOperation(`daemon_vm.${vm}`, verb, {
    id: `daemon_vm.${vm}#${verb}.${index}`,
    request: {
      inputs: { size },
      preview: { method: "POST", path: `/vms/${vm}/${verb}`, body: { size } },
    },
  });
}

function planOf(operations: readonly Operation[], parts: Partial<Plan> = {}): Plan {
  return buildPlan({ operations, ...parts });
}

const nothing: EvaluateNow = () => undefined;
const request = fc.record<Request>({
  vm: fc.constantFrom("a", "b"),
  verb: fc.constantFrom("start", "resize"),
  size: fc.constantFrom(1, 2),
});
const requests = fc.array(request, { maxLength: 8 });
const keyOf = ({ vm, verb, size }: Request): string => `${vm} ${verb} ${size}`;

/** As multisets, counted the plain way. */
function leftOver(wanted: readonly Request[], approved: readonly Request[]): readonly string[] {
  const left = approved.map(keyOf);
  return wanted.map(keyOf).filter((key) => {
    const index = left.indexOf(key);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

describe("requests whose values are known", () => {
  test("are a multiset: each as often at most as it was approved", () => {
    fc.assert(
      fc.property(requests, requests, (approved, wanted) => {
        const beyond = beyondApproved(
          planOf(approved.map(operation)),
          planOf(wanted.map(operation)),
          nothing,
        );
        const told = beyond.flatMap((one) => (one.kind === "request" ? [one.operation] : []));
        const keys = told.map(({ subject, verb, request: { inputs } }) =>
          [subject.identity, verb, JSON.stringify(inputs["size"])].join(" "),
        );
        expect(keys.toSorted()).toEqual([...leftOver(wanted, approved)].toSorted());
      }),
    );
  });

  test("any part of a plan, in any order, is within it", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(["a", "b", "c", "d"]), requests, (names, more) => {
        const all = [
          ...["a", "b", "c", "d"].map((vm) => ({ vm, verb: "start", size: 1 })),
          ...more,
        ];
        const part = all.filter(({ vm }) => names.includes(vm)).toReversed();
        const [approved, plan] = [planOf(all.map(operation)), planOf(part.map(operation))];
        expect(beyondApproved(approved, plan, nothing)).toEqual([]);
      }),
    );
  });
});

describe("a value that was unknown", () => {
  const late = (template: string): DeferredValue => deferredValue(template);
  const withName = (name: PlannedAttributes[string], template?: string): Operation =>
    buildOperation("daemon_vm.a", "create", {
      request: {
        inputs: { name },
        deferred: template === undefined ? {} : { name: late(template) },
        preview: { method: "POST", path: "/vms", body: { name } },
      },
    });
  const evaluated: EvaluateNow = ({ template }) => (template === "${x}" ? "web" : undefined);
  test.each<[string, Operation, Operation, boolean]>([
    ["is what its expression gives", withName(unknown, "${x}"), withName("web"), true],
    ["is something else", withName(unknown, "${x}"), withName("db"), false],
    ["is of an expression that gives nothing", withName(unknown, "${y}"), withName("web"), false],
    ["is of no expression", withName(unknown), withName("web"), false],
    ["waits for the same still", withName(unknown, "${x}"), withName(unknown, "${x}"), true],
    ["waits for another", withName(unknown, "${x}"), withName(unknown, "${z}"), false],
    ["was known", withName("web"), withName(unknown, "${x}"), false],
  ])("%s", (_, approved, now, within) => {
    const beyond = beyondApproved(planOf([approved]), planOf([now]), evaluated);
    expect(beyond.map((one) => one.kind)).toEqual(within ? [] : ["request"]);
  });

  test("each of two finds its own, whichever is first", () => {
    const both = [withName(unknown, "${x}"), withName("web")];
    for (const approved of [both, both.toReversed()]) {
      const plan = planOf([withName("web"), withName("web")]);
      expect(beyondApproved(planOf(approved), plan, evaluated)).toEqual([]);
      const other = planOf([withName("web"), withName("web"), withName("web")]);
      expect(beyondApproved(planOf(approved), other, evaluated)).toHaveLength(1);
    }
  });
});

const start = operation({ vm: "a", verb: "start", size: 1 });
const endpoint = (url: string, instance?: string) => ({
  provider: "daemon",
  url,
  ...(instance === undefined ? {} : { instance }),
});
const need = (name: string) => ({ address: address(name), disruption: "destroy" as const });

test.each<[string, Partial<Plan>, Partial<Plan>, readonly string[]]>([
  ["the same server", { endpoints: [endpoint("a")] }, { endpoints: [endpoint("a")] }, []],
  ["another server", { endpoints: [endpoint("a")] }, { endpoints: [endpoint("b")] }, ["endpoint"]],
  [
    "one server under another name",
    { endpoints: [endpoint("a", "1")] },
    { endpoints: [endpoint("b", "1")] },
    [],
  ],
  ["a server that was unknown", {}, { endpoints: [endpoint("b")] }, ["endpoint"]],
  [
    "other settings, where no server is known",
    { providers: [{ name: "daemon", settings: { url: "a" } }] },
    { providers: [{ name: "daemon", settings: { url: "b" } }] },
    ["endpoint"],
  ],
  ["a destroy", {}, { mode: "destroy" }, ["mode"]],
  [
    "a disruption of another object",
    { consent: [need("daemon_vm.a")] },
    { consent: [need("daemon_vm.a"), need("daemon_vm.b")] },
    ["consent"],
  ],
  ["a disruption less", { consent: [need("daemon_vm.a")] }, {}, []],
])("%s", (_, before, now, kinds) => {
  const beyond = beyondApproved(planOf([start], before), planOf([start], now), nothing);
  expect(beyond.map((one) => one.kind)).toEqual(kinds);
});

test("waits ask for nothing, and what asks for nothing needs no approval", () => {
  const wait = buildOperation("daemon_vm.z", "wait", { effect: { kind: "wait" } });
  const plan = planOf([wait], { mode: "destroy", endpoints: [endpoint("b")] });
  expect(beyondApproved(planOf([]), plan, nothing)).toEqual([]);
  expect(beyondApproved(planOf([wait]), planOf([start]), nothing)).toHaveLength(1);
});

test.each<[string, Operation, "new" | "other"]>([
  ["another object", operation({ vm: "b", verb: "start", size: 1 }), "new"],
  ["another verb", operation({ vm: "a", verb: "stop", size: 1 }), "new"],
  ["another value", operation({ vm: "a", verb: "start", size: 2 }), "other"],
  ["one more disruption", { ...start, disrupts: ["power-off"] }, "other"],
  [
    "another request of the same values",
    { ...start, request: { ...start.request, preview: { method: "PUT", path: "/vms/a/start" } } },
    "other",
  ],
  ["another id of the object", { ...start, subject: { ...start.subject, identity: "9" } }, "new"],
])("%s is told as it is", (_, now, why) => {
  const [first] = beyondApproved(planOf([start]), planOf([now]), nothing);
  expect(first).toMatchObject({ kind: "request", why });
});
