/**
 * Claims on remote objects and pools: locks (shared or exclusive), window reservations and pool
 * units, taken all at once or not at all, so that no operation waits while holding something.
 */

import type {
  EntityKey,
  Operation,
  OperationId,
  PoolName,
  WindowId,
} from "../../model/operation/operation.ts";

type Held = { exclusive: string | undefined; readonly shared: Set<string> };

export type Claims = {
  /** Undefined when the claims were taken, else the key or pool that is in the way. */
  take(operation: Operation): string | undefined;
  /** Gives back what the operation held; returns the keys and pools that became free. */
  give(operation: Operation): readonly string[];
  /** Ends a window's reservation; returns the keys that became free. */
  endWindow(window: WindowId): readonly string[];
  /** Who or what keeps the operation from starting; undefined when nothing does. */
  hindrance(operation: Operation): Hindrance | undefined;
};

export type Hindrance =
  | { readonly kind: "operations"; readonly ids: readonly OperationId[] }
  | { readonly kind: "window"; readonly window: WindowId }
  | { readonly kind: "pool"; readonly pool: PoolName };

/** `windowKeys`: keys that the power words of a window lock; reserved while it is open. */
export function createClaims(
  windowKeys: ReadonlyMap<WindowId, readonly EntityKey[]>,
  poolLimits: { readonly [pool: PoolName]: number },
): Claims {
  const held = new Map<EntityKey, Held>();
  const reserved = new Map<EntityKey, WindowId>();
  const poolUse = new Map<PoolName, number>();

  const obstacle = (operation: Operation): string | undefined => {
    const { window: own, locks, pools } = operation.order;
    const keys = own?.role === "open" ? (windowKeys.get(own.id) ?? []) : [];
    for (const key of [...keys, ...locks.map((lock) => lock.key)]) {
      const window = reserved.get(key);
      if (window !== undefined && window !== own?.id) return key;
    }
    for (const key of keys) if (isHeld(held.get(key))) return key;
    for (const lock of locks) {
      const holder = held.get(lock.key);
      if (holder === undefined) continue;
      if (holder.exclusive !== undefined) return lock.key;
      if (lock.mode === "exclusive" && holder.shared.size > 0) return lock.key;
    }
    return pools.find((pool) => (poolUse.get(pool) ?? 0) >= (poolLimits[pool] ?? Infinity));
  };

  const take = (operation: Operation): string | undefined => {
    const inTheWay = obstacle(operation);
    if (inTheWay !== undefined) return inTheWay;
    const { window, locks, pools } = operation.order;
    if (window?.role === "open") {
      for (const key of windowKeys.get(window.id) ?? []) reserved.set(key, window.id);
    }
    for (const lock of locks) {
      const holder = held.get(lock.key) ?? { exclusive: undefined, shared: new Set<string>() };
      if (lock.mode === "exclusive") holder.exclusive = operation.id;
      else holder.shared.add(operation.id);
      held.set(lock.key, holder);
    }
    for (const pool of pools) poolUse.set(pool, (poolUse.get(pool) ?? 0) + 1);
    return undefined;
  };

  const give = (operation: Operation): readonly string[] => {
    const { locks, pools } = operation.order;
    for (const lock of locks) {
      const holder = held.get(lock.key);
      if (holder === undefined) continue;
      if (lock.mode === "exclusive") holder.exclusive = undefined;
      else holder.shared.delete(operation.id);
      if (!isHeld(holder)) held.delete(lock.key);
    }
    for (const pool of pools) poolUse.set(pool, (poolUse.get(pool) ?? 1) - 1);
    return [...locks.map((lock) => lock.key), ...pools];
  };

  const endWindow = (window: WindowId): readonly string[] => {
    const keys = (windowKeys.get(window) ?? []).filter((key) => reserved.get(key) === window);
    for (const key of keys) reserved.delete(key);
    return keys;
  };

  const hindrance = (operation: Operation): Hindrance | undefined => {
    const key = obstacle(operation);
    if (key === undefined) return undefined;
    const window = reserved.get(key);
    const isOwn = window === undefined || window === operation.order.window?.id;
    return isOwn ? heldBy(key, held.get(key)) : { kind: "window", window };
  };
  return { take, give, endWindow, hindrance };
}

/** A key that nobody holds is a pool without a unit left. */
function heldBy(key: string, holder: Held | undefined): Hindrance {
  if (!isHeld(holder)) return { kind: "pool", pool: key };
  const exclusive = holder?.exclusive === undefined ? [] : [holder.exclusive];
  return { kind: "operations", ids: [...exclusive, ...(holder?.shared ?? [])] };
}

function isHeld(holder: Held | undefined): boolean {
  return holder !== undefined && (holder.exclusive !== undefined || holder.shared.size > 0);
}
