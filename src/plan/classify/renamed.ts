/**
 * Objects that wanted addresses mean although other addresses hold them: the question "what must
 * not end, nor be made anew, before the configuration says what moved?". Without a `moved` entry
 * the old address looks as if it had left for good, or had changed its mind.
 */

import type { DesiredInstance } from "../../model/plan/desired.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { Address, Move } from "../../model/value/address.ts";
import { isAwaited, type Prior } from "../before/prior.ts";
import { withDefaults } from "../compare.ts";
import { holderKey } from "../keys.ts";
import type { Draft } from "./draft.ts";

/** The key of an instance that is not classified, blocked or not selected; if not known before. */
export function wantedKeyOf(draft: Draft, instance: DesiredInstance): string | undefined {
  if (draft.wantedKeys.has(instance.address)) return undefined;
  const type = draft.input.types[instance.type];
  if (type === undefined || type.ownership === "attached") return undefined;
  const { attributes } = instance.resolve((other) => draft.planned.get(other));
  const identity = type.identityOf(withDefaults(type.schema, attributes));
  if (identity === undefined) return undefined;
  return holderKey({ provider: instance.provider, type: type.name, identity });
}

/** From the address that holds what another one wants to that one, unless it wants it itself. */
export function displacedObjects(draft: Draft): readonly Move[] {
  const { input, holders, wantedKeys, adoptions } = draft;
  if (!input.rules.renamedKey || input.mode !== "apply") return [];
  const moves: Move[] = [...adoptions.displaced];
  for (const [to, key] of wantedKeys) {
    const holder = holders.get(key);
    if (holder === undefined || holder.address === to || holder.objectKey !== "current") continue;
    if (wantedKeys.get(holder.address) === key || isOver(draft, holder)) continue;
    moves.push({ from: holder.address, to });
  }
  const { withheld } = input;
  return moves.filter(({ from, to }) => !withheld.has(from) || !withheld.has(to));
}

/** A create that was never seen, and can no longer appear: its key is free. */
function isOver(draft: Draft, { address, status }: RecordedObject): boolean {
  const prior = draft.priors.get(address);
  if (status !== "tentative" || prior === undefined) return false;
  return prior.existence === "missing" && !isAwaited(prior, draft.input.nowMs);
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

function hasLeft(draft: Draft, { address, objectKey }: RecordedObject): boolean {
  const left: ReadonlySet<Address> = draft.desired;
  return objectKey === "current" && !left.has(address);
}
