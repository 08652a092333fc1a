/**
 * One value of one module instance, as it is written: a local, a variable by its input, or an
 * output. Whether it is evaluated once or for each lookup makes no difference here.
 */

import { type Scope, valuePath } from "../../expressions/evaluate/scope.ts";
import { nameParts, reportIn, writtenAs } from "../modules/module.ts";
import type { InstanceValues, ModuleScope } from "../modules/module-scope.ts";
import type { ConfigValue } from "../read/value.ts";
import type { Report } from "../report.ts";
import { evaluate } from "./evaluation.ts";
import { type EvaluatedInput, evaluateInput } from "./input-value.ts";

/** `name` is `vars.x`, `locals.y` or `outputs.o`. */
export type NamedValue = { readonly scope: ModuleScope; readonly name: string };

export type WrittenPlace = {
  readonly written: ConfigValue;
  /** The module instance in whose names it is written: of an input, the one that calls. */
  readonly at: ModuleScope;
  /** What `each` and `count` are there. */
  readonly values: InstanceValues;
};

/** Undefined where nothing is written, as of a variable that takes its default. */
export function placeOf({ scope, name }: NamedValue): WrittenPlace | undefined {
  const written = writtenAs(name, scope.module)?.value;
  if (written === undefined) return undefined;
  if (nameParts(name).root !== "vars") return { written, at: scope, values: {} };
  const { caller } = scope;
  return caller && { written, at: caller.scope, values: caller.values };
}

/** `within` is the scope of the place. Undefined after a problem was reported. */
export function evaluateNamed(
  named: NamedValue,
  { written, at }: WrittenPlace,
  within: Scope,
  whole: Report,
): EvaluatedInput | undefined {
  const path = pathOf(named);
  const report = reportIn(at.module, whole);
  const options = { scope: within, report, skipped: at.module.skipped };
  const evaluated = evaluate(written, path, options);
  if (evaluated.problems) return undefined;
  const { variables, outputs } = named.scope.module;
  const { root, key } = nameParts(named.name);
  const variable = root === "vars" ? variables.get(key) : undefined;
  if (variable !== undefined) return evaluateInput(variable, evaluated, written.place, report);
  const isSecret = root === "outputs" && outputs.get(key)?.sensitive === true;
  return isSecret ? { ...evaluated, sensitive: [...evaluated.sensitive, path] } : evaluated;
}

/** The path by which expressions reach it: of outputs, in the scope of the caller. */
function pathOf({ scope, name }: NamedValue): string {
  const { root, key } = nameParts(name);
  if (root !== "outputs") return valuePath(root, key);
  const step = scope.path.at(-1);
  const instance = step?.key === undefined ? [] : [step.key];
  return valuePath("module", step?.name ?? "", ...instance, key);
}
