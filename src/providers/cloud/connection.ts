/**
 * The connection to one cloud: opened without a request, logged in by the first use. Every request
 * carries the session's token as a header, to the configured origin alone; cookies are never sent
 * (wire facts A.1.1).
 */

import type { CallClass, HttpClient, HttpReply } from "../../http/call.ts";
import { unreadableReply } from "../../http/reply.ts";
import { maskedText } from "../../lib/mask.ts";
import { attributeOf } from "../../lib/xml/xml.ts";
import type { Clock } from "../../model/clock.ts";
import { RemoteError, retold } from "../../model/operation/remote-error.ts";
import { type Guard, guardSecrets } from "../kit/guard.ts";
import type { Outcome, SessionKeeper } from "../kit/session.ts";
import type {
  CloudClient,
  CloudConnection,
  CloudDocument,
  CloudSend,
  CloudSent,
  GetOptions,
} from "./client/client.ts";
import { urnPrefixOf } from "./client/dialect.ts";
import { pathOf } from "./client/href.ts";
import { acceptOf } from "./client/login.ts";
import { cloudError, hasOwnError, isOk, readDocument, serverDateMs } from "./client/reply.ts";
import { keepCloudSession, type Session } from "./client/session.ts";
import type { CloudSettings } from "./client/settings.ts";
import { readQuery } from "./query/query.ts";
import { type QueryPage, readPage } from "./query/records.ts";

export type ConnectionPorts = { readonly http: HttpClient; readonly clock: Clock };

type Connection = {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly settings: CloudSettings;
  readonly keeper: SessionKeeper<Session>;
  /** Of the tokens, and the password. */
  readonly guard: Guard;
  /** The server's clock minus ours, milliseconds. */
  aheadMs: number | undefined;
  urnPrefix: string | undefined;
  /** When the server last did what a session asked for, by our clock. */
  answeredMs: number;
};

/** A session that was quiet for so long may have ended meanwhile, milliseconds. */
const quietMs = 60_000;

/** What is sent, without what every request carries. */
type Request = {
  readonly class: CallClass;
  readonly method: string;
  readonly path: string;
  /** Without the dialect's prefix. */
  readonly accept?: string;
  readonly mediaType?: string;
  readonly body?: string;
  readonly deadlineMs?: number;
};

type Decode<T> = (reply: HttpReply, session: Session) => T;

export function connect(ports: ConnectionPorts, settings: CloudSettings): CloudConnection {
  const { http, clock } = ports;
  const guard = guardSecrets([settings.credentials.password], withoutTickets);
  const keeper = keepCloudSession({ http, settings, clock, onToken: guard.learn });
  const connection: Connection = {
    http,
    clock,
    settings,
    keeper,
    guard,
    aheadMs: undefined,
    urnPrefix: undefined,
    answeredMs: clock.now(),
  };
  let client: CloudClient | undefined;
  return {
    client: () =>
      guard.run(async () => {
        client ??= clientOf(connection, await keeper.current());
        return client;
      }),
    forsake: () => keeper.forsake(),
    close: async () => {
      await keeper.end();
      await http.close();
    },
  };
}

function clientOf(connection: Connection, session: Session): CloudClient {
  const { live, version, offered } = session;
  const { guard } = connection;
  return {
    apiVersion: version,
    offeredVersions: offered,
    who: live.who,
    get dialect() {
      const { urnPrefix } = connection;
      return urnPrefix === undefined ? live.dialect : { ...live.dialect, urnPrefix };
    },
    get: (path, options = {}) => guard.run(() => getDocument(connection, path, options)),
    send: (request) => guard.run(() => sendRequest(connection, request)),
    query: (request) =>
      guard.run(() =>
        readQuery((path) => getPage(connection, path), request, connection.settings.pageSize),
      ),
    isListed: () => false,
    serverTimeMs: () => {
      const { aheadMs, clock } = connection;
      return aheadMs === undefined ? undefined : clock.now() + aheadMs;
    },
  };
}

