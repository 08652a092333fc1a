/**
 * Functions that decide whether a value is computed at all, and who may see it. They are macros:
 * what is put in is not computed before they are called.
 */

import { type ASTNode, EvaluationError } from "@marcbachmann/cel-js";
import { functionContext } from "./function-context.ts";
import { type FunctionEntry, failure } from "./function-entry.ts";
import { touched } from "./live.ts";

/** What the CEL library hands a macro; its declarations leave these out. */
type Checker = {
  check: (node: ASTNode, context: unknown) => CheckedType;
  getType: (name: string) => CheckedType;
};
type CheckedType = { readonly name: string };
type Evaluator = { run: (node: ASTNode, context: unknown) => unknown };
type Macro = { readonly args: readonly ASTNode[] };

type Steps = {
  readonly type: (types: readonly CheckedType[], checker: Checker) => CheckedType;
  readonly value: (compute: readonly (() => unknown)[]) => unknown;
};

function macro({ type, value }: Steps): (call: Macro) => object {
  return ({ args }) => ({
    args,
    async: false,
    typeCheck: (checker: Checker, _macro: Macro, context: unknown) =>
      type(
        args.map((node) => checker.check(node, context)),
        checker,
      ),
    evaluate: (evaluator: Evaluator, _macro: Macro, context: unknown) =>
      value(args.map((node) => () => evaluator.run(node, context))),
  });
}

const firstType: Steps["type"] = ([first], checker) => first ?? checker.getType("dyn");

/** One type for all, or none in particular. */
const commonType: Steps["type"] = (types, checker) => {
  const [first] = types;
  const same = first !== undefined && types.every(({ name }) => name === first.name);
  return same ? first : checker.getType("dyn");
};

/** What is not known yet is no mistake, nor what came of it: it may turn out to be none. */
function isMistake(error: unknown): boolean {
  return error instanceof EvaluationError && !functionContext().marks.unknown;
}

const tryMacro = macro({
  type: commonType,
  value: (attempts) => {
    for (const [at, attempt] of attempts.entries()) {
      if (at === attempts.length - 1) return attempt();
      try {
        return touched(attempt());
      } catch (error) {
        if (!isMistake(error)) throw error;
      }
    }
    throw failure("try() needs something to try");
  },
});

const coalesceMacro = macro({
  type: commonType,
  value: (attempts) => {
    for (const attempt of attempts) {
      const value = attempt();
      if (value !== null) return value;
    }
    return null;
  },
});

/** The value of what was put in, and whether anything sensitive was touched for it. */
function looked(compute: (() => unknown) | undefined): { value: unknown; isSensitive: boolean } {
  const { marks } = functionContext();
  const before = marks.sensitive;
  marks.sensitive = false;
  const value = touched(compute?.());
  const isSensitive = marks.sensitive;
  marks.sensitive = before;
  return { value, isSensitive };
}

export const valueFunctions: readonly FunctionEntry[] = [
  {
    name: "try",
    group: "Values",
    form: "try(value, fallback), up to five",
    sentence:
      "The first of its values that can be computed; a mistake in one leads to the next. Names " +
      "that are not declared are mistakes all the same.",
    examples: [
      { expression: 'try({"a": 1}.b, 2)', value: "2" },
      { expression: 'try(int("x"), int("7"), 0)', value: "7" },
    ],
    overloads: {
      "try(ast, ast): dyn": tryMacro,
      "try(ast, ast, ast): dyn": tryMacro,
      "try(ast, ast, ast, ast): dyn": tryMacro,
      "try(ast, ast, ast, ast, ast): dyn": tryMacro,
    },
  },
  {
    name: "can",
    group: "Values",
    form: "can(value)",
    sentence: "Whether a value can be computed, for conditions.",
    examples: [
      { expression: 'can(int("7"))', value: "true" },
      { expression: 'can(cidrhost("10.0.0.0/33", 1))', value: "false" },
    ],
    overloads: {
      "can(ast): bool": macro({
        type: (_types, checker) => checker.getType("bool"),
        value: ([attempt]) => {
          try {
            touched(attempt?.());
            return true;
          } catch (error) {
            if (!isMistake(error)) throw error;
            return false;
          }
        },
      }),
    },
  },
  {
    name: "coalesce",
    group: "Values",
    form: "coalesce(first, second), up to five",
    sentence: "The first of its values that is not null; null when all are.",
    examples: [{ expression: 'coalesce(null, "a", "b")', value: '"a"' }],
    overloads: {
      "coalesce(ast, ast): dyn": coalesceMacro,
      "coalesce(ast, ast, ast): dyn": coalesceMacro,
      "coalesce(ast, ast, ast, ast): dyn": coalesceMacro,
      "coalesce(ast, ast, ast, ast, ast): dyn": coalesceMacro,
    },
  },
  {
    name: "sensitive",
    group: "Values",
    form: "sensitive(value)",
    sentence: "The same value, masked wherever it is shown; it may go only where a secret may.",
    examples: [{ expression: 'issensitive(sensitive("a"))', value: "true" }],
    overloads: {
      "sensitive(ast): dyn": macro({
        type: firstType,
        value: ([compute]) => {
          functionContext().marks.sensitive = true;
          return compute?.();
        },
      }),
    },
  },
  {
    name: "nonsensitive",
    group: "Values",
    form: "nonsensitive(value)",
    sentence:
      "The same value, which may be shown: for what is computed from a secret and is none itself.",
    examples: [{ expression: 'nonsensitive(size(sensitive("abc")))', value: "3" }],
    overloads: {
      "nonsensitive(ast): dyn": macro({
        type: firstType,
        value: ([compute]) => looked(compute).value,
      }),
    },
  },
  {
    name: "issensitive",
    group: "Values",
    form: "issensitive(value)",
    sentence: "Whether anything sensitive is in a value.",
    examples: [{ expression: 'issensitive("a")', value: "false" }],
    overloads: {
      "issensitive(ast): bool": macro({
        type: (_types, checker) => checker.getType("bool"),
        value: ([compute]) => looked(compute).isSensitive,
      }),
    },
  },
  {
    name: "size",
    group: "Values",
    form: "size(value), value.size()",
    sentence: "How many characters a text has, or entries a list or map.",
    examples: [{ expression: '[size("abc"), [1, 2].size()]', value: "[3,2]" }],
    overloads: {},
  },
];
