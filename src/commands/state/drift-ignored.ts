/** What is told of rules that ignore drift: which have expired, and which ignore nothing. */

import { ruleUse } from "../../drift/ignore.ts";
import type { DriftReport, IgnoreRule } from "../../model/plan/drift-report.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { warning } from "../codes.ts";

/** None of a part of a report: what was left out may have what a rule ignores. */
export function ignoreRemarks(
  rules: readonly IgnoreRule[],
  report: DriftReport,
): readonly Diagnostic[] {
  return rules.flatMap((rule) => {
    const { source, until, owner, reason } = rule;
    if (report.createdMs >= rule.endMs) {
      const detail = `${ruleText(rule)} was ignored until ${until} (${owner}: ${reason}).`;
      return [warning({ source }, "CLI032", { detail })];
    }
    const use = report.partial ? "used" : ruleUse(rule, report);
    if (use === "used") return [];
    const why = use === "nothing" ? "is not recorded" : "does not differ";
    const detail = `${ruleText(rule)} ${why}, and is ignored until ${until} (${owner}: ${reason}).`;
    return [warning({ source }, "CLI033", { detail })];
  });
}

function ruleText({ selector, attribute }: IgnoreRule): string {
  return attribute === undefined ? selector : `${attribute} of ${selector}`;
}
