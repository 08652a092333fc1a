/**
 * An object store as the server of a document: the lock is an object that is made only where none
 * is (`If-None-Match: *`), and the document is replaced only where it is what was read last
 * (`If-Match`). Both are tried out under each lock that is taken, since servers that pass over
 * conditions look like any other.
 *
 * Requests are signed one by one: no SDK, whose checksums other vendors refuse.
 */

import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { backoffMs } from "../../lib/backoff.ts";
import type { LockInfo } from "../../lib/lock/lock-info.ts";
import type { Clock } from "../../model/clock.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import { StateFormatError } from "../../state/form/format-error.ts";
import {
  decodeDocument,
  encodeDocument,
  ForeignDocument,
  type StateDocument,
} from "../document/document.ts";
import type { StateExchange, StateReply } from "../document/exchange.ts";
import { holderIn, lockBody } from "../document/lock-words.ts";
import {
  conditionsIgnored,
  type Doing,
  damagedDocument,
  foreignState,
  keysRefused,
  noBucket,
  otherRefusal,
  type Refused,
  unanswered,
} from "../document/problems.ts";
import type { DocumentServer, LockReply, Update } from "../document/server.ts";
import { pauses } from "../document/writing.ts";
import type { S3Keys, S3Place } from "./place.ts";

export type S3ServerOptions = {
  readonly place: S3Place;
  readonly keys: S3Keys;
  readonly exchange: StateExchange;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Of vmform. */
  readonly version: string;
};

type S3 = S3ServerOptions & {
  /** Entity tags of documents that were read or written, by their write. */
  readonly etags: Map<string, string>;
};

const requestLimitMs = 60_000;
/** How often something is asked for when no reply tells what became of it. */
const askCountMax = 4;
/** A tag that no object has. */
const noTag = '"00000000000000000000000000000000"';

export function s3Server(options: S3ServerOptions): DocumentServer {
  const s3: S3 = { ...options, etags: new Map() };
  const { address } = options.place;
  return {
    address,
    clock: options.clock,
    random: options.random,
    withoutLock: false,
    fetch: () => fetchDocument(s3),
    send: (next, base) => sendDocument(s3, next, base),
    refusal: (refused) => refusalOf(s3, "written", refused),
    askLock: (id) => askLock(s3, id),
    askUnlock: (id) => askUnlock(s3, id),
    holder: async () => (await readLock(s3))?.holder,
    close: options.exchange.close,
  };
}

async function fetchDocument(s3: S3): Promise<StateDocument | undefined> {
  const { address } = s3.place;
  const reply = await send(s3, "read", "GET", s3.place.document).catch((error: unknown) => {
    throw toUnanswered(address, "read", error);
  });
  if (isMissing(reply)) return undefined;
  if (reply.status !== 200) throw refusalOf(s3, "read", refusedBy(s3, reply));
  try {
    const document = decodeDocument(reply.text);
    if (reply.etag !== undefined) s3.etags.set(document.write, reply.etag);
    return document;
  } catch (error) {
    if (error instanceof ForeignDocument) throw foreignState(address, error.message);
    if (error instanceof StateFormatError) throw damagedDocument(address, error);
    throw error;
  }
}

/** 404 of the object; that of the bucket says nothing of what is in it. */
function isMissing({ status, text }: StateReply): boolean {
  return status === 404 && !text.includes("NoSuchBucket");
}

