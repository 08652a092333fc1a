/**
 * Space that changes take on one datastore and leave on another. A provider tells it among the
 * facts of a change, as `space.move`; nothing but words depends on it.
 */

import type { Address } from "../value/address.ts";
import { isMap, memberOf, type Value, type ValueMap } from "../value/value.ts";
import type { Plan } from "./plan.ts";

/** Megabytes; what disks may take at most. */
export type SpaceMove = {
  readonly to: string;
  readonly toFreeMb: number;
  /** Absent where it is not known, or not told. */
  readonly from?: string;
  readonly fromFreeMb?: number;
  readonly ownMb: number;
};

/** As it stands in facts. */
export function moveFact({ to, toFreeMb, from, fromFreeMb, ownMb }: SpaceMove): ValueMap {
  return {
    to,
    to_free_mb: toFreeMb,
    ...(from === undefined ? {} : { from }),
    ...(fromFreeMb === undefined ? {} : { from_free_mb: fromFreeMb }),
    own_mb: ownMb,
  };
}

export type PlannedMove = SpaceMove & { readonly address: Address; readonly provider: string };

/** Of all changes of a plan; facts that are not as they should be count as absent. */
export function movesOfSpace(plan: Pick<Plan, "facts" | "changes">): readonly PlannedMove[] {
  const providers = new Map(plan.changes.map(({ address, provider }) => [address, provider]));
  return plan.facts.flatMap(({ address, facts }): readonly PlannedMove[] => {
    const provider = providers.get(address);
    const move = moveIn(facts["space"]);
    return provider === undefined || move === undefined ? [] : [{ ...move, address, provider }];
  });
}

function moveIn(space: Value | undefined): SpaceMove | undefined {
  const move = memberIn(space, "move");
  const [to, from] = [memberIn(move, "to"), memberIn(move, "from")];
  const [toFreeMb, fromFreeMb, ownMb] = ["to_free_mb", "from_free_mb", "own_mb"].map((name) =>
    memberIn(move, name),
  );
  if (typeof to !== "string" || typeof toFreeMb !== "number" || typeof ownMb !== "number") {
    return undefined;
  }
  return {
    to,
    toFreeMb,
    ownMb,
    ...(typeof from === "string" ? { from } : {}),
    ...(typeof fromFreeMb === "number" ? { fromFreeMb } : {}),
  };
}

function memberIn(value: Value | undefined, name: string): Value | undefined {
  return value !== undefined && isMap(value) ? memberOf(value, name) : undefined;
}
