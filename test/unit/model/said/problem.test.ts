/** A code brings its summary; what is absent is no member. */

import { expect, test } from "vitest";
import { nowhere, problemsOf } from "../../../../src/model/said/problem.ts";

const codes = { ABC001: { summary: "Nothing works", explanation: "It is broken." } };
const { problem, warning } = problemsOf(codes);
const source = { file: "a.yaml", line: 1, column: 1, text: "a: b" };

test.each([
  [problem(nowhere, "ABC001", { detail: "So." }), { severity: "error" }],
  [
    warning({ source }, "ABC001", { detail: "So.", fix: "Mend it." }),
    {
      severity: "warning",
      fix: "Mend it.",
      source,
    },
  ],
])("%j", (made, own) => {
  expect(made).toStrictEqual({ code: "ABC001", summary: "Nothing works", detail: "So.", ...own });
});

test("another code does not compile", () => {
  // @ts-expect-error
  expect(() => problem(nowhere, "ABC002", { detail: "So." })).toThrow(TypeError);
});
