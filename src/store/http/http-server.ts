/** The requests of the protocol, and what each reply to them means. */

import { backoffMs } from "../../lib/backoff.ts";
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
  accessRefused,
  type Doing,
  damagedDocument,
  foreignState,
  nothingThere,
  otherRefusal,
  type Refused,
  tooLarge,
  unanswered,
} from "../document/problems.ts";
import type { DocumentServer, LockReply, Update } from "../document/server.ts";
import { pauses } from "../document/writing.ts";
import type { HttpPlace } from "./exchange.ts";

export type StateServer = {
  readonly place: HttpPlace;
  readonly exchange: StateExchange;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Of vmform. */
  readonly version: string;
};

/** Of one request. A document may be large and a line slow. */
const requestLimitMs = 60_000;
/** How often lock and unlock are asked for when no reply tells what became of it. */
const askCountMax = 4;

/** Of a write that comes too late: the serial is taken, or another lock is the present one. */
const conflicts: ReadonlySet<number> = new Set([400, 409, 412, 422, 423]);

/** Not now, or never to know: whether it was done, only a look tells. */
const unclearStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

/** A server of the protocol, such as GitLab. */
export function httpServer(server: StateServer): DocumentServer {
  const { place, clock, random, exchange } = server;
  const { address, lock, isGitLab } = place;
  return {
    address,
    clock,
    random,
    withoutLock: lock.optional,
    fetch: () => fetchDocument(server),
    send: (next, _base, lockId) => sendDocument(server, next, lockId),
    refusal: (refused, next) =>
      refused.status === 413
        ? tooLarge(address, Buffer.byteLength(encodeDocument(next)), refused)
        : refusalOf(server, "written", refused),
    askLock: (id) => askLock(server, id),
    askUnlock: (id) => askUnlock(server, id),
    // The rule of GitLab is known, and it calls a write under another lock an error of its own.
    ...(isGitLab ? {} : { tryFence: (present, lockId) => tryFence(server, present, lockId) }),
    close: exchange.close,
  };
}

/** Whether somebody else's lock, or nobody's, would let a write through. */
async function tryFence(
  server: StateServer,
  present: StateDocument,
  lockId: string,
): Promise<boolean | undefined> {
  const update = await sendDocument(server, present, `${lockId}-not`);
  if (update.kind === "stored") return false;
  return update.kind === "conflict" ? true : undefined;
}

/** What stands at the address; undefined when nothing does yet. Throws `StoreError`. */
async function fetchDocument(server: StateServer): Promise<StateDocument | undefined> {
  const { address, url } = server.place;
  const reply = await send(server, "read", "GET", url).catch((error: unknown) => {
    throw toUnanswered(address, "read", error);
  });
  const { status, text } = reply;
  if (status === 204) return undefined;
  if (status === 404 || status === 410) return requireAbsent(server, reply);
  if (status < 200 || status >= 300) throw refusal(server, "read", reply);
  if (isPage(reply)) throw nothingThere(address, "read", aPage(status));
  if (text.trim() === "") return undefined;
  try {
    return decodeDocument(text);
  } catch (error) {
    if (error instanceof ForeignDocument) throw foreignState(address, error.message);
    if (error instanceof StateFormatError) throw damagedDocument(address, error);
    throw error;
  }
}

/** GitLab answers 404 for a project that is not there, or not to be seen, as well. */
function requireAbsent(server: StateServer, reply: StateReply): undefined {
  const { address } = server.place;
  if (isPage(reply)) throw nothingThere(address, "read", aPage(reply.status));
  const { words } = refusedBy(server, reply);
  if (/project|group|namespace|owner|organi[sz]ation|\buser\b/i.test(words)) {
    throw nothingThere(address, "read", `status ${reply.status}: ${words}`);
  }
  return undefined;
}

/** Sends a document once. Throws `StoreError` where sending it again can never help. */
async function sendDocument(
  server: StateServer,
  document: StateDocument,
  lockId: string | undefined,
): Promise<Update> {
  const { address, updateMethod } = server.place;
  const url = new URL(server.place.url);
  if (lockId !== undefined) url.searchParams.set("ID", lockId);
  let reply: StateReply;
  try {
    reply = await send(server, "change", updateMethod, url.href, encodeDocument(document));
  } catch (error) {
    if (!isPassing(error)) throw toUnanswered(address, "written", error);
    return { kind: "unclear", why: error, isOdd: false };
  }
  const { status, retryAfterMs } = reply;
  const refused = refusedBy(server, reply);
  // A page for people says nothing of the document, nor does GitLab's word for an empty body.
  if (status >= 200 && status < 300) {
    if (!isPage(reply) && status !== 204) return { kind: "stored" };
    return { kind: "unclear", why: aPage(status), isOdd: false, pauseMs: 0 };
  }
  if (status < 500 && !unclearStatuses.has(status)) {
    return { kind: conflicts.has(status) ? "conflict" : "refused", refused };
  }
  const pause = retryAfterMs === undefined ? {} : { pauseMs: retryAfterMs };
  // GitLab answers so to a write under a lock that is gone.
  return { kind: "unclear", why: told(refused), isOdd: status === 500, ...pause };
}

