/** Consent: which disruptions a plan holds, and the brake on objects that vanish at once. */

import type { Operation } from "../model/operation/operation.ts";
import type { ConsentNeed } from "../model/plan/plan.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { nowhere } from "../model/said/problem.ts";
import type { EndpointChange } from "./before/endpoints.ts";
import type { Prior } from "./before/prior.ts";
import { problem } from "./codes.ts";
import type { PlanInput } from "./input.ts";
import { creates, type Unit } from "./unit.ts";

/** Every disruption of every object, once, in order. */
export function consentNeeds(
  operations: readonly Operation[],
  units: readonly Unit[],
  changes: readonly EndpointChange[] = [],
): readonly ConsentNeed[] {
  const seen = new Set<string>();
  const needs: ConsentNeed[] = [
    ...changes.flatMap(({ addresses }) =>
      addresses.map((address): ConsentNeed => ({ address, disruption: "endpoint" })),
    ),
    ...units.flatMap((unit): readonly ConsentNeed[] =>
      takesAnother(unit) ? [{ address: unit.address, disruption: "readopt" }] : [],
    ),
  ];
  for (const {
    subject: { address },
    disrupts,
  } of operations) {
    for (const disruption of disrupts) {
      const key = `${address} ${disruption}`;
      if (seen.has(key)) continue;
      seen.add(key);
      needs.push({ address, disruption });
    }
  }
  return needs;
}

/** Another object takes the place of the recorded one, or what is made in it does. */
function takesAnother(unit: Unit): boolean {
  return unit.reason.kind === "readopted" || (creates(unit) && unit.prior?.another === true);
}

/** More than this many, and more than half of a provider's objects, is no ordinary clean-up. */
const vanishedMax = 3;

export function vanishBrake(
  input: Pick<PlanInput, "allowed"> & Partial<Pick<PlanInput, "types" | "desired">>,
  priors: readonly Prior[],
): readonly Diagnostic[] {
  if (input.allowed.includes("vanished")) return [];
  const wanted = new Set(input.desired?.instances.map(({ address }) => address));
  const counts = new Map<string, { total: number; missing: number; attached: boolean }>();
  for (const { record, existence } of priors) {
    if (record.status === "tentative" || record.container !== undefined) continue;
    const count = counts.get(record.provider) ?? {
      total: 0,
      missing: 0,
      attached: false,
    };
    count.total += 1;
    if (existence === "missing") {
      count.missing += 1;
      const isAttached = input.types?.[record.type]?.ownership === "attached";
      count.attached ||= isAttached && wanted.has(record.address);
    }
    counts.set(record.provider, count);
  }
  return [...counts].flatMap(([provider, { total, missing, attached }]) => {
    if (missing <= vanishedMax || missing * 2 <= total) return [];
    return [vanished(provider, { total, missing, attached })];
  });
}

/** `attached`: some are wanted that are never made, so that consent alone leads nowhere. */
function vanished(
  provider: string,
  { total, missing, attached }: { total: number; missing: number; attached: boolean },
): Diagnostic {
  const first = attached ? ", take those that are adopted out of the configuration, then" : "";
  return problem(nowhere, "PLN013", {
    detail:
      `${missing} of ${total} objects recorded for provider ${provider} do not exist there. ` +
      "More likely the endpoint or the account is not the right one.",
    fix:
      "Check the provider's url and user. " +
      `If they are really gone${first}: vmform apply --allow vanished`,
  });
}
