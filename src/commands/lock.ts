/** Taking the lock of recorded state, saying who is waited for meanwhile, and giving it back. */

import { loadBeforeChanges } from "../lib/before-changes.ts";
import type { LockInfo } from "../lib/lock/lock-info.ts";
import { clockText } from "../lib/time/clock-text.ts";
import { whileWaiting } from "../model/operation/wait.ts";
import type { Fence, Store } from "../model/recorded/store.ts";
import type { CommandStore, WorkspaceEnvironment } from "./environment.ts";

export type Lock = {
  /** What holds it, for whoever waits. */
  readonly operation: string;
  readonly timeoutMs: number;
};

/** Throws `StoreError` when it is still taken then, and `InterruptedError`. */
export async function takeLock(
  { clock, events, interrupts }: Pick<WorkspaceEnvironment, "clock" | "events" | "interrupts">,
  store: CommandStore,
  { operation, timeoutMs }: Lock,
): Promise<Fence> {
  loadBeforeChanges();
  const holder = timeoutMs === 0 ? undefined : await store.holder();
  const lock = (): Promise<Fence> => store.lock(operation, timeoutMs);
  if (holder === undefined) return interrupts.untilInterrupted(lock);
  const nowMs = clock.now();
  const what = `waiting for the lock on recorded state, ${holderText(holder, nowMs)}`;
  const wayOut = "Ctrl-C is safe";
  const untilMs = nowMs + timeoutMs;
  const wait = { rank: "work", what, untilMs, wayOut, announced: true } as const;
  return interrupts.untilInterrupted(() => whileWaiting(events, wait, lock));
}

/** Gives the lock back afterwards; what went wrong in the work counts more than in that. */
export async function underFence<T>(
  store: Pick<Store, "unlock">,
  fence: Fence,
  work: () => Promise<T>,
): Promise<T> {
  let value: T;
  try {
    value = await work();
  } catch (error) {
    await store.unlock(fence).catch(() => undefined);
    throw error;
  }
  await store.unlock(fence);
  return value;
}

function holderText({ who, host, pid, operation, createdMs }: LockInfo, nowMs: number): string {
  if (createdMs === 0) return "of which nothing says who holds it";
  const since = clockText(createdMs, nowMs);
  return `held by ${operation} of ${who} on ${host} (process ${pid}) since ${since}`;
}