function getDocument(
  connection: Connection,
  path: string,
  { root, mediaType, deadlineMs }: GetOptions,
): Promise<CloudDocument> {
  const request: Request = {
    class: "read",
    method: "GET",
    path,
    ...(mediaType === undefined ? {} : { accept: mediaType }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  };
  return exchange(connection, request, (reply, { live }) => {
    const document = readDocument(reply, "read");
    const { local, namespace } = document.root;
    if (root !== undefined && (local !== root || namespace !== live.dialect.namespace)) {
      throw unreadableReply(reply, "read", `instead of ${root}`);
    }
    learnUrn(connection, document);
    return document;
  });
}

function getPage(connection: Connection, path: string): Promise<QueryPage> {
  return exchange(connection, { class: "read", method: "GET", path }, (reply, { live }) =>
    readPage(reply, readDocument(reply, "read").root, live.dialect.namespace),
  );
}

function sendRequest(connection: Connection, sent: CloudSend): Promise<CloudSent> {
  const request: Request = { ...sent, class: sent.class ?? "mutate" };
  return exchange(connection, request, (reply) => {
    const { location } = reply.headers;
    const document = reply.text.trim() === "" ? undefined : readDocument(reply, request.class);
    if (document !== undefined) learnUrn(connection, document);
    return {
      status: reply.status,
      ...(location === undefined ? {} : { location: locationPath(location, reply) }),
      ...(document === undefined ? {} : { document }),
    };
  });
}

/** The request was taken by now, so a foreign address leaves open what it led to. */
function locationPath(location: string, { status }: HttpReply): string {
  try {
    return pathOf(location);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const { kind, message } = error;
    throw new RemoteError({ kind, effect: "unknown", status, message });
  }
}

/** One request under the present session, and once more under the next if that one had expired. */
function exchange<T>(connection: Connection, request: Request, decode: Decode<T>): Promise<T> {
  return connection.keeper.run(async (session) => {
    const { clock, answeredMs } = connection;
    const isQuiet = clock.now() - answeredMs >= quietMs;
    const outcome = await connection.http.call(callOf(connection, request, session), (reply) => {
      learnTime(connection, reply);
      return outcomeOf(reply, request, isQuiet, (answer) => decode(answer, session));
    });
    if ("answer" in outcome) connection.answeredMs = clock.now();
    if (!("denied" in outcome)) return outcome;
    // Some servers say 403 of an expired session (wire facts A.1.3).
    if (await isAlive(connection, session)) throw outcome.denied;
    return { expired: outcome.denied };
  });
}

/**
 * A 403 that is not in the server's own words may be about the session or about the object. So may
 * any, after a while in which nobody asked for anything: a person has thought about a plan.
 */
type Denied = { readonly denied: RemoteError };

function outcomeOf<T>(
  reply: HttpReply,
  request: Request,
  isQuiet: boolean,
  decode: (reply: HttpReply) => T,
): Outcome<T> | Denied {
  if (isOk(reply.status)) return { answer: decode(reply) };
  const error = cloudError(reply, request.class);
  const named = (): RemoteError =>
    retold(error, `${request.method} ${request.path}: ${error.message}`);
  if (reply.status === 401) return { expired: named() };
  if (reply.status === 403 && (isQuiet || !hasOwnError(reply))) return { denied: named() };
  throw error;
}

async function isAlive(connection: Connection, session: Session): Promise<boolean> {
  const request: Request = { class: "session", method: "GET", path: "/api/session" };
  return connection.http.call(
    callOf(connection, request, session),
    // Any other answer says nothing of the session, and the refusal stands.
    ({ status }) => status !== 401 && status !== 403,
  );
}

function callOf({ settings, guard }: Connection, request: Request, { live, version }: Session) {
  const { path, accept, mediaType, body, deadlineMs } = request;
  // Recorded state and saved plans hold such paths, and anybody may have edited those.
  if (!path.startsWith("/api/")) {
    const message = `${JSON.stringify(path)} is no path of the API: nothing was sent`;
    throw new RemoteError({ kind: "invalid", effect: "none", message });
  }
  const { mediaPrefix, tokenHeader } = live.dialect;
  const accepted =
    accept === undefined ? acceptOf(version) : `${mediaPrefix}${accept};version=${version}`;
  return {
    class: request.class,
    method: request.method,
    path: settings.basePath + path,
    redact: guard.hide,
    headers: {
      accept: accepted,
      [tokenHeader]: live.token,
      ...(mediaType === undefined ? {} : { "content-type": mediaPrefix + mediaType }),
    },
    ...(body === undefined ? {} : { body }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  };
}

function learnTime(connection: Connection, reply: HttpReply): void {
  const dateMs = serverDateMs(reply);
  if (dateMs !== undefined) connection.aheadMs = dateMs - connection.clock.now();
}

function learnUrn(connection: Connection, { root }: CloudDocument): void {
  connection.urnPrefix ??= urnPrefixOf(attributeOf(root, "id"));
}

/** Tickets of consoles and passwords of guests (wire facts A.3.1, A.4.1). */
function withoutTickets(message: string): string {
  return message
    .replaceAll(/\bticket=[^\s"'<>&]+/gi, `ticket=${maskedText}`)
    .replaceAll(/(<(?:\w+:)?\w*(?:Password|Ticket)\b[^>]*>)[^<]*/gi, `$1${maskedText}`);
}
