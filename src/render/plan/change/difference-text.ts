/** What differs from the configuration and stays so, and how much of all a plan has looked at. */

import { plural } from "../../../lib/text.ts";
import type { Plan, StandingDifference } from "../../../model/plan/plan.ts";
import { planHasChanges } from "../../../model/plan/plan-counts.ts";
import { type StyledLine, textLine } from "../../text/styled-line.ts";
import { inlineValue, keyText, sensitiveLiteral } from "../../text/value/value-text.ts";

const titles: { readonly [why in StandingDifference["why"]]: string } = {
  "not-in-place": "Differs from the configuration, not changed in place:",
  lookup: "Not what it is looked up as any more; the recorded object stays the one that is meant:",
};

/** A section for each reason. */
export function differenceSections(plan: Plan): readonly StyledLine[][] {
  return (["not-in-place", "lookup"] as const).flatMap((why) => {
    const lines = plan.differences.flatMap(({ address, attributes }) =>
      attributes
        .filter((item) => item.why === why)
        .map((item) => textLine(`  ${address}: ${differenceText(item)}`, undefined, 6)),
    );
    return lines.length === 0 ? [] : [[textLine(titles[why], "warning", 2), ...lines]];
  });
}

function differenceText({ attribute, wanted, observed, sensitive }: StandingDifference): string {
  const name = keyText(attribute);
  if (sensitive) return `${name}: ${sensitiveLiteral}`;
  return `${name}: configuration ${inlineValue(wanted)}, observed ${inlineValue(observed)}`;
}

/** Said where changes are shown; a plan without any says it in its last line. */
export function scopeSection(plan: Plan): StyledLine[] {
  const { selected, objects } = plan.scope;
  if (!plan.partial || !planHasChanges(plan)) return [];
  const text = `Only ${selected} of ${plural(objects, "object")} looked at (--target, --exclude).`;
  return [textLine(text, "warning", 2)];
}
