/** Which object of a plan `--explain` means. */

import type { Desired } from "../../model/plan/desired.ts";
import { movesIn } from "../../model/plan/moved.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Address } from "../../model/value/address.ts";
import { CommandError } from "../environment.ts";
import { nearAddressAdvice } from "../near-address.ts";
import { managedAddress } from "../written-address.ts";

/**
 * Its address as the plan has it, also where it was written as before a move. Throws `CommandError`
 * for what is no object, with what was perhaps meant. `desired` is absent of a saved plan.
 */
export function explainedAddress(text: string, plan: Plan, desired?: Desired): Address {
  const written = managedAddress(text);
  const address = movesIn(plan.notes).find(({ from }) => from === written)?.to ?? written;
  const known = [
    ...plan.changes.map((change) => change.address),
    ...plan.blocked,
    ...(desired?.instances ?? []).map((instance) => instance.address),
  ];
  if (known.includes(address)) return address;
  const where = desired === undefined ? "The plan has" : "The configuration and the plan have";
  const advice = nearAddressAdvice(address, known, "The plan shows what there is: vmform plan");
  throw new CommandError(`${where} nothing at ${text}.`, advice, "usage");
}
