/**
 * When an interrupted operation was begun, by the clock of the run that closes it. The clock of the
 * run that began it may have been wrong: ahead, and its limit would never pass; behind, and it
 * would have passed at the first look.
 */

import type { Clock } from "../model/clock.ts";
import type { BeginEntry } from "../model/recorded/begin-entry.ts";
import type { RecoveryPatience } from "./recover.ts";

/** What is looked for however long ago its begin claims to be, where nothing proves it. */
const fairWaitMs = 10_000;

/**
 * The begin as this run's clock would have dated it. The uptime of the machine tells, as long as it
 * has not been started anew. Where it does not tell, a begin from the future counts from now, and
 * the limits of one from the past have not passed before a few looks were had, if looks are had.
 */
export function dated(clock: Clock, begin: BeginEntry, patience: RecoveryPatience): BeginEntry {
  const nowMs = clock.now();
  const up = clock.uptime?.();
  const { uptime, proof } = begin;
  if (up !== undefined && uptime?.boot === up.boot) {
    const agoMs = Math.max(0, up.ms - uptime.ms);
    return isAbout(begin.atMs, nowMs - agoMs) ? begin : { ...begin, atMs: nowMs - agoMs };
  }
  const atMs = Math.min(begin.atMs, nowMs);
  const { limitMs, requestLimitMs = limitMs } = proof;
  const untilMs = nowMs + Math.min(fairWaitMs, limitMs, requestLimitMs);
  if (patience === "look" || atMs + Math.min(limitMs, requestLimitMs) >= untilMs) {
    return { ...begin, atMs };
  }
  const fair: BeginEntry["proof"] = {
    ...proof,
    limitMs: Math.max(atMs + limitMs, untilMs) - atMs,
    ...(proof.requestLimitMs === undefined
      ? {}
      : { requestLimitMs: Math.max(atMs + requestLimitMs, untilMs) - atMs }),
  };
  return { ...begin, atMs, proof: fair };
}

/** Two clocks of one machine go a little apart, and reading both takes a moment. */
const toleranceMs = 5_000;

function isAbout(left: number, right: number): boolean {
  return Math.abs(left - right) <= toleranceMs;
}
