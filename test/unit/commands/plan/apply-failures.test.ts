/** What an apply says of its errors at its end. */

import { expect, test } from "vitest";
import { applyFailures } from "../../../../src/commands/plan/apply-failures.ts";
import type { OperationResult } from "../../../../src/engine/run/execution.ts";
import type { Operation } from "../../../../src/model/operation/operation.ts";
import { type Parts, withParts } from "../../../helpers/parts.ts";
import { buildOperation } from "../../../helpers/plan-builder.ts";

function result(
  text: string,
  status: OperationResult["status"],
  parts: Parts<Operation> = {},
  more: Partial<OperationResult> = {},
): OperationResult {
  const base = buildOperation(`daemon_vm.${text}`, "clone", { id: text, summary: `clone ${text}` });
  const operation = withParts(base, parts);
  return { operation, status, ...more };
}

const after = (...ids: readonly string[]): Parts<Operation> => ({
  order: { after: ids.map((id) => ({ id, on: "success" })) },
});

test("each failure names its cause and what was left out because of it, once", () => {
  const results = [
    result("a", "failed", {}, { message: "disk full" }),
    result("b", "skipped", after("a")),
    result("c", "skipped", after("b")),
    result("d", "success"),
    result("e", "failed", {}, { message: "busy" }),
    result("f", "skipped", after("a", "e")),
    result("g", "skipped"),
  ];
  const failures = applyFailures({ results }, undefined);
  expect(failures.map(({ code, address, detail }) => [code, address, detail])).toEqual([
    [
      "RUN017",
      "daemon_vm.a",
      "clone a: disk full. Left out because of it: daemon_vm.b, daemon_vm.c, daemon_vm.f.",
    ],
    ["RUN017", "daemon_vm.e", "clone e: busy."],
  ]);
});

test("a failure that its fallback made up for is none", () => {
  const results = [
    result("a", "failed", { id: "shutdown" }, { message: "no tools" }),
    result("a", "success", { id: "off", order: { fallbackFor: "shutdown" } }),
  ];
  expect(applyFailures({ results }, undefined)).toEqual([]);
});

test("what may still happen says how it is settled", () => {
  const results = [result("a", "failed", {}, { message: "no reply", open: true })];
  const [failure] = applyFailures({ results }, undefined);
  expect(failure?.fix).toContain("vmform state resolve daemon_vm.a --not-done");
});

test("the place is that of the resource in its file", () => {
  const source = { file: "main.vmform.yaml", line: 3, column: 5, text: "  daemon_vm.a:" };
  const results = [result("a", "failed", {}, { message: "no" })];
  const address = results[0]?.operation.subject.address;
  const desired = { instances: [{ address, source }] } as unknown as NonNullable<
    Parameters<typeof applyFailures>[1]
  >;
  expect(applyFailures({ results }, desired)[0]?.source).toEqual(source);
});
