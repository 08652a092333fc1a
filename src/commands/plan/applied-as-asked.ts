/** Whether an apply did all that it was asked for. */

import type { WindowChoice } from "../../engine/run/windows.ts";
import { keptOf } from "../../model/plan/plan-counts.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import type { ApplyResult } from "./apply.ts";

export function appliedAsAsked(result: ApplyResult, window: WindowChoice | undefined): boolean {
  if (result.kind !== "applied" || result.denied) return false;
  // A partial apply leaves blocked resources behind.
  const whole = !hasErrors(result.plan.diagnostics) && keptOf(result.plan).length === 0;
  // To leave what has its time is what was asked for; whatever else was left comes after it.
  const { succeeded, pending, failed } = result.applied;
  const asAsked = window === "skip" && pending.length > 0 && failed.length === 0;
  return (succeeded || asAsked) && whole;
}
