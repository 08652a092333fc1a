/**
 * Answers of an agent as text. Secrets of the site do not leave it: words are masked, and what
 * holds a secret where words are none, such as an attribute, is not handed on at all, since a
 * masked one would be taken for what is there.
 */

import type { SecretMask } from "../lib/mask.ts";
import { type RemoteEffect, RemoteError } from "../model/operation/remote-error.ts";
import type { ErrorThere, SiteAnswer } from "./call.ts";
import { encode } from "./codec.ts";

type Mask = Pick<SecretMask, "mask">;

/**
 * Characters of a call or an answer. PostgreSQL takes eight times as much in a value of JSON, but
 * an agent has to hold several at once.
 */
export const travelTextMax = 32 * 1024 * 1024;

/** `effect`: what is known of the effect where only the answer is at fault. */
export function answerText(mask: Mask, effect: RemoteEffect, answer: SiteAnswer): string {
  try {
    const told = maskedAnswer(mask, answer);
    const text = encode(holdsSecret(mask, told) ? withheld(effect) : told);
    return text.length > travelTextMax ? encode(tooLarge(effect, text.length)) : text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = mask.mask(`the answer cannot travel: ${error.message}`);
    return encode(failure({ kind: "protocol", effect, message }));
  }
}

/** Of what was thrown; `effect`: of what is no `RemoteError`, but a fault. */
export function failedAnswer(error: unknown, effect: RemoteEffect): SiteAnswer {
  if (!(error instanceof RemoteError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return failure({ kind: "protocol", effect, message: `a fault at the site: ${reason}` });
  }
  const { kind, effect: known, message, status, retryAfterMs, attributes } = error;
  return failure({
    kind,
    effect: known,
    message,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(attributes === undefined ? {} : { attributes }),
  });
}

function failure(error: ErrorThere): SiteAnswer {
  return { status: "failed", error };
}

function withheld(effect: RemoteEffect): SiteAnswer {
  const message =
    "the answer holds what is a secret at the site, and was not handed on; " +
    "a secret that is a common word is met everywhere, and better replaced";
  return failure({ kind: "protocol", effect, message });
}

function tooLarge(effect: RemoteEffect, length: number): SiteAnswer {
  const message = `the answer has ${length} characters, and no more than ${travelTextMax} travel`;
  return failure({ kind: "protocol", effect, message });
}

/** Members of answers that are words for people, and nothing else depends on. */
const wordNames: ReadonlySet<string> = new Set([
  "message",
  "reason",
  "proof",
  "reasons",
  "remarks",
]);

function maskedAnswer(mask: Mask, answer: SiteAnswer): SiteAnswer {
  switch (answer.status) {
    case "refused":
      return { ...answer, message: mask.mask(answer.message) };
    case "failed":
      return failure({ ...answer.error, message: mask.mask(answer.error.message) });
    case "done":
      return { ...answer, value: maskedWords(mask, answer.value, false) };
  }
}

function maskedWords(mask: Mask, value: unknown, isWord: boolean): unknown {
  if (typeof value === "string") return isWord ? mask.mask(value) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => maskedWords(mask, item, isWord));
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      maskedWords(mask, member, isWord || wordNames.has(name)),
    ]),
  );
}

function isPlain(value: object): boolean {
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.getOwnPropertySymbols(value).length === 0
  );
}

function holdsSecret(mask: Mask, value: unknown): boolean {
  if (typeof value === "string") return mask.mask(value) !== value;
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof Uint8Array) return holdsSecret(mask, Buffer.from(value).toString("latin1"));
  if (Array.isArray(value)) return value.some((item) => holdsSecret(mask, item));
  return Object.entries(value).some(
    ([name, member]) => holdsSecret(mask, name) || holdsSecret(mask, member),
  );
}