/** Asks for the lock by this id, which may hold it already. Throws `StoreError`. */
async function askLock(server: StateServer, id: string): Promise<LockReply> {
  const { address, lock } = server.place;
  const { reply } = await ask(server, "locked", lock.lock, id);
  const refused = refusedBy(server, reply);
  switch (true) {
    case isPage(reply):
      throw nothingThere(address, "locked", aPage(reply.status));
    case reply.status >= 200 && reply.status < 300:
      return { kind: "taken" };
    case reply.status === 409 || reply.status === 423: {
      const holder = holderIn(reply.text, id);
      return holder?.id === id ? { kind: "ours" } : { kind: "held", holder };
    }
    case [404, 405, 501].includes(reply.status):
      if (/project/i.test(refused.words)) throw nothingThere(address, "locked", told(refused));
      return { kind: "unknown", refused };
    default:
      throw refusal(server, "locked", reply);
  }
}

/** Gives back the lock with this id. Undefined: it is given back. Throws `StoreError`. */
async function askUnlock(server: StateServer, id: string): Promise<Refused | undefined> {
  const { lock } = server.place;
  const { reply, repeated } = await ask(server, "unlocked", lock.unlock, id);
  const { status } = reply;
  if (status >= 200 && status < 300 && !isPage(reply)) return undefined;
  if (status === 401 || status === 403) throw refusal(server, "unlocked", reply);
  // The first one may have done it, and its reply was lost.
  return repeated ? undefined : refusedBy(server, reply);
}

/** Both name an id that nobody else uses, so both may be asked for again. */
async function ask(
  server: StateServer,
  doing: Doing,
  { method, url }: { readonly method: string; readonly url: string },
  id: string,
): Promise<{ readonly reply: StateReply; readonly repeated: boolean }> {
  const { clock, version } = server;
  for (let count = 1; ; count += 1) {
    let why: RemoteError | string;
    let pauseMs = backoffMs(count - 1, pauses, server.random);
    try {
      const body = lockBody(id, clock.now(), version);
      const reply = await send(server, "change", method, url, body);
      if (reply.status === 501 || (reply.status < 500 && !unclearStatuses.has(reply.status))) {
        return { reply, repeated: count > 1 };
      }
      why = told(refusedBy(server, reply));
      pauseMs = reply.retryAfterMs ?? pauseMs;
    } catch (error) {
      if (!isPassing(error)) throw toUnanswered(server.place.address, doing, error);
      why = error;
    }
    if (count === askCountMax) throw unanswered(server.place.address, doing, why);
    await clock.sleep(pauseMs);
  }
}

function send(
  { exchange, clock }: StateServer,
  kind: "read" | "change",
  method: string,
  url: string,
  body?: string,
): Promise<StateReply> {
  const deadlineMs = clock.now() + requestLimitMs;
  return exchange.send({ kind, method, url, deadlineMs, ...(body === undefined ? {} : { body }) });
}

/** Of a status outside 2xx that nothing more is known of. */
function refusal(server: StateServer, doing: Doing, reply: StateReply): Error {
  return refusalOf(server, doing, refusedBy(server, reply));
}

function refusalOf({ place }: StateServer, doing: Doing, refused: Refused): Error {
  const { status } = refused;
  if (status === 401 || status === 403) return accessRefused(place.address, doing, refused);
  if (status === 404 || status === 410) return nothingThere(place.address, doing, told(refused));
  if (status >= 500) return unanswered(place.address, doing, told(refused));
  return otherRefusal(place.address, doing, refused);
}

/** Of a reply that was not read. What settings or a proxy forbid does not pass. */
function isPassing(error: unknown): error is RemoteError {
  if (!(error instanceof RemoteError) || error.kind === "invalid") return false;
  return error.status === undefined || error.status < 300 || error.status >= 400;
}

function toUnanswered(address: string, doing: Doing, error: unknown): unknown {
  if (!(error instanceof RemoteError)) return error;
  // A place it has moved to is not followed: credentials would go there, or a change be sent twice.
  const isMoved = error.status !== undefined && error.status >= 300 && error.status < 400;
  return isMoved
    ? nothingThere(address, doing, error.message.replace(/; set url$/, ""))
    : unanswered(address, doing, error);
}

/** The server's words, without the frame that it puts them in. */
function refusedBy({ exchange }: StateServer, reply: StateReply): Refused {
  const { status, text } = reply;
  if (isPage(reply)) return { status, words: "a page for people" };
  const quoted = /"(?:message|error)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return { status, words: exchange.excerpt(quoted ?? text) };
}

function told({ status, words }: Refused): string {
  return words === "" ? `status ${status}` : `status ${status}: ${words}`;
}

function aPage(status: number): string {
  return `the server answers with a page for people, perhaps a login (status ${status})`;
}

function isPage({ contentType, text }: StateReply): boolean {
  return (
    contentType === "text/html" ||
    contentType === "application/xhtml+xml" ||
    /^\s*<(!doctype html|html)/i.test(text)
  );
}
