/** Changes behind the client's back: what other people do to the appliance. */

import type { Cursor } from "../decode.ts";
import { readChoice, readCount, readMembers } from "../decode.ts";
import type { ApplianceState, HealthColour } from "./appliance-state.ts";
import { beginResize, healthColours, runningResize, settleAppliance } from "./appliance-state.ts";

/** As written in fault scripts and sent to the control surface. */
export type ApplianceChangeDocument =
  | { readonly change_appliance: { readonly health: HealthColour } }
  /** Somebody else's resize, without effect, while which no other one begins. */
  | { readonly start_appliance_resize: { readonly duration_ms: number } }
  | { readonly end_appliance_sessions: { readonly user?: never } };

/** A change that was read; throws `RangeError` when it cannot be. */
export type ApplianceChange = (state: ApplianceState, nowMs: number) => void;

export const applianceChangeNames: readonly string[] = [
  "change_appliance",
  "start_appliance_resize",
  "end_appliance_sessions",
];

/** Reads the change of the given name. */
export function readApplianceChange(name: string, cursor: Cursor): ApplianceChange {
  const change = readNamed(name, cursor);
  return (state, nowMs) => {
    settleAppliance(state, nowMs);
    change(state, nowMs);
  };
}

function readNamed(name: string, cursor: Cursor): ApplianceChange {
  switch (name) {
    case "change_appliance": {
      const health = readChoice(readMembers(cursor, ["health"])("health"), healthColours);
      return (state) => {
        state.world = { ...state.world, health };
      };
    }
    case "start_appliance_resize": {
      const durationMs = readCount(readMembers(cursor, ["duration_ms"])("duration_ms"), 1);
      return (state, nowMs) => {
        if (runningResize(state) !== undefined) throw new RangeError("a resize is in progress");
        const endMs = nowMs + durationMs;
        beginResize(state, { startMs: nowMs, endMs, grown: [], failure: null, effect: false });
      };
    }
    default:
      readMembers(cursor, []);
      return (state) => {
        state.sessionCounts.endedByOthers += state.sessions.size;
        state.sessions.clear();
      };
  }
}
