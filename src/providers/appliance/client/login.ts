/**
 * Logging in and out: HTTP basic credentials for a session id, which later requests carry as a
 * header (specification, section C; wire facts C.1); or the credentials with every request, for an
 * appliance that gives out no sessions. Cookies are never sent.
 */

import type { HttpCall, HttpClient, HttpReply } from "../../../http/call.ts";
import { unreadableReply } from "../../../http/reply.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Value } from "../../../model/value/value.ts";
import { orElse } from "../../kit/refusal.ts";
import {
  apiDialect,
  type Dialect,
  dialectOf,
  dialects,
  plainDialect,
  restDialect,
} from "./release.ts";
import { applianceError, isOk, ownFault, readValue } from "./reply.ts";
import type { ApplianceSettings } from "./settings.ts";

/** One session of the server, from its login until it is ended or expires; or credentials. */
export type LiveSession = {
  /** What each request is let in by. */
  readonly headers: { readonly [name: string]: string };
  readonly dialect: Dialect;
  /** Whether the server holds anything that a logout ends. */
  readonly isHeld: boolean;
};

const sessionHeader = "vmware-api-session-id";

type Settings = Pick<
  ApplianceSettings,
  "basePath" | "credentials" | "login" | "release" | "prefix"
>;

const logoutLimitMs = 5000;

/**
 * Opens a session in the first dialect that the appliance knows, or finds out whether it takes the
 * credentials in it. `onSecret` hears of what lets in before anything else is done with it. Throws
 * `RemoteError`.
 */
export async function login(
  http: HttpClient,
  settings: Settings,
  onSecret: (secret: string) => void,
): Promise<LiveSession> {
  const isBasic = settings.login === "basic";
  const candidates = isBasic ? basicDialects(settings) : sessionDialects(settings);
  const enter = isBasic ? tryCredentials : openSession;
  for (const dialect of candidates) {
    const secret = await enter(http, settings, dialect);
    if (secret === undefined) continue;
    onSecret(secret);
    const headers = isBasic ? { authorization: `Basic ${secret}` } : { [sessionHeader]: secret };
    return { headers, dialect, isHeld: !isBasic };
  }
  const { release, prefix } = settings;
  const tried = candidates.map((dialect) =>
    isBasic ? `${dialect.prefix}${triedPath}` : dialect.sessionPath,
  );
  const [only, ...more] = [...new Set(tried)];
  const list =
    more.length === 0 ? `does not know ${only}` : `knows neither ${[only, ...more].join(" nor ")}`;
  const doubt = release === undefined ? "" : `, and ${release} its release`;
  const way = isBasic
    ? "where it has nothing but the resize, set prefix: none"
    : "where it gives out no sessions, set login: basic";
  const ways = prefix === undefined || !isBasic ? `; ${way}` : "";
  throw new RemoteError({
    kind: "invalid",
    effect: "none",
    status: 404,
    message: `${http.origin} ${list} (is url an appliance's${doubt}?)${ways}`,
  });
}

/** The only one that settings leave, or those that are tried. */
function basicDialects({ prefix, release }: Settings): readonly Dialect[] {
  if (prefix !== undefined) return [dialects[prefix]];
  return release === undefined ? [restDialect, apiDialect, plainDialect] : [dialectOf(release)];
}

/** Where there is no prefix, a session comes from wherever there is one, and is ended there. */
function sessionDialects({ prefix, release }: Settings): readonly Dialect[] {
  const known = release === undefined ? [restDialect, apiDialect] : [dialectOf(release)];
  if (prefix === undefined) return known;
  if (prefix !== "none") return [dialects[prefix]];
  return known.map(({ sessionPath, wrapped }) => ({ ...plainDialect, sessionPath, wrapped }));
}

/**
 * Ends a session; whether the server confirmed it. Never throws: one that stays will expire. From
 * `nowMs` on it has a short limit of its own.
 */
