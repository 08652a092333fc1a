/** `--explain ADDRESS`, of `plan` and of `show PLAN`. */

import type { CommandEnvironment } from "../../commands/environment.ts";
import { explainedAddress } from "../../commands/plan/explain.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { parseAddress } from "../../model/value/address.ts";
import { explainData } from "../../render/plan/explain/data-explanation.ts";
import { type Explained, explainPlan } from "../../render/plan/explain/explanation.ts";

/** `desired` is absent of a saved plan. Throws `CommandError` for an address that is not there. */
export function explained(
  text: string,
  plan: Plan,
  { types, dataTypes }: Pick<CommandEnvironment, "types" | "dataTypes">,
  desired?: Desired,
): Explained {
  const address = explainedAddress(text, plan, desired);
  if (parseAddress(address)?.mode === "data") return explainData(plan, address, dataTypes, desired);
  // Read for destroying, a configuration has no instances, and says nothing of what is wanted.
  const configuration = plan.mode === "destroy" ? undefined : desired;
  const instance = configuration?.instances.find((one) => one.address === address);
  return explainPlan(plan, address, {
    types,
    configurationKnown: configuration !== undefined,
    ...(instance === undefined ? {} : { instance }),
  });
}
