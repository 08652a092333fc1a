/** How long a plan takes: by its longest chain, its machines and its pools, and what is known. */

import { expect, test } from "vitest";
import type { Durations } from "../../../../src/model/plan/durations.ts";
import {
  aboutText,
  expectedDuration,
  expectedSection,
} from "../../../../src/render/plan/expected-duration.ts";
import { renderLines } from "../../../../src/render/text/styled-line.ts";
import { buildOperation, buildPlan } from "../../../helpers/plan-builder.ts";

const minute = 60_000;
const durations: Durations = new Map([
  ["daemon daemon_vm create", [minute]],
  ["daemon daemon_vm on", [2 * minute, 2 * minute]],
]);

function vm(name: string, parts: Parameters<typeof buildOperation>[2] = {}) {
  const made = buildOperation(`daemon_vm.${name}`, "create", {
    effect: { kind: "create" },
    ...parts,
  });
  const on = buildOperation(`daemon_vm.${name}`, "on", {
    effect: { kind: "power" },
    order: { after: [{ id: made.id, on: "success" }] },
  });
  return [made, on];
}

test("what depends on nothing goes on at once", () => {
  const operations = [...vm("a"), ...vm("b")];
  const expected = expectedDuration({ operations, joins: [] }, { durations, poolLimits: {} });
  expect(expected).toEqual({ ms: 3 * minute, samples: 3, atLeast: false });
});

test("a pool takes its time", () => {
  const order = { pools: ["daemon clones"] };
  const operations = ["a", "b", "c", "d"].flatMap((name) => vm(name, { order }));
  const given = { durations, poolLimits: { "daemon clones": 1 } };
  expect(expectedDuration({ operations, joins: [] }, given)?.ms).toBe(4 * minute);
  const free = { durations, poolLimits: {} };
  expect(expectedDuration({ operations, joins: [] }, free)?.ms).toBe(3 * minute);
});

test("what makes up for a failure is not counted, and what is unknown is told", () => {
  const [made, on] = vm("a");
  const hard = buildOperation("daemon_vm.a", "create", {
    id: "hard",
    order: { fallbackFor: made?.id ?? "" },
  });
  const other = buildOperation("daemon_vm.b", "delete", { effect: { kind: "delete" } });
  const operations = [made, on, hard].flatMap((one) => one ?? []);
  const given = { durations, poolLimits: {} };
  expect(expectedDuration({ operations, joins: [] }, given)).toMatchObject({ ms: 3 * minute });
  const more = { operations: [...operations, other], joins: [] };
  expect(expectedDuration(more, given)).toMatchObject({ atLeast: true });
  expect(expectedDuration({ operations: [other], joins: [] }, given)).toBeUndefined();
});

test("it is told where it is a minute or more", () => {
  const text = (operations: ReturnType<typeof vm>, known: Durations): string =>
    renderLines(expectedSection(buildPlan({ operations }), { durations: known, poolLimits: {} }), {
      color: false,
    });
  expect(text(vm("a"), durations)).toBe(
    "Expected to take about 3 min (from 3 earlier operations).",
  );
  const short: Durations = new Map([["daemon daemon_vm create", [minute - 1]]]);
  expect(text(vm("a"), short)).toBe("");
  const some: Durations = new Map([["daemon daemon_vm create", [minute]]]);
  expect(text(vm("a"), some)).toBe(
    "Expected to take at least 1 min (from 1 earlier operation; of some of its work nothing is known).",
  );
  expect(text([], durations)).toBe("");
});

test.each([
  [1, "1 min"],
  [89_000, "1 min"],
  [119 * minute, "119 min"],
  [120 * minute, "2 h"],
  [125 * minute, "2 h 5 min"],
])("%i ms are %s", (ms, text) => {
  expect(aboutText(ms)).toBe(text);
});
