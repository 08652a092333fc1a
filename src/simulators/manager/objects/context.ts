/** What every reader of the manager's objects must know. */

import type { ManagerState } from "../world/manager-state.ts";
import type { ManagerSession } from "../world/session-record.ts";

export type ManagerContext = {
  readonly state: ManagerState;
  /** Simulated time, milliseconds; the server's own clock may differ. */
  readonly nowMs: number;
  readonly session: ManagerSession | undefined;
  /** That the client speaks. */
  readonly version: string;
};

/** A moment as the server's clock tells it, in UTC. */
export function timestamp({ state }: Pick<ManagerContext, "state">, ms: number): string {
  return new Date(ms + state.rules.clock_skew_ms).toISOString().replace(/Z$/, "000Z");
}

/** The opposite, for times that clients send. */
export function momentOf({ state }: Pick<ManagerContext, "state">, text: string): number {
  return Date.parse(text) - state.rules.clock_skew_ms;
}
