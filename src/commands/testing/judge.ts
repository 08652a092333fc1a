/** Judges a run that has ended by what was expected of it. */

import { positionOf } from "../../config/report.ts";
import type { Placed, TestAssertion, TestRun } from "../../config/testing/tests.ts";
import { rootsUsed } from "../../expressions/check/declared.ts";
import { evaluateTemplate } from "../../expressions/evaluate/evaluate.ts";
import { type PartValue, partsOf } from "../../expressions/evaluate/parts.ts";
import type { Scope } from "../../expressions/evaluate/scope.ts";
import type { Template } from "../../expressions/syntax/template.ts";
import type { Diagnostic, SourcePosition } from "../../model/said/diagnostic.ts";
import type { TestFailure, TestPart } from "../../model/said/test-report.ts";
import { isUnknown } from "../../model/value/value.ts";
import { problem } from "../codes.ts";

export type Judged = {
  readonly failures: readonly TestFailure[];
  /** An error that nobody expected: what comes after the run builds on nothing. */
  readonly broken: boolean;
};

export function judgeRun(
  run: TestRun,
  told: { readonly problems: readonly Diagnostic[]; readonly exit: number },
  scope: Scope,
): Judged {
  const expected = new Set(run.problems.map(({ value }) => value));
  const unexpected = told.problems.filter(
    ({ severity, code }) => severity === "error" && !expected.has(code),
  );
  const codes = new Set(told.problems.map(({ code }) => code));
  const missing = run.problems.filter(({ value }) => !codes.has(value));
  const broken = unexpected.length > 0;
  // Where an error has ended the run, what is missing for it says nothing more.
  const judged = run.assertions.filter(
    ({ template }) => !broken || template === undefined || absentIn(template, scope).length === 0,
  );
  return {
    broken,
    failures: [
      ...unexpected.map((diagnostic) => ({ diagnostic, parts: [] })),
      ...missing.map((code) => missingProblem(code, told.problems)),
      ...(broken ? [] : wrongExit(run.exit, told.exit)),
      ...judged.flatMap((assertion) => judgeAssertion(assertion, scope)),
    ],
  };
}

function missingProblem(
  { value: code, place }: Placed<string>,
  problems: readonly Diagnostic[],
): TestFailure {
  const told = [...new Set(problems.map((one) => one.code))];
  const instead = told.length === 0 ? "nothing was told" : `told was ${told.join(", ")}`;
  const detail = `${code} was expected, and ${instead}.`;
  const source = positionOf({ ...place, markedEnd: place.end });
  return { diagnostic: problem({ source }, "CLI041", { detail }), parts: [] };
}

function wrongExit(expected: Placed<number> | undefined, exit: number): readonly TestFailure[] {
  if (expected === undefined || expected.value === exit) return [];
  const source = positionOf({ ...expected.place, markedEnd: expected.place.end });
  const detail = `The command would end with ${exit}.`;
  return [{ diagnostic: problem({ source }, "CLI042", { detail }), parts: [] }];
}

function judgeAssertion(assertion: TestAssertion, scope: Scope): readonly TestFailure[] {
  const { template, message, place } = assertion;
  const source = positionOf({ ...place, markedEnd: place.end });
  if (template === undefined) {
    return assertion.constant ? [] : [refused(source, message ?? "It is plainly false.", [])];
  }
  const absent = absentIn(template, scope);
  if (absent.length > 0) {
    const detail = `There is no ${absent.join(" and no ")}: the run ended before.`;
    return [unjudged(source, detail, undefined, [])];
  }
  const { value, problems } = evaluateTemplate(template, scope, "boolean");
  const parts = partsOf(template, scope).map(partShown);
  const [first] = problems;
  if (first !== undefined) return [unjudged(source, first.message, first.fix, parts)];
  if (isUnknown(value)) {
    return [unjudged(source, "It depends on what is known only after apply.", undefined, parts)];
  }
  return value === true ? [] : [refused(source, message ?? "The condition is false.", parts)];
}

function absentIn(template: Template, { values }: Scope): readonly string[] {
  return [...rootsUsed(template)].filter((root) => !Object.hasOwn(values, root));
}

function refused(source: SourcePosition, detail: string, parts: readonly TestPart[]): TestFailure {
  return { diagnostic: problem({ source }, "CLI040", { detail }), parts };
}

function unjudged(
  source: SourcePosition,
  detail: string,
  fix: string | undefined,
  parts: readonly TestPart[],
): TestFailure {
  return { diagnostic: problem({ source }, "CLI043", { detail, fix }), parts };
}

function partShown({ text, value, sensitive }: PartValue): TestPart {
  return sensitive ? { text, sensitive } : { text, value };
}