async function sendDocument(
  s3: S3,
  next: StateDocument,
  base: StateDocument | undefined,
): Promise<Update> {
  const { address, document } = s3.place;
  const etag = base === undefined ? undefined : s3.etags.get(base.write);
  // Of an object that was read, the tag is known: each reply has one.
  if (base !== undefined && etag === undefined) {
    throw unanswered(address, "written", "the server gives its objects no entity tags");
  }
  const condition = etag === undefined ? { "if-none-match": "*" } : { "if-match": etag };
  let reply: StateReply;
  try {
    reply = await send(s3, "change", "PUT", document, encodeDocument(next), condition);
  } catch (error) {
    if (!isPassing(error)) throw toUnanswered(address, "written", error);
    return { kind: "unclear", why: error, isOdd: false };
  }
  const refused = refusedBy(s3, reply);
  const { status, retryAfterMs, etag: stored } = reply;
  if (status === 200) {
    if (stored !== undefined) s3.etags.set(next.write, stored);
    return { kind: "stored" };
  }
  // 404: the object that is to be replaced is gone.
  if (status === 412 || isMissing(reply)) return { kind: "conflict", refused };
  if (!isUnclear(status)) return { kind: "refused", refused };
  const pause = retryAfterMs === undefined ? {} : { pauseMs: retryAfterMs };
  return { kind: "unclear", why: told(refused), isOdd: false, ...pause };
}

async function askLock(s3: S3, id: string): Promise<LockReply> {
  let present: Lock | undefined;
  for (let count = 1; present === undefined; count += 1) {
    const taken = await putLock(s3, id, { "if-none-match": "*" });
    if (taken.status === 200) {
      await requireConditions(s3, id).catch(async (error: unknown) => {
        await askUnlock(s3, id).catch(() => undefined);
        throw error;
      });
      return { kind: "taken" };
    }
    if (taken.status !== 412) throw refusalOf(s3, "locked", refusedBy(s3, taken));
    present = await readLock(s3);
    // It was given back in between, so it is asked for again.
    if (present === undefined && count === askCountMax) return { kind: "held", holder: undefined };
  }
  return present.holder?.id === id ? { kind: "ours" } : { kind: "held", holder: present.holder };
}

/** Conditions that do not hold, on the lock that we have: whatever becomes of them, it is ours. */
async function requireConditions(s3: S3, id: string): Promise<void> {
  const conditions = [{ "if-none-match": "*" }, { "if-match": noTag }];
  for (const condition of conditions) {
    const reply = await putLock(s3, id, condition);
    if (reply.status === 412) continue;
    if (reply.status === 401 || reply.status === 403) {
      throw refusalOf(s3, "locked", refusedBy(s3, reply));
    }
    const [name = ""] = Object.keys(condition);
    throw conditionsIgnored(s3.place.address, name, reply.status);
  }
}

/** Asked for again while no reply tells what became of it: it is ours, or refused. */
function putLock(
  s3: S3,
  id: string,
  condition: { readonly [name: string]: string },
): Promise<StateReply> {
  const body = lockBody(id, s3.clock.now(), s3.version);
  return ask(s3, "locked", () => send(s3, "change", "PUT", s3.place.lock, body, condition));
}

type Lock = { readonly holder: LockInfo | undefined; readonly etag: string | undefined };

/** Undefined: nobody holds it. */
async function readLock(s3: S3): Promise<Lock | undefined> {
  const reply = await send(s3, "read", "GET", s3.place.lock).catch((error: unknown) => {
    throw toUnanswered(s3.place.address, "read", error);
  });
  if (isMissing(reply)) return undefined;
  if (reply.status !== 200) throw refusalOf(s3, "read", refusedBy(s3, reply));
  return { holder: holderIn(reply.text, ""), etag: reply.etag };
}

/**
 * Looks whose it is, and deletes what it has seen alone. Where a server knows no such condition and
 * it is taken away and taken by another between the two, that one's next write still meets the
 * document as it has read it, or is refused.
 */
async function askUnlock(s3: S3, id: string): Promise<Refused | undefined> {
  const present = await readLock(s3);
  if (present === undefined) return { status: 404, words: "it is not locked" };
  if (present.holder !== undefined && present.holder.id !== id) {
    return { status: 409, words: `it is locked by ${present.holder.id}` };
  }
  return (await remove(s3, present))
    ? undefined
    : { status: 409, words: "it was locked by another meanwhile" };
}

/** Of a server that does not do what it is asked because of the condition. */
const unknownCondition: ReadonlySet<number> = new Set([400, 501]);

