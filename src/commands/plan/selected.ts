/**
 * The check that what `--target` and its like name is there: a misspelt one would select nothing.
 */

import { resourceOf } from "../../model/address.ts";
import type { Desired } from "../../model/desired.ts";
import type { RecordedState } from "../../model/recorded.ts";
import { matches } from "../../plan/before/selection.ts";
import type { PlanSelection } from "../../plan/input.ts";
import { CommandError } from "../environment.ts";

/** Throws `CommandError` for an address that neither the configuration nor recorded state has. */
export function requireSelected(
  { targets, excludes, replace }: PlanSelection,
  desired: Desired,
  state: RecordedState,
): void {
  const known = [...desired.instances, ...state.objects, ...desired.moved.map(fromOf)];
  // Read for destroying, a configuration has no instances; what is gone already is no slip.
  const declared = desired.keeping?.declared ?? [];
  const unknown = [...targets, ...excludes, ...replace].filter(
    (wanted) =>
      !declared.includes(resourceOf(wanted)) &&
      !known.some(({ address }) => matches(address, [wanted])),
  );
  if (unknown.length === 0) return;
  throw new CommandError(
    `Neither the configuration nor recorded state has ${unknown.join(", ")}.`,
    "List what is recorded with: vmform state list",
    "usage",
  );
}

function fromOf({ from }: Desired["moved"][number]): { readonly address: typeof from } {
  return { address: from };
}
