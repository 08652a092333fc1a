/**
 * The second request to stop, while applying: from then on nothing is recorded and nothing is sent,
 * as if the process had been killed, which every moment of a run is made for. Only sessions are
 * still logged out of, so that the server refuses what may be on its way, and keeps none to idle
 * out.
 */

import type { Sessions } from "../../engine/sessions.ts";
import type { Store } from "../../model/recorded/store.ts";
import type { RunInterrupts } from "../environment.ts";

/** The store of a run that may be quit: what is appended afterwards never becomes durable. */
export function untilQuit(
  store: Store,
  sessions: Pick<Sessions, "close">,
  interrupts: Pick<RunInterrupts, "onQuit">,
): Store {
  let quits = false;
  interrupts.onQuit?.(() => {
    quits = true;
    return sessions.close();
  });
  return {
    ...store,
    // A read that fails for want of a session would be taken for one that shows no effect.
    append: (entries, fence) =>
      quits ? new Promise<never>(() => {}) : store.append(entries, fence),
  };
}
