/** What power a VM has and shall have: the question "which power words may be needed?". */

import { isPowerState, type PowerState } from "../../model/operation/power.ts";
import type { ChangeAction } from "../../model/plan/change.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import type { Address } from "../../model/value/address.ts";
import type { PlannedAttributes } from "../../model/value/value.ts";
import type { Prior } from "../before/prior.ts";
import type { PowerGoal } from "../unit.ts";
import type { Draft } from "./draft.ts";

export type PowerQuestion = {
  readonly draft: Draft;
  readonly address: Address;
  readonly type: ResourceType;
  readonly wanted: PlannedAttributes;
  readonly action: ChangeAction;
  readonly prior: Prior | undefined;
};

/**
 * Unset power means "as it is": an open restore first, then, for a VM that is made again, the power
 * recorded last. Undefined for types without power.
 */
export function powerGoal(question: PowerQuestion): PowerGoal | undefined {
  const { draft, address, type, action, prior } = question;
  const model = type.power;
  if (model === undefined) return undefined;
  const openRestore = draft.restores.get(address);
  const observed = prior?.attributes[model.observed];
  const last = isPowerState(observed) ? observed : undefined;
  const wanted = question.wanted[model.wanted];
  const fresh = action === "create" || action === "replace";
  const inherited = fresh && draft.input.rules.inheritPower ? last : undefined;
  const unset: PowerState = openRestore ?? inherited ?? (fresh ? model.initial : (last ?? "off"));
  const readable = prior?.failedAttributes.includes(model.observed) !== true;
  return {
    from: action === "create" || !readable ? undefined : last,
    to: isPowerState(wanted) ? wanted : unset,
    openRestore,
    remember: last,
  };
}