/** False: it is another by now. */
async function remove(s3: S3, { etag }: Lock): Promise<boolean> {
  const condition = etag === undefined ? {} : { "if-match": etag };
  const first = await ask(s3, "unlocked", () => deleteLock(s3, condition));
  const reply = unknownCondition.has(first.status)
    ? await ask(s3, "unlocked", () => deleteLock(s3, {}))
    : first;
  if (reply.status === 412) return false;
  if (reply.status < 300 || isMissing(reply)) return true;
  throw refusalOf(s3, "unlocked", refusedBy(s3, reply));
}

function deleteLock(s3: S3, condition: { readonly [name: string]: string }): Promise<StateReply> {
  return send(s3, "change", "DELETE", s3.place.lock, undefined, condition);
}

async function ask(s3: S3, doing: Doing, once: () => Promise<StateReply>): Promise<StateReply> {
  for (let count = 1; ; count += 1) {
    let why: RemoteError | string;
    let pauseMs = backoffMs(count - 1, pauses, s3.random);
    try {
      const reply = await once();
      if (!isUnclear(reply.status)) return reply;
      why = told(refusedBy(s3, reply));
      pauseMs = reply.retryAfterMs ?? pauseMs;
    } catch (error) {
      if (!isPassing(error)) throw toUnanswered(s3.place.address, doing, error);
      why = error;
    }
    if (count === askCountMax) throw unanswered(s3.place.address, doing, why);
    await s3.clock.sleep(pauseMs);
  }
}

/** 409: another conditional request was under way. 501: it knows no such condition. */
function isUnclear(status: number): boolean {
  return status === 409 || status === 408 || status === 429 || (status >= 500 && status !== 501);
}

async function send(
  { exchange, clock, keys, place }: S3,
  kind: "read" | "change",
  method: string,
  url: string,
  body?: string,
  condition: { readonly [name: string]: string } = {},
): Promise<StateReply> {
  const nowMs = clock.now();
  const datetime = new Date(nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
  const hash = createHash("sha256")
    .update(body ?? "")
    .digest("hex");
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { ...condition, "x-amz-content-sha256": hash },
    ...(body === undefined ? {} : { body }),
    ...keys,
    service: "s3",
    region: place.region,
    datetime,
  });
  const signed = await signer.sign();
  const headers: { [name: string]: string } = {};
  signed.headers.forEach((value, name) => {
    if (name !== "host") headers[name] = value;
  });
  const deadlineMs = nowMs + requestLimitMs;
  return exchange.send({
    ...{ kind, method, url, headers, deadlineMs },
    ...(body === undefined ? {} : { body }),
  });
}

function refusalOf({ place }: S3, doing: Doing, refused: Refused): Error {
  const { address } = place;
  if (refused.status === 401 || refused.status === 403) return keysRefused(address, doing, refused);
  if (refused.status === 404 || refused.status === 301) return noBucket(address, doing, refused);
  if (refused.status >= 500) return unanswered(address, doing, told(refused));
  return otherRefusal(address, doing, refused);
}

function toUnanswered(address: string, doing: Doing, error: unknown): unknown {
  if (!(error instanceof RemoteError)) return error;
  const { status } = error;
  const isMoved = status !== undefined && status >= 300 && status < 400;
  const words = error.message.replace(/; set url$/, "");
  return isMoved ? noBucket(address, doing, { status, words }) : unanswered(address, doing, error);
}

/** Of a reply that was not read. What settings or a proxy forbid does not pass. */
function isPassing(error: unknown): error is RemoteError {
  if (!(error instanceof RemoteError) || error.kind === "invalid") return false;
  return error.status === undefined || error.status < 300 || error.status >= 400;
}

/** Code and words of the server. */
function refusedBy({ exchange }: S3, { status, text }: StateReply): Refused {
  const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1];
  const words = /<Message>([^<]*)<\/Message>/.exec(text)?.[1];
  const known = [code, words].filter((one) => one !== undefined && one !== "").join(", ");
  return { status, words: exchange.excerpt(known === "" ? text : known) };
}

function told({ status, words }: Refused): string {
  return words === "" ? `status ${status}` : `status ${status}: ${words}`;
}
