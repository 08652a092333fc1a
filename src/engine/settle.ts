/**
 * Settling: reading until an expectation is observed or a time limit has passed. Before the limit,
 * a read that shows the old value proves nothing: the request may still be on its way.
 */

import type { Clock } from "../model/clock.ts";
import type { AttributeExpectation } from "../model/operation/expectation.ts";
import type { OperationProof, OperationSubject } from "../model/operation/operation.ts";
import { changingPower, isPowerState } from "../model/operation/power.ts";
import { RemoteError } from "../model/operation/remote-error.ts";
import type { Observation } from "../model/provider/observation.ts";
import type { ProviderSession } from "../model/provider/provider.ts";
import {
  type Attributes,
  equalValues,
  isUnknown,
  type PlannedValue,
} from "../model/value/value.ts";

/** An object and what is expected of it, as operations and begin entries have both. */
export type Expected = {
  readonly subject: Pick<OperationSubject, "address" | "type" | "identity">;
  readonly proof: Pick<OperationProof, "expect" | "readBack">;
};

export type Settled = {
  readonly met: boolean;
  /** The last read; undefined when none was answered. */
  readonly observation: Observation | undefined;
  /** Why the last read told nothing, where it was not answered. */
  readonly reason?: string;
  /** The last read failed; absent where it is the object's condition that hides it. */
  readonly unanswered?: true;
};

/** Pauses between reads grow from the first to the last, milliseconds. */
const pauseFirstMs = 200;
const pauseLastMs = 2_000;

/** Hears of every read; true ends the wait, on what it shows or because it shows nothing. */
export type ReadListener = (read: Settled) => boolean;

/**
 * Reads until met, or until a read made at or after `untilMs` was not. `onRead` may end the wait
 * sooner.
 */
export async function settle(
  session: ProviderSession,
  clock: Clock,
  expected: Expected,
  untilMs: number,
  onRead: ReadListener = () => false,
): Promise<Settled> {
  let pauseMs = pauseFirstMs;
  for (;;) {
    const lastRead = clock.now() >= untilMs;
    const read: Settled = { met: false, ...(await look(session, expected)) };
    const { observation } = read;
    if (observation !== undefined && isMet(expected.proof.expect, observation)) {
      return { met: true, observation };
    }
    if (onRead(read) || lastRead) return read;
    await clock.sleep(Math.max(1, Math.min(pauseMs, untilMs - clock.now())));
    pauseMs = Math.min(pauseMs * 2, pauseLastMs);
  }
}

/** A positive reply whose effect no read shows within this time was without effect. */
export const effectGraceMs = 5_000;

/**
 * Ends the wait for what lags behind its reply, or its task. Power that has come to rest in another
 * state than the wanted one, and than on, will not come any more: that ends the wait soon.
 */
export function restingListener(clock: Clock, expected: Expected): ReadListener {
  const graceUntilMs = clock.now() + effectGraceMs;
  return ({ observation }) =>
    observation !== undefined &&
    clock.now() >= graceUntilMs &&
    hasComeToRest(expected, observation);
}

function hasComeToRest({ proof }: Expected, observation: Observation): boolean {
  if (observation.status !== "found") return false;
  return proof.expect.some((item) => {
    const power = "attribute" in item ? observation.attributes[item.attribute] : undefined;
    return isPowerState(power) && power !== "on";
  });
}

/** One read; undefined when it failed, since a failed read proves nothing. */
export async function readSubject(
  session: ProviderSession,
  expected: Expected,
): Promise<Observation | undefined> {
  return (await look(session, expected)).observation;
}

async function look(
  session: ProviderSession,
  { subject, proof }: Expected,
): Promise<Omit<Settled, "met">> {
  const attributes = [
    ...proof.expect.flatMap((item) => ("attribute" in item ? [item.attribute] : [])),
    ...proof.readBack,
  ];
  const { address, type, identity } = subject;
  try {
    const [observation] = await session.read([{ address, type, identity, attributes }]);
    if (observation?.status !== "unreadable") return { observation };
    const { reason, rule } = observation;
    return { observation: undefined, reason, ...(rule === "failed" ? { unanswered: true } : {}) };
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return { observation: undefined, reason: error.message, unanswered: true };
  }
}

/** True when every expectation is observed. No expectation is never met by a read. */
export function isMet(expect: readonly AttributeExpectation[], observation: Observation): boolean {
  if (expect.length === 0) return false;
  return expect.every((item) => {
    if ("existence" in item) return observation.status === item.existence;
    if (observation.status !== "found") return false;
    const value = observation.attributes[item.attribute] ?? null;
    if ("atLeast" in item) return reaches(value, item.atLeast);
    return "present" in item ? value !== null : equalValues(value, item.equals);
  });
}

/** At least so much, in each member. */
export function reaches(value: PlannedValue, wanted: PlannedValue): boolean {
  if (isNumber(wanted)) return isNumber(value) && value >= wanted;
  if (wanted === null || typeof wanted !== "object" || isUnknown(wanted)) return false;
  if (value === null || typeof value !== "object" || isUnknown(value)) return false;
  const members = new Map(Object.entries(value));
  return Object.entries(wanted).every(([name, least]) => reaches(members.get(name) ?? null, least));
}

function isNumber(value: PlannedValue): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** True when the read tells nothing of what is expected: it failed, as a whole or in this. */
export function isSilent(expect: readonly AttributeExpectation[], read: Settled): boolean {
  const { observation } = read;
  if (observation === undefined) return true;
  if (observation.status !== "found") return false;
  const { unreadable } = observation;
  return expect.some((item) => "attribute" in item && unreadable[item.attribute] === "failed");
}

/** True while the object shows that a transition runs. */
export function isChanging(observation: Observation): boolean {
  if (observation.status !== "found") return false;
  return Object.values(observation.attributes).includes(changingPower);
}

export function attributesOf(observation: Observation | undefined): Attributes {
  if (observation?.status !== "found") return {};
  return Object.fromEntries(
    Object.entries(observation.attributes).filter(([, value]) => value !== changingPower),
  );
}

export function existenceOf(observation: Observation | undefined): "found" | "missing" | undefined {
  return observation === undefined || observation.status === "unreadable"
    ? undefined
    : observation.status;
}
