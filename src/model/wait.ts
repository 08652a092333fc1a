/**
 * What a run waits for, while it waits. Who waits says so; whoever watches the run tells people
 * when it lasts.
 */

import type { Address } from "./address.ts";
import type { EventSink } from "./event.ts";
import type { OperationId } from "./operation.ts";

export type Wait = {
  /** Such as `reading 24 objects`: what is being done all the time. */
  readonly what: string;
  /**
   * `phase`: a part of the command. `work`: one thing in it, told before the phase. `request`: a
   * reply or a pause between two attempts, told beside what it is for.
   */
  readonly rank: "phase" | "work" | "request";
  readonly address?: Address;
  /** The running operation that waits so; absent outside of an apply. */
  readonly id?: OperationId;
  /** When it is given up, milliseconds since the epoch. */
  readonly untilMs?: number;
  /** What a person may do who does not want to wait. */
  readonly wayOut?: string;
  /** The last words of the other side, or how far it is; asked for when it is told. */
  readonly words?: () => string | undefined;
  /** It is worth a line before it has lasted: it will. */
  readonly announced?: boolean;
};

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
