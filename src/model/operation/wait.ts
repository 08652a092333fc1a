/**
 * What a run waits for, while it waits. Who waits says so; whoever watches the run tells people
 * when it lasts.
 */

import type { EventSink, Wait } from "./event.ts";

/** Does the work, and has it known as what is waited for. */
export async function whileWaiting<T>(
  events: EventSink,
  wait: Wait,
  work: () => Promise<T>,
): Promise<T> {
  events({ kind: "wait-started", wait });
  try {
    return await work();
  } finally {
    events({ kind: "wait-ended", wait });
  }
}
