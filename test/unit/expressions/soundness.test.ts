/**
 * Two promises that no table can hold for all expressions: what is given as known does not depend
 * on any unknown value, and what is given as not sensitive does not depend on any sensitive one.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateTemplate } from "../../../src/expressions/evaluate/evaluate.ts";
import type { Scope } from "../../../src/expressions/evaluate/scope.ts";
import { isKnown, type PlannedAttributes, unknown } from "../../../src/model/value/value.ts";
import { amount } from "../../helpers/amount.ts";
import { scope, template } from "./scope-fixture.ts";

/** Expressions of a type over `vars.b0…` (booleans), `vars.n0…` (integers) and `vars.l0…` (lists). */
const { bool } = fc.letrec<{ bool: string; int: string; list: string }>((tie) => ({
  bool: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("true", "false", "vars.b0", "vars.b1", "vars.b2"),
    fc.tuple(tie("bool"), tie("bool")).map(([a, b]) => `(${a} && ${b})`),
    fc.tuple(tie("bool"), tie("bool")).map(([a, b]) => `(${a} || ${b})`),
    tie("bool").map((a) => `!${a}`),
    fc.tuple(tie("bool"), tie("bool"), tie("bool")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc.tuple(tie("bool"), tie("bool")).map(([a, b]) => `(${a} == ${b})`),
    fc.tuple(tie("int"), tie("int")).map(([a, b]) => `(${a} == ${b})`),
    fc.tuple(tie("int"), tie("int")).map(([a, b]) => `(${a} < ${b})`),
    fc.tuple(tie("int"), tie("list")).map(([a, b]) => `(${a} in ${b})`),
    fc.tuple(tie("list"), tie("bool")).map(([a, b]) => `${a}.exists(x, x > 1 || ${b})`),
    fc.tuple(tie("list"), tie("bool")).map(([a, b]) => `${a}.all(x, x > 1 && ${b})`),
    fc.tuple(tie("list"), tie("list")).map(([a, b]) => `(${a} == ${b})`),
    tie("int").map((a) => `(${a} != null)`),
  ),
  int: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("0", "1", "2", "vars.n0", "vars.n1", "vars.n2"),
    fc.tuple(tie("int"), tie("int")).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie("int"), tie("int")).map(([a, b]) => `(${a} / ${b})`),
    fc.tuple(tie("bool"), tie("int"), tie("int")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    tie("list").map((a) => `size(${a})`),
    fc.tuple(tie("list"), tie("int")).map(([a, b]) => `${a}[${b}]`),
  ),
  list: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("vars.l0", "vars.l1", "vars.l2"),
    fc.tuple(tie("int"), tie("int")).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie("list"), tie("list")).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie("list"), tie("bool")).map(([a, b]) => `${a}.filter(x, x > 0 && ${b})`),
    fc.tuple(tie("list"), tie("int")).map(([a, b]) => `${a}.map(x, x + ${b})`),
    fc.tuple(tie("bool"), tie("list"), tie("list")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
  ),
}));

const flag = fc.boolean();
const number = fc.integer({ min: 0, max: 3 });
const values = fc.record({
  b0: flag,
  b1: flag,
  b2: flag,
  n0: number,
  n1: number,
  n2: number,
  l0: fc.array(number, { maxLength: 3 }),
  l1: fc.array(number, { maxLength: 3 }),
  l2: fc.tuple(number, number),
});

function withVars(vars: PlannedAttributes, sensitive: readonly string[]): Scope {
  return { ...scope, values: { vars }, sensitive: new Set(sensitive), doubles: new Set() };
}

type Vars = typeof values extends fc.Arbitrary<infer Value> ? Value : never;

/** The names numbered 0, and the first element of `l2`, become unknown. */
function hide(vars: Vars): PlannedAttributes {
  return { ...vars, b0: unknown, n0: unknown, l0: unknown, l2: [unknown, vars.l2[1]] };
}

/** The same names with other values. */
function change(vars: Vars, to: Vars): PlannedAttributes {
  return { ...vars, b0: to.b0, n0: to.n0, l0: to.l0, l2: [to.l2[0], vars.l2[1]] };
}

describe("soundness", () => {
  it("a known result does not depend on unknown values", () => {
    let known = 0;
    fc.assert(
      fc.property(bool, values, values, (source, first, second) => {
        const parsed = template(`\${${source}}`);
        const early = evaluateTemplate(parsed, withVars(hide(first), []), "any");
        if (early.problems.length > 0 || !isKnown(early.value)) return;
        known += 1;
        expect(evaluateTemplate(parsed, withVars(change(first, second), []), "any")).toEqual(early);
      }),
      { numRuns: amount(250, 2000) },
    );
    expect(known).toBeGreaterThan(amount(10, 100));
  });

  it("a problem that is reported early stays one", () => {
    fc.assert(
      fc.property(bool, values, values, (source, first, second) => {
        const parsed = template(`\${${source}}`);
        const early = evaluateTemplate(parsed, withVars(hide(first), []), "any");
        if (early.problems.length === 0) return;
        expect(
          evaluateTemplate(parsed, withVars(change(first, second), []), "any").problems,
        ).not.toEqual([]);
      }),
      { numRuns: amount(250, 2000) },
    );
  });

  it("a result that is not sensitive does not depend on sensitive values", () => {
    const sensitive = ["vars.b0", "vars.n0", "vars.l0", "vars.l2[0]"];
    let plain = 0;
    fc.assert(
      fc.property(bool, values, values, (source, first, second) => {
        const parsed = template(`\${${source}}`);
        const result = evaluateTemplate(parsed, withVars(first, sensitive), "any");
        if (result.sensitive) return;
        plain += 1;
        expect(evaluateTemplate(parsed, withVars(change(first, second), sensitive), "any")).toEqual(
          result,
        );
      }),
      { numRuns: amount(250, 2000) },
    );
    expect(plain).toBeGreaterThan(amount(10, 100));
  });
});
