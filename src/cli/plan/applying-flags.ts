/** What can be given to `vmform apply` and `vmform destroy`. */

import type { Command, OptionValues } from "commander";
import {
  addApplyingAllow,
  addCommon,
  addDebug,
  addLockTimeout,
  addParallelism,
  addProgress,
  addSelection,
  addStateFrom,
  addVariables,
  addWindow,
  type FlagsOf,
} from "../options.ts";
import { addCompact } from "./plan-form.ts";

export type ApplyFlags = FlagsOf<typeof addApplying<[], {}>> & { readonly resume?: boolean };

/** What `apply` and `destroy` have; `resume` is of `apply` alone. */
export function addApplying<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  const planning = addStateFrom(
    addSelection(addDebug(addApplyingAllow(addVariables(addCommon(command))))),
  ).option("--allow-partial", "apply the rest although some resources are blocked");
  return addParallelism(addLockTimeout(addProgress(addWindow(addCompact(planning))))).option(
    "--auto-approve",
    "do not ask; disruptions still need --allow",
  );
}
