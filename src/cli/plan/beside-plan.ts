/** Options that choose what is planned would be ignored beside a plan that is made already. */

import { CommandError } from "../../commands/environment.ts";
import type { PlanningOptions } from "../options.ts";

type Chosen = Pick<
  PlanningOptions,
  "var" | "varFile" | "target" | "exclude" | "replace" | "refreshOnly"
> & { readonly destroy?: boolean };

/** `done`: what becomes of the plan, such as `applied`. Throws `CommandError`. */
export function refuseBesidePlan(flags: Chosen, done: string): void {
  const { target, exclude, replace, refreshOnly, varFile, destroy } = flags;
  const given = Object.entries({
    "--var": flags.var,
    "--var-file": varFile,
    "--target": target,
    "--exclude": exclude,
    "--replace": replace,
    "--refresh-only": refreshOnly,
    "--destroy": destroy,
  }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length === 0) return;
  throw new CommandError(
    `A saved plan is ${done} as it is: ${given.join(" and ")} cannot be given with it.`,
    "Make a new plan with these options, or leave them out.",
    "usage",
  );
}
