/** The `checks` block: what should hold of what is managed, and is only warned of. */

import type { DesiredCheck } from "../../model/plan/desired.ts";
import { type Condition, conditionOf, templatesOfCondition } from "../blocks/condition.ts";
import type { BlockEntry } from "../read/blocks.ts";
import { readEntryMap } from "../read/entry-map.ts";
import { conditionShape } from "../read/schemas.ts";
import { positionOf, type Report } from "../report.ts";
import { judge } from "./condition.ts";
import { type DataUses, throughData } from "./data-uses.ts";
import { referencesIn, templatesFor } from "./links.ts";
import { instanceScope, type ModuleScope, scopeNeeds } from "./module-scope.ts";

export type Check = Condition & { readonly name: string };

export function readChecks(
  entries: ReadonlyMap<string, BlockEntry>,
  report: Report,
): readonly Check[] {
  return [...entries.values()].flatMap((entry) => {
    const { name, place } = entry;
    const found = conditionOf(readEntryMap(entry, `check ${name}`, conditionShape, report));
    return found === undefined ? [] : [{ ...found, name, place }];
  });
}

export function desiredChecks(
  checks: readonly Check[],
  scope: ModuleScope,
  uses: ReadonlyMap<string, DataUses>,
): readonly DesiredCheck[] {
  return checks.map((check) => {
    const own = templatesOfCondition(check);
    const needs = scopeNeeds(own, scope.module);
    const templates = templatesFor(own, needs, scope.module);
    return {
      name: check.name,
      source: positionOf(check.place),
      references: throughData(referencesIn(templates, scope, needs, {}), uses),
      resolve: (lookup) =>
        judge(check, {
          scope: (problems) => instanceScope(scope, needs, {}, lookup, problems),
          skipped: scope.module.skipped,
        }),
    };
  });
}
