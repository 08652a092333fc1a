/**
 * Claims on remote objects and pools: locks (shared or exclusive), window reservations and pool
 * units, taken all at once or not at all, so that no operation waits while holding something.
 */

import type {
  EntityKey,
  Operation,
  OperationId,
  OperationLock,
  PoolName,
  WindowId,
} from "../../model/operation/operation.ts";
import type { SlotBook } from "./endpoint-slots.ts";

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
  | { readonly kind: "pool"; readonly pool: PoolName }
  | { readonly kind: "endpoints"; readonly endpoints: readonly string[] };

/** `windowKeys`: keys that the power words of a window lock; reserved while it is open. */
export function createClaims(
  windowKeys: ReadonlyMap<WindowId, readonly EntityKey[]>,
  poolLimits: { readonly [pool: PoolName]: number },
  slots: SlotBook,
): Claims {
  const held = new Map<EntityKey, Held>();
  const reserved = new Map<EntityKey, WindowId>();
  const poolUse = new Map<PoolName, number>();

  // Slots last, so that none is asked for that could not be used.
  const obstacle = (operation: Operation): string | undefined => {
    const { window: own, locks, pools } = operation.order;
    const keys = own?.role === "open" ? (windowKeys.get(own.id) ?? []) : [];
    for (const key of [...keys, ...locks.map((lock) => lock.key)]) {
      if ((reserved.get(key) ?? own?.id) !== own?.id) return key;
    }
    for (const key of keys) if (isHeld(held.get(key))) return key;
    const taken = locks.find((lock) => isAgainst(held.get(lock.key), lock));
    if (taken !== undefined) return taken.key;
    const full = pools.find((pool) => (poolUse.get(pool) ?? 0) >= (poolLimits[pool] ?? Infinity));
    return full ?? slots.obstacle(operation);
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
    slots.take(operation);
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
    return [...locks.map((lock) => lock.key), ...pools, ...slots.give(operation)];
  };

  const endWindow = (window: WindowId): readonly string[] => {
    const keys = (windowKeys.get(window) ?? []).filter((key) => reserved.get(key) === window);
    for (const key of keys) reserved.delete(key);
    return keys;
  };

  const hindrance = (operation: Operation): Hindrance | undefined => {
    const key = obstacle(operation);
    if (key === undefined) return undefined;
    const window = reserved.get(key) ?? operation.order.window?.id;
    if (window !== operation.order.window?.id && window) return { kind: "window", window };
    const endpoints = slots.endpointsOf(key);
    return endpoints ? { kind: "endpoints", endpoints } : heldBy(key, held.get(key));
  };
  return { take, give, endWindow, hindrance };
}

/** A key that nobody holds is a pool without a unit left. */
function heldBy(key: string, holder: Held | undefined): Hindrance {
  if (!isHeld(holder)) return { kind: "pool", pool: key };
  const exclusive = holder?.exclusive === undefined ? [] : [holder.exclusive];
  return { kind: "operations", ids: [...exclusive, ...(holder?.shared ?? [])] };
}

function isAgainst(holder: Held | undefined, { mode }: OperationLock): boolean {
  if (holder === undefined) return false;
  return holder.exclusive !== undefined || (mode === "exclusive" && holder.shared.size > 0);
}

function isHeld(holder: Held | undefined): boolean {
  return holder !== undefined && (holder.exclusive !== undefined || holder.shared.size > 0);
}
