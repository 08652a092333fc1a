/**
 * The connection to one cloud: opened without a request, logged in by the first use. Every request
 * carries the session's token as a header, to the configured origin alone; cookies are never sent
 * (wire facts A.1.1).
 */

import type { CallClass, HttpClient, HttpReply } from "../../http/call.ts";
import { unreadableReply } from "../../http/reply.ts";
import type { Outcome, SessionKeeper } from "../../http/session-keeper.ts";
import { createSecretMask, type SecretMask } from "../../lib/mask.ts";
import { attributeOf } from "../../lib/xml/xml.ts";
import type { Clock } from "../../model/clock.ts";
import { RemoteError, retold } from "../../model/remote-error.ts";
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
import { withoutSecrets, withoutTickets } from "./client/privacy.ts";
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
  /** Of this connection: the tokens, and the password. */
  readonly mask: SecretMask;
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
  const mask = createSecretMask([settings.credentials.password]);
  const onToken = (token: string): void => mask.add(token);
  const keeper = keepCloudSession({ http, settings, clock, onToken });
  const connection: Connection = {
    http,
    clock,
    settings,
    keeper,
    mask,
    aheadMs: undefined,
    urnPrefix: undefined,
    answeredMs: clock.now(),
  };
  let client: CloudClient | undefined;
  return {
    client: () =>
      guarded(connection, async () => {
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
  return {
    apiVersion: version,
    offeredVersions: offered,
    who: live.who,
    get dialect() {
      const { urnPrefix } = connection;
      return urnPrefix === undefined ? live.dialect : { ...live.dialect, urnPrefix };
    },
    get: (path, options = {}) => guarded(connection, () => getDocument(connection, path, options)),
    send: (request) => guarded(connection, () => sendRequest(connection, request)),
    query: (request) =>
      guarded(connection, () =>
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

function callOf({ settings, mask }: Connection, request: Request, { live, version }: Session) {
  const { path, accept, mediaType, body, deadlineMs } = request;
  if (!path.startsWith("/api/")) throw new Error(`${path} is no path of the API`);
  const { mediaPrefix, tokenHeader } = live.dialect;
  const accepted =
    accept === undefined ? acceptOf(version) : `${mediaPrefix}${accept};version=${version}`;
  return {
    class: request.class,
    method: request.method,
    path: settings.basePath + path,
    redact: (text: string) => withoutTickets(mask.mask(text)),
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

/** Nothing secret leaves in an error. */
async function guarded<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RemoteError ? withoutSecrets(connection.mask, error) : error;
  }
}
