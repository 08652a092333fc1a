/** The `checks` block: what should hold of what is managed, and is only warned of. */

import type { DesiredCheck } from "../../model/plan/desired.ts";
import { isKnown } from "../../model/value/value.ts";
import type { BlockEntry } from "../read/blocks.ts";
import { readEntryMap } from "../read/entry-map.ts";
import { conditionShape } from "../read/schemas.ts";
import { type ConfigValue, templatesOf } from "../read/value.ts";
import { createReport, type Place, positionOf, type Report } from "../report.ts";
import { type DataUses, throughData } from "./data-uses.ts";
import { deferredOf, evaluate } from "./evaluation.ts";
import { referencesIn, templatesFor } from "./links.ts";
import { instanceScope, type ModuleScope, scopeNeeds } from "./module-scope.ts";

export type Check = {
  readonly name: string;
  readonly condition: ConfigValue;
  readonly message: string;
  readonly place: Place;
};

export function readChecks(
  entries: ReadonlyMap<string, BlockEntry>,
  report: Report,
): readonly Check[] {
  return [...entries.values()].flatMap((entry) => {
    const { name, place } = entry;
    const members = readEntryMap(entry, `check ${name}`, conditionShape, report);
    const condition = members?.get("condition");
    const message = members?.get("message");
    const text = message?.kind === "constant" ? message.value : undefined;
    if (condition === undefined || typeof text !== "string") return [];
    return [{ name, condition, message: text, place }];
  });
}

export function desiredChecks(
  checks: readonly Check[],
  scope: ModuleScope,
  uses: ReadonlyMap<string, DataUses>,
): readonly DesiredCheck[] {
  return checks.map(({ name, condition, message, place }) => {
    const own = templatesOf(condition);
    const needs = scopeNeeds(own, scope.module);
    const templates = templatesFor(own, needs, scope.module);
    return {
      name,
      message,
      source: positionOf(place),
      references: throughData(referencesIn(templates, scope, needs, {}), uses),
      resolve: (lookup) => {
        const report = createReport();
        const options = {
          scope: instanceScope(scope, needs, {}, lookup, report),
          report,
          skipped: scope.module.skipped,
        };
        const evaluated = evaluate(condition, "condition", options);
        const [fault] = report.diagnostics();
        if (fault !== undefined) return { status: "faulty", why: fault.detail };
        if (isKnown(evaluated.value)) {
          return { status: evaluated.value === true ? "passed" : "failed" };
        }
        const deferred = deferredOf(condition, evaluated, "any");
        // What waits is kept in a saved plan, with the values that are known.
        if (deferred?.sensitive !== undefined && deferred.sensitive.length > 0) {
          const why =
            "it needs a sensitive value together with one that is known only after apply.";
          return { status: "faulty", why };
        }
        return { status: "unknown", ...(deferred === undefined ? {} : { deferred }) };
      },
    };
  });
}
