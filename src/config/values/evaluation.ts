/** Evaluates what the configuration says at a place, however its templates are nested. */

import { deferStructure, deferTemplate } from "../../expressions/evaluate/deferred.ts";
import { evaluateTemplate } from "../../expressions/evaluate/evaluate.ts";
import { type Scope, stepPath } from "../../expressions/evaluate/scope.ts";
import type { DeferredValue } from "../../model/value/expression.ts";
import type { AttributeType } from "../../model/value/resource-schema.ts";
import { isKnown, type PlannedValue, unknown } from "../../model/value/value.ts";
import { type ConfigTemplate, type ConfigValue, mapOf, placeInText } from "../read/value.ts";
import type { Report } from "../report.ts";

export type EvaluationOptions = {
  readonly scope: Scope;
  readonly report: Report;
  /** Templates whose problems are known already: unknown, and not reported again. */
  readonly skipped: ReadonlySet<ConfigTemplate>;
};

/** Paths are below the root that was given, as `valuePath` writes them. */
export type Evaluated = {
  readonly value: PlannedValue;
  readonly sensitive: readonly string[];
  readonly doubles: readonly string[];
  /** How each value with an unknown leaf will be computed. Those with problems have none. */
  readonly deferred: { readonly [path: string]: DeferredValue };
  readonly problems: boolean;
};

type Sink = {
  readonly sensitive: string[];
  readonly doubles: string[];
  readonly deferred: { [path: string]: DeferredValue };
  problems: boolean;
};

/** `root` is the path of the value itself, such as `locals.sizes` or `value`. */
export function evaluate(value: ConfigValue, root: string, options: EvaluationOptions): Evaluated {
  const sink: Sink = { sensitive: [], doubles: [], deferred: {}, problems: false };
  const evaluated = evaluateAt(value, root, options, sink);
  return { ...sink, value: evaluated };
}

function evaluateAt(
  value: ConfigValue,
  path: string,
  options: EvaluationOptions,
  sink: Sink,
): PlannedValue {
  switch (value.kind) {
    case "constant":
      return value.value;
    case "template":
      return evaluateLeaf(value, path, options, sink);
    case "list":
      return value.items.map((item, index) =>
        evaluateAt(item, stepPath(path, index), options, sink),
      );
    case "map":
      return mapOf(
        value.entries.map(({ name, value: member }) => {
          return [name, evaluateAt(member, stepPath(path, name), options, sink)] as const;
        }),
      );
  }
}

function evaluateLeaf(
  leaf: ConfigTemplate,
  path: string,
  { scope, report, skipped }: EvaluationOptions,
  sink: Sink,
): PlannedValue {
  if (skipped.has(leaf)) {
    sink.problems = true;
    return unknown;
  }
  const { template, shape, place } = leaf;
  const result = evaluateTemplate(template, scope, shape.type);
  for (const { message, fix, offset, end } of result.problems) {
    const at = placeInText(place, template.text, offset, end);
    report.add("CFG025", { detail: message, fix, place: at });
    sink.problems = true;
  }
  if (result.problems.length > 0) return unknown;
  if (result.sensitive) sink.sensitive.push(path);
  if (result.double) sink.doubles.push(path);
  if (!isKnown(result.value)) sink.deferred[path] = deferTemplate(template, scope, shape.type);
  return result.value;
}

/** One deferred value for the whole, or undefined when it is known or has problems. */
export function deferredOf(
  value: ConfigValue,
  evaluated: Evaluated,
  type: AttributeType,
): DeferredValue | undefined {
  if (evaluated.problems || isKnown(evaluated.value)) return undefined;
  if (value.kind === "template") return Object.values(evaluated.deferred)[0];
  return deferStructure(evaluated.value, evaluated.deferred, type);
}
