/** Changes behind the client's back: what other people do to the appliance. */

import type { ChangesOf } from "../kit/change.ts";
import { endSessions } from "../kit/sessions.ts";
import type { ApplianceState } from "./appliance-state.ts";
import { beginResize, runningResize } from "./appliance-state.ts";

export const applianceChanges = {
  change_appliance(state, { health }) {
    state.world = { ...state.world, health };
  },
  /** Somebody else's resize, without effect, while which no other one begins. */
  start_appliance_resize(state, { duration_ms: durationMs }, nowMs) {
    if (runningResize(state) !== undefined) throw new RangeError("a resize is in progress");
    const endMs = nowMs + durationMs;
    beginResize(state, { startMs: nowMs, endMs, grown: [], failure: null, effect: false });
  },
  end_appliance_sessions(state) {
    endSessions(state, () => true);
  },
} satisfies ChangesOf<ApplianceState>;
