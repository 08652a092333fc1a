/**
 * Logging in and out: HTTP basic credentials for a session id, which later requests carry as a
 * header (specification, section C; wire facts C.1); or the credentials with every request, for an
 * appliance that gives out no sessions. Cookies are never sent.
 */

import type { HttpClient, HttpReply } from "../../http/call.ts";
import { unreadableReply } from "../../http/reply.ts";
import { RemoteError } from "../../model/remote-error.ts";
import type { Value } from "../../model/value.ts";
import { apiDialect, type Dialect, dialectOf, restDialect } from "./release.ts";
import { applianceError, isOk, readValue } from "./reply.ts";
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

type Settings = Pick<ApplianceSettings, "basePath" | "credentials" | "login" | "release">;

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
  const { release } = settings;
  const dialects = release === undefined ? [restDialect, apiDialect] : [dialectOf(release)];
  const isBasic = settings.login === "basic";
  const enter = isBasic ? tryCredentials : openSession;
  for (const dialect of dialects) {
    const secret = await enter(http, settings, dialect);
    if (secret === undefined) continue;
    onSecret(secret);
    const headers = isBasic ? { authorization: `Basic ${secret}` } : { [sessionHeader]: secret };
    return { headers, dialect, isHeld: !isBasic };
  }
  const tried = dialects
    .map(({ prefix, sessionPath }) => (isBasic ? `${prefix}${triedPath}` : sessionPath))
    .join(" nor ");
  const start = release === undefined ? "knows neither" : "does not know";
  const doubt = release === undefined ? "" : `, and ${release} its release`;
  throw new RemoteError({
    kind: "invalid",
    effect: "none",
    status: 404,
    message: `${http.origin} ${start} ${tried} (is url an appliance's${doubt}?)`,
  });
}

/** Ends a session. Never throws: one that stays will expire. `nowMs` begins its own short limit. */
export async function logout(
  http: HttpClient,
  { basePath }: Pick<ApplianceSettings, "basePath">,
  { headers, dialect, isHeld }: LiveSession,
  nowMs: number,
): Promise<void> {
  if (!isHeld) return;
  try {
    await http.call(
      {
        class: "session",
        method: "DELETE",
        path: `${basePath}${dialect.sessionPath}`,
        headers: { accept: "application/json", ...headers },
        deadlineMs: nowMs + logoutLimitMs,
      },
      () => undefined,
    );
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
  }
}

function encoded({ user, password }: Settings["credentials"]): string {
  return Buffer.from(`${user}:${password}`, "utf8").toString("base64");
}

/** What is asked to find out who is let in: cheap, and there in each release. */
const triedPath = "/appliance/health/storage";

/** The credentials as a request carries them, or undefined when this dialect is not spoken. */
function tryCredentials(
  http: HttpClient,
  { basePath, credentials }: Settings,
  dialect: Dialect,
): Promise<string | undefined> {
  const basic = encoded(credentials);
  return http.call(
    {
      class: "session",
      method: "GET",
      path: `${basePath}${dialect.prefix}${triedPath}`,
      headers: { accept: "application/json", authorization: `Basic ${basic}` },
    },
    (reply) => {
      if (reply.status === 404) return undefined;
      if (!isOk(reply.status)) throw refusedLogin(reply, credentials.user);
      readValue(reply, "session", dialect);
      return basic;
    },
  );
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
      // The reply is nothing but the id.
      redact: () => "",
    },
    (reply) => {
      if (reply.status === 404) return undefined;
      if (!isOk(reply.status)) throw refusedLogin(reply, user);
      const id = valueOf(reply, dialect);
      // A header cannot carry anything else.
      if (typeof id === "string" && /^[\x21-\x7e]+$/.test(id)) return id;
      // It may hold an id all the same, which nobody is to read.
      const hidden = /^\s*["{[]/.test(reply.text) ? { ...reply, text: "" } : reply;
      throw unreadableReply(hidden, "session", "instead of a session id");
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
