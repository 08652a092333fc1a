/**
 * What content needs its container to be: the question "is what was set once still so?". Where no
 * read can tell (sharing of folders), it is set again before content is added, which does nothing
 * where it still is, and where recorded content is hidden because it is not.
 */

import { equalValues } from "../../model/value/value.ts";
import { containerKey } from "../keys.ts";
import { containerOf, creates, type Unit } from "../unit.ts";
import type { Drafting } from "./draft.ts";

/** After everything is classified: containers that change nothing else are updated for it. */
export function setAgain({ draft, fold }: Drafting): void {
  for (const unit of [...draft.units.values()]) {
    const { requires } = unit.type.container ?? {};
    const container = containerOf(unit, "planned");
    if (requires === undefined || container === undefined) continue;
    if (!creates(unit) && unit.prior?.unset !== true) continue;
    const holder = draft.byIdentity.get(containerKey(container));
    const current = holder === undefined ? undefined : draft.units.get(holder.address);
    if (current === undefined || !isSetBefore(current, requires)) continue;
    const reason = { kind: "set-again", attribute: requires.attribute, for: unit.address } as const;
    const updates = [...current.updates, requires.attribute];
    const again: Unit = {
      ...current,
      updates,
      ...(current.action === "no-op" ? { action: "update", reason } : {}),
    };
    fold({ address: current.address, unit: again });
  }
}

/** By an earlier run, of an object that goes on living, and not by this plan anyway. */
function isSetBefore(
  { action, updates, type, wanted, prior }: Unit,
  { attribute, equals }: { readonly attribute: string; readonly equals: string | boolean },
): boolean {
  if (action !== "no-op" && action !== "update") return false;
  if (updates.includes(attribute) || type.schema.attributes[attribute]?.unreadable !== true) {
    return false;
  }
  const applied = prior?.record.applied?.[attribute] ?? null;
  return equalValues(wanted[attribute] ?? null, equals) && equalValues(applied, equals);
}
