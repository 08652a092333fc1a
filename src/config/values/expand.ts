/**
 * Evaluates `count` and `for_each`: which instances a resource or a call of a module has. Where
 * they need what is still to be read, they wait.
 */

import { deferMember, deferStructure } from "../../expressions/evaluate/deferred.ts";
import { isWithin } from "../../expressions/evaluate/evaluate.ts";
import { stepPath } from "../../expressions/evaluate/scope.ts";
import { isPlannedMap } from "../../expressions/evaluate/value-kind.ts";
import type { DeferredValue, ReferenceLookup } from "../../model/value/expression.ts";
import {
  isKnown,
  isList,
  type PlannedAttributes,
  type PlannedValue,
  type Value,
} from "../../model/value/value.ts";
import { type Resource, writtenInstances } from "../blocks/resource.ts";
import { templatesBehind } from "../modules/late-names.ts";
import {
  type Instances,
  isWaitingFor,
  type Module,
  referencesOfValue,
  reportIn,
} from "../modules/module.ts";
import type { ModuleScope } from "../modules/module-scope.ts";
import { wayOfBareExpression } from "../read/form/habits.ts";
import { type ConfigValue, templatesOf } from "../read/value.ts";
import type { Report } from "../report.ts";
import { checkTemplates } from "./check-expressions.ts";
import { deferredOf, type Evaluated, evaluate } from "./evaluation.ts";
import { referencesIn, scopeAt } from "./late-values.ts";
import type { WaitingFor } from "./waiting.ts";

/** One configuration may not describe more; a slip such as a port for a count is caught. */
const instancesMax = 1_000_000;

/** What has instances: a resource, or a call of a module. */
type Expandable = Pick<Resource, "count" | "forEach" | "broken" | "instancing">;

export type Expanding = {
  /** The module instance in whose names it is written. */
  readonly at: ModuleScope;
  /** What is known of resources and data sources before anything is planned. */
  readonly known: ReferenceLookup;
  readonly report: Report;
  /** Values of `for_each` may come later, where their keys are known. */
  readonly lateValues?: boolean;
};

/** Undefined where they cannot be told, after a problem was reported. */
export function expandInstances(
  expandable: Expandable,
  { at, known, report: whole, lateValues }: Expanding,
): Instances | { readonly waiting: WaitingFor } | undefined {
  const { forEach, broken, instancing } = expandable;
  const { module } = at;
  const report = reportIn(module, whole);
  const written = writtenInstances(expandable);
  if (written === undefined) {
    return broken || instancing !== "single" ? undefined : { kind: "single" };
  }
  const name = forEach === undefined ? "count" : "for_each";
  const templates = templatesOf(written);
  checkTemplates(templates, {}, module, report);
  const waitingFor = (): WaitingFor => {
    return { setting: name, place: written.place, references: referencesIn(templates, at, {}) };
  };
  if (!broken && waitsBehind(written, module)) return { waiting: waitingFor() };
  const scope = scopeAt(at, { references: referencesOfValue(written), values: {} }, known, report);
  const evaluated = evaluate(written, "value", { scope, report, skipped: module.skipped });
  if (evaluated.problems || broken) return undefined;
  if (evaluated.sensitive.length > 0) {
    const detail = `${name} is sensitive, and what it holds is shown in addresses.`;
    report.add("CFG035", { detail, place: written.place });
    return undefined;
  }
  const { value } = evaluated;
  if (!isKnown(value)) {
    const members = lateValues === true && isPlannedMap(value) ? value : undefined;
    const late = members && lateMembers(written, evaluated, members);
    if (late === undefined) return { waiting: waitingFor() };
    return { ...mapInstances(new Map(Object.entries(members ?? {}))), late };
  }
  return forEach === undefined
    ? countInstances(value, written, report)
    : eachInstances(value, written, report);
}

/** Whether a value needs, directly or through late values, what waits. */
export function waitsBehind(written: ConfigValue, module: Module): boolean {
  return templatesBehind(templatesOf(written), module).some(({ template, module: at }) =>
    isWaitingFor([template], at),
  );
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
  return mapInstances(values);
}

function mapInstances(
  values: ReadonlyMap<string, PlannedValue>,
): Extract<Instances, { readonly kind: "map" }> {
  return { kind: "map", values, keys: new Set(values.keys()) };
}

/** How the values that are not known will be computed, by key. */
function lateMembers(
  written: ConfigValue,
  evaluated: Evaluated,
  members: PlannedAttributes,
): ReadonlyMap<string, DeferredValue> | undefined {
  const whole = deferredOf(written, evaluated, "map");
  if (whole === undefined) return undefined;
  const waiting = Object.entries(members).filter(([, member]) => !isKnown(member));
  return new Map(
    waiting.map(([key, member]) => [
      key,
      // Written as a map, each waits for no more than its own.
      written.kind === "map"
        ? deferStructure(member, leavesBelow(stepPath("value", key), evaluated), "any")
        : deferMember(whole, key),
    ]),
  );
}

/** What waits below a path, as if that were the value. */
function leavesBelow(path: string, { deferred }: Evaluated): Evaluated["deferred"] {
  const below = Object.entries(deferred).filter(([at]) => isWithin(at, path));
  return Object.fromEntries(below.map(([at, leaf]) => [`value${at.slice(path.length)}`, leaf]));
}
