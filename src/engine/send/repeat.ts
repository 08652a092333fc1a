/** Which request may be sent once more, after which answer, and how long a reply is waited for. */

import type { PreparedOperation } from "../../model/operation/operation.ts";
import type { RemoteError } from "../../model/operation/remote-error.ts";

/** Sent this often where nobody can see whether it happened, the first time included. */
const unseenTriesMax = 4;
const putOffTriesMax = 5;

/** After an answer that proves no effect; or where a second effect is none. */
export function mayRepeat(
  operation: PreparedOperation,
  { kind, effect }: RemoteError,
  tries: number,
): boolean {
  // What no read can tell, and may be done twice, is done again rather than given up.
  const isLost = effect === "unknown" || kind === "timeout";
  if (isLost && isRepeatedUnseen(operation)) return tries < unseenTriesMax;
  if (effect !== "none") return false;
  if (kind === "busy") return true;
  return (kind === "throttled" || kind === "unavailable") && tries < putOffTriesMax;
}

/** Long work is not: a second request may come while the first is still being done. */
function isRepeatedUnseen({ proof, request, order }: PreparedOperation): boolean {
  const { unobservable, requestLimitMs } = proof;
  return unobservable && request.repeat === "safe" && !order.long && requestLimitMs === undefined;
}

/**
 * What may be sent again after a reply that never comes is not waited for as long as it may take:
 * the first time a quarter of its limit, and after that all that is left.
 */
export function tryUntilMs(
  operation: PreparedOperation,
  { nowMs, deadlineMs, tries }: { nowMs: number; deadlineMs: number; tries: number },
): number {
  if (tries > 1 || !isRepeatedUnseen(operation)) return deadlineMs;
  return Math.min(deadlineMs, nowMs + operation.proof.limitMs / 4);
}
