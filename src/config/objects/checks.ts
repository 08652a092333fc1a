/** The `checks` of all modules: what should hold of what is managed, and is only warned of. */

import type { DesiredCheck } from "../../model/plan/desired.ts";
import { moduleText } from "../../model/value/address.ts";
import type { Check } from "../blocks/check.ts";
import { templatesOfCondition } from "../blocks/condition.ts";
import { isWaitingFor } from "../modules/module.ts";
import { type ModuleScope, scopesIn } from "../modules/module-scope.ts";
import { positionOf } from "../report.ts";
import { judge } from "../values/condition.ts";
import { expressionsOf, referencesIn, scopeAt } from "../values/late-values.ts";
import { type DataUses, throughData, usesIn } from "./data-uses.ts";

export function desiredChecks(
  root: ModuleScope,
  uses: ReadonlyMap<string, DataUses>,
): readonly DesiredCheck[] {
  return scopesIn(root).flatMap((scope) =>
    scope.module.checks
      .filter((check) => !isWaitingFor(templatesOfCondition(check), scope.module))
      .map((check) => desiredCheck(check, scope, uses)),
  );
}

function desiredCheck(
  check: Check,
  scope: ModuleScope,
  uses: ReadonlyMap<string, DataUses>,
): DesiredCheck {
  const path = moduleText(scope.path);
  const templates = templatesOfCondition(check);
  return {
    name: path === "" ? check.name : `${path}.${check.name}`,
    source: positionOf(check.place),
    references: throughData(referencesIn(templates, scope, {}), uses),
    dataUses: () => usesIn(templates, { scope }, { by: "condition", at: check.place }),
    resolve: (lookup) =>
      judge(check, {
        scope: (problems) => scopeAt(scope, expressionsOf(templates), lookup, problems),
        skipped: scope.module.skipped,
      }),
  };
}
