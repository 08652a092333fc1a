/** The last line of a plan without changes claims no more than was looked at. */

import { expect, test } from "vitest";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { planSummaryText } from "../../../../src/render/plan/plan-summary.ts";
import { buildPlan } from "../../../helpers/plan-builder.ts";
import { address } from "../../../helpers/recorded-builder.ts";

const unread = { notChecked: [{ address: address("daemon_vm.web"), reason: "not told" }] };
const some = { partial: true, scope: { selected: 1, objects: 3 } };

test.each<[string, Partial<Plan>]>([
  ["No changes. What was observed matches the configuration.", {}],
  ["No changes. Everything that could be checked matches the configuration.", unread],
  ["No changes for the 1 of 3 objects looked at.", { ...unread, ...some }],
  ["No changes. What was observed is what is recorded.", { mode: "refresh" }],
  [
    "No changes. Everything that could be checked is what is recorded.",
    { mode: "refresh", ...unread },
  ],
  ["No changes for the 1 of 3 objects looked at.", { mode: "refresh", ...some }],
])("%s", (text, parts) => {
  expect(planSummaryText(buildPlan(parts))).toBe(text);
});
