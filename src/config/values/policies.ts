/** Judges a subject by a policy: what its expressions and windows give at a time. Pure. */

import { evaluateTemplate } from "../../expressions/evaluate/evaluate.ts";
import { noResources, type Scope } from "../../expressions/evaluate/scope.ts";
import { isOpen } from "../../lib/time/time-window.ts";
import { zonedClockText, zonedDateText, zonedTime } from "../../lib/time/zoned-time.ts";
import type { DesiredPolicy, PolicyResult, PolicySubject } from "../../model/plan/policy.ts";
import { isUnknown, type PlannedAttributes } from "../../model/value/value.ts";
import type { Policy } from "../blocks/policies.ts";
import type { ConfigValue } from "../read/value.ts";
import { positionOf } from "../report.ts";

export function desiredPolicies(policies: readonly Policy[]): readonly DesiredPolicy[] {
  return policies.map((policy) => {
    const { name, level, over, message, place, zone, window } = policy;
    return {
      ...{ name, level, over, message, source: positionOf(place) },
      ...(zone === undefined ? {} : { zone }),
      ...(window === undefined ? {} : { windowed: true }),
      judge: (subject, nowMs) => judge(policy, subject, nowMs),
    };
  });
}

/** In a policy that no time decides, there is no `time` that anything names. */
function judge(policy: Policy, subject: PolicySubject, nowMs: number): PolicyResult {
  const time = policy.zone === undefined ? undefined : zonedTime(nowMs, policy.zone);
  const scope = scopeOf(subject, time && { ...time, ...textsOf(time), zone: policy.zone ?? "" });
  const concerned = holds(policy.when, scope);
  if (concerned.status === "violated") return { status: "irrelevant" };
  if (concerned.status !== "held") return concerned;
  if (policy.window === undefined || time === undefined) return holds(policy.condition, scope);
  return { status: isOpen(policy.window, time) ? "held" : "violated" };
}

function textsOf(time: ReturnType<typeof zonedTime>): PlannedAttributes {
  return { date: zonedDateText(time), clock: zonedClockText(time) };
}

/** What is not given holds. */
function holds(value: ConfigValue | undefined, scope: Scope): PolicyResult {
  if (value === undefined) return { status: "held" };
  if (value.kind === "constant") return { status: value.value === true ? "held" : "violated" };
  if (value.kind !== "template") throw new Error("a condition is true, false or an expression");
  const evaluated = evaluateTemplate(value.template, scope, "boolean");
  const [problem] = evaluated.problems;
  if (problem !== undefined) {
    const way = problem.fix === undefined ? "" : ` ${problem.fix}`;
    return { status: "faulty", why: `${problem.message}${way}` };
  }
  if (isUnknown(evaluated.value)) return { status: "unknown" };
  return { status: evaluated.value === true ? "held" : "violated" };
}

function scopeOf(
  { values, sensitive, doubles }: PolicySubject,
  time: PlannedAttributes | undefined,
): Scope {
  return {
    values: time === undefined ? values : { ...values, time },
    resources: noResources,
    sensitive: new Set(sensitive),
    doubles: new Set(doubles),
    pending: {},
  };
}
