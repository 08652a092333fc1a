/** Which object, or data source, of a plan `--explain` means. */

import type { Desired } from "../../model/plan/desired.ts";
import { movesIn } from "../../model/plan/moved.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { type Address, parseAddress } from "../../model/value/address.ts";
import { CommandError } from "../environment.ts";
import { nearAddressAdvice } from "../near-address.ts";
import { plannedAddress } from "../written-address.ts";

/**
 * Its address as the plan has it, also where it was written as before a move. Throws `CommandError`
 * for what is neither an object nor a data source, with what was perhaps meant. `desired` is absent
 * of a saved plan.
 */
export function explainedAddress(text: string, plan: Plan, desired?: Desired): Address {
  const written = plannedAddress(text);
  const address = movesIn(plan.notes).find(({ from }) => from === written)?.to ?? written;
  const known = [
    ...plan.changes.map((change) => change.address),
    ...plan.blocked,
    ...plan.data.map((one) => one.address),
    ...(desired?.instances ?? []).map((instance) => instance.address),
    ...(desired?.data ?? []).map((one) => one.address),
  ];
  if (known.includes(address)) return address;
  if (plan.mode === "destroy" && parseAddress(address)?.mode === "data") {
    throw new CommandError("A plan to destroy reads no data source.", undefined, "usage");
  }
  const where = desired === undefined ? "The plan has" : "The configuration and the plan have";
  const advice = nearAddressAdvice(address, known, "The plan shows what there is: vmform plan");
  throw new CommandError(`${where} nothing at ${text}.`, advice, "usage");
}
