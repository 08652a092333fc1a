/** Evaluates `count` and `for_each`: which instances a resource or a call of a module has. */

import type { Scope } from "../../expressions/evaluate/scope.ts";
import { isKnown, isList, type Value } from "../../model/value/value.ts";
import type { Resource } from "../blocks/resource.ts";
import { type Instances, type Module, reportIn } from "../modules/module.ts";
import { type ModuleScope, scopesIn } from "../modules/module-scope.ts";
import { wayOfBareExpression } from "../read/habits.ts";
import { type ConfigValue, templatesOf } from "../read/value.ts";
import type { Report } from "../report.ts";
import { checkTemplates, type ExpressionPlace } from "./check-expressions.ts";
import { evaluate } from "./evaluation.ts";

/** One configuration may not describe more; a slip such as a port for a count is caught. */
const instancesMax = 1_000_000;

/**
 * Finds the instances of every sound resource, in each instance of its module. A resource whose
 * instances cannot be told is broken.
 */
export function expandResources(root: ModuleScope, report: Report): void {
  for (const { module, constants, instances } of scopesIn(root)) {
    for (const resource of module.resources.values()) {
      const own = expandInstances(resource, { module, scope: constants }, reportIn(module, report));
      if (own === undefined) module.broken.add(resource.key);
      else instances.set(resource.key, own);
    }
  }
}

/** What has instances: a resource, or a call of a module. */
type Expandable = Pick<Resource, "count" | "forEach" | "broken" | "instancing">;

/** Undefined where they cannot be told, after a problem was reported. */
export function expandInstances(
  { count, forEach, broken, instancing }: Expandable,
  { module, scope }: { readonly module: Module; readonly scope: Scope },
  report: Report,
): Instances | undefined {
  const written = forEach ?? count;
  if (written === undefined) {
    return broken || instancing !== "single" ? undefined : { kind: "single" };
  }
  const name = forEach === undefined ? "count" : "for_each";
  const why = `${name} decides which instances exist and must be known before resources are.`;
  const place: ExpressionPlace = { constant: { code: "CFG033", why } };
  checkTemplates(templatesOf(written), place, module, report);
  const evaluated = evaluate(written, "value", { scope, report, skipped: module.skipped });
  if (evaluated.problems || !isKnown(evaluated.value) || broken) return undefined;
  if (evaluated.sensitive.length > 0) {
    const detail = `${name} is sensitive, and what it holds is shown in addresses.`;
    report.add("CFG035", { detail, place: written.place });
    return undefined;
  }
  return forEach === undefined
    ? countInstances(evaluated.value, written, report)
    : eachInstances(evaluated.value, written, report);
}

function countInstances(value: Value, written: ConfigValue, report: Report): Instances | undefined {
  const length = typeof value === "bigint" ? Number(value) : value;
  if (typeof length === "number" && length >= 0 && length <= instancesMax) {
    return { kind: "list", length };
  }
  const given = typeof length === "number" ? String(length) : "another value";
  const detail = `count is an integer from 0 to ${instancesMax}, not ${given}.`;
  report.add("CFG032", { detail, place: written.place });
  return undefined;
}

function eachInstances(value: Value, written: ConfigValue, report: Report): Instances | undefined {
  const { place } = written;
  if (value === null || typeof value !== "object") {
    const detail = "for_each takes a map, or a list of texts.";
    const bare = typeof value === "string" ? wayOfBareExpression(value) : undefined;
    const fix = value === null ? "Write {} for no instances." : bare;
    report.add("CFG032", { detail, fix, place });
    return undefined;
  }
  const values = new Map<string, Value>();
  if (!isList(value)) {
    for (const [key, member] of Object.entries(value)) values.set(key, member);
  } else {
    for (const key of value) {
      if (typeof key === "string" && !values.has(key)) {
        values.set(key, key);
        continue;
      }
      const shown = JSON.stringify(typeof key === "bigint" ? String(key) : key);
      const detail =
        typeof key === "string"
          ? `The list of for_each holds ${shown} twice; each text names one instance.`
          : `The list of for_each holds ${shown}, which is not a text.`;
      const fix = typeof key === "string" ? "Remove one of them." : `Quote it, or use a map.`;
      report.add("CFG032", { detail, fix, place });
      return undefined;
    }
  }
  if (values.size > instancesMax) {
    const detail = `for_each has ${values.size} entries, more than ${instancesMax}.`;
    report.add("CFG032", { detail, place });
    return undefined;
  }
  return { kind: "map", values, keys: new Set(values.keys()) };
}