export async function logout(
  http: HttpClient,
  { basePath }: Pick<ApplianceSettings, "basePath">,
  { headers, dialect, isHeld }: LiveSession,
  nowMs: number,
): Promise<boolean> {
  // Credentials let in whatever is still on its way.
  if (!isHeld) return false;
  const call: HttpCall = {
    class: "session",
    method: "DELETE",
    path: `${basePath}${dialect.sessionPath}`,
    headers: { accept: "application/json", ...headers },
    deadlineMs: nowMs + logoutLimitMs,
  };
  return orElse(
    // One that is not known there is as good as ended.
    () => http.call(call, ({ status }) => isOk(status) || status === 401),
    () => false,
  );
}

function encoded({ user, password }: Settings["credentials"]): string {
  return Buffer.from(`${user}:${password}`, "utf8").toString("base64");
}

/** What is asked to find out who is let in: cheap, and there in each release. */
const triedPath = "/appliance/health/storage";

/** What the specification says is there besides the resize: a page for people. */
const explorerPath = "/apiexplorer";

/**
 * The credentials as a request carries them, or undefined when this dialect is not spoken. Where
 * settings name it, nothing is asked: there may be nothing that could be read.
 */
async function tryCredentials(
  http: HttpClient,
  settings: Settings,
  dialect: Dialect,
): Promise<string | undefined> {
  const { basePath, credentials, prefix } = settings;
  const basic = encoded(credentials);
  if (prefix !== undefined) return basic;
  const ask = (path: string, isSpoken: (reply: HttpReply) => boolean): Promise<boolean> =>
    http.call(
      {
        class: "session",
        method: "GET",
        path: `${basePath}${path}`,
        headers: { accept: "application/json", authorization: `Basic ${basic}` },
      },
      isSpoken,
    );
  const isHealthTold = await ask(`${dialect.prefix}${triedPath}`, (reply) => {
    if (reply.status === 404) return false;
    // What fails here is optional, and is asked for again.
    if (reply.status >= 500 && faultedBy(reply)) return true;
    if (!isOk(reply.status)) throw refusedLogin(reply, credentials.user);
    readValue(reply, "session", dialect);
    return true;
  });
  if (isHealthTold) return basic;
  if (dialect !== plainDialect) return undefined;
  return (await ask(explorerPath, ({ status }) => isOk(status))) ? basic : undefined;
}

/** In the appliance's own words, not those of something in front of it. */
function faultedBy(reply: HttpReply): boolean {
  return ownFault(reply) !== undefined;
}

/** The session's id, or undefined when this dialect is not spoken. */
function openSession(
  http: HttpClient,
  { basePath, credentials }: Settings,
  dialect: Dialect,
): Promise<string | undefined> {
  const { user } = credentials;
  const basic = encoded(credentials);
  return http.call(
    {
      class: "session",
      method: "POST",
      path: `${basePath}${dialect.sessionPath}`,
      headers: {
        accept: "application/json",
        authorization: `Basic ${basic}`,
        "content-type": "application/json",
      },
      isPrivate: true,
    },
    (reply) => {
      if (reply.status === 404) return undefined;
      if (!isOk(reply.status)) throw refusedLogin(reply, user);
      const id = valueOf(reply, dialect);
      // A header cannot carry anything else.
      if (typeof id === "string" && /^[\x21-\x7e]+$/.test(id)) return id;
      throw unreadableReply(reply, "session", "instead of a session id");
    },
  );
}

function valueOf(reply: HttpReply, dialect: Dialect): Value | undefined {
  try {
    return readValue(reply, "session", dialect);
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

function refusedLogin(reply: HttpReply, user: string): RemoteError {
  const error = applianceError(reply, "session");
  if (error.kind !== "unauthorized") return error;
  return new RemoteError({
    kind: "unauthorized",
    effect: "none",
    status: reply.status,
    message: `login refused for ${user}; check user and password`,
  });
}
