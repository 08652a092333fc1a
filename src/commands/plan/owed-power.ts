/**
 * Power that an interrupted run still owes, beside what policies deny. A denied plan is applied in
 * nothing; but a VM that is off for the sake of work begun earlier does not stay off because
 * somebody forbids something else. Its own work is then planned, shown and applied alone.
 */

import type { Plan } from "../../model/plan/plan.ts";
import type { OpenRestore } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import type { Address } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { isRestoring, takenVms } from "../../plan/policies/groups.ts";
import { warning } from "../codes.ts";
import { errorsOf } from "./plan.ts";

const deniedCode = "PLN060";

/**
 * VMs to which a plan that policies deny, and nothing else stops, would give back their power. What
 * is denied itself is none of them.
 */
export function owedBesideDenied(
  plan: Plan,
  restores: readonly OpenRestore[],
  types: SchemaRegistry,
): readonly Address[] {
  const errors = errorsOf(plan);
  if (errors.length === 0 || !errors.every(({ code }) => code === deniedCode)) return [];
  const owed = takenVms(plan, restores, types);
  const giving = plan.operations.filter((operation) => isRestoring(operation, owed));
  const denied = new Set(
    (plan.policies?.findings ?? []).flatMap(({ level, verdict, address }) =>
      level === "deny" && verdict === "violated" ? (address ?? []) : [],
    ),
  );
  const addresses = new Set(giving.map(({ subject }) => subject.address));
  return [...addresses].filter((address) => !denied.has(address));
}

/** Said before the plan of that alone is shown. */
export function owedAloneTold(addresses: readonly Address[]): Diagnostic {
  const [only] = addresses;
  const at = addresses.length === 1 && only !== undefined ? { address: only } : nowhere;
  return warning(at, "CLI029", {
    detail:
      "Policies deny the plan above, so nothing of it is done. What an interrupted run has begun " +
      `with ${addressesText(addresses)} is ended alone, since power is owed.`,
  });
}
