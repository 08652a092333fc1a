/**
 * Objects that a renamed resource still means: the question "what must not end while the new
 * address is blocked?". Without a `moved` entry the old address looks as if it had left for good.
 */

import type { DesiredInstance } from "../model/desired.ts";
import type { RecordedObject } from "../model/recorded.ts";
import { withDefaults } from "./compare.ts";
import { block, type Draft, holderKey } from "./draft.ts";
import { renameProblem } from "./missing-moved.ts";
import type { Prior } from "./prior.ts";

/**
 * Blocks the left address whose object an instance wants that is blocked or not selected, as far as
 * its key is known.
 */
export function keepHolder(draft: Draft, instance: DesiredInstance): void {
  if (draft.priors.has(instance.address) || !draft.input.rules.renamedKey) return;
  const identity = wantedIdentity(draft, instance);
  if (identity === undefined) return;
  const { provider, type } = instance;
  const holder = draft.holders.get(holderKey({ provider, type, identity }));
  if (holder === undefined || !hasLeft(draft, holder)) return;
  if (draft.blocked.has(instance.address)) return block(draft, holder.address);
  if (!draft.selection.has(holder.address)) return;
  const { address } = holder;
  block(draft, address, renameProblem(instance, identity, address, draft.inUse));
}

/** Whether it, or the container that it lives in, is kept for a renamed resource. */
export function isKept(draft: Draft, { record }: Prior): boolean {
  if (record.objectKey !== "current") return false;
  if (draft.blocked.has(record.address)) return true;
  const { container, provider } = record;
  if (container === undefined) return false;
  const holder = draft.holders.get(holderKey({ ...container, provider }));
  return holder !== undefined && hasLeft(draft, holder) && draft.blocked.has(holder.address);
}

/** Problems of the instance are told where it is classified; here only its key is of interest. */
function wantedIdentity(draft: Draft, instance: DesiredInstance): string | undefined {
  const type = draft.input.types[instance.type];
  if (type?.ownership === "attached") {
    const lookup = draft.input.lookups.get(instance.address);
    return lookup?.status === "found" ? lookup.identity : undefined;
  }
  const { attributes } = instance.resolve((other) => draft.planned.get(other));
  return type?.identityOf(withDefaults(type.schema, attributes));
}

function hasLeft(draft: Draft, { address, objectKey }: RecordedObject): boolean {
  return objectKey === "current" && !draft.desired.has(address);
}
