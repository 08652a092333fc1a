/**
 * Logging in: the version is negotiated first, then one request with the credentials answers a
 * token and, in its words, the dialect of the server (specification, section A, endpoint 1; wire
 * facts A.1).
 */

import type { HttpCall, HttpClient, HttpReply } from "../../../http/call.ts";
import { unreadableReply } from "../../../http/reply.ts";
import { attributeOf, type XmlElement } from "../../../lib/xml/xml.ts";
import { RemoteError, retold } from "../../../model/operation/remote-error.ts";
import { orElse } from "../../kit/refusal.ts";
import type { CloudUser, Dialect } from "./client.ts";
import { learnDialect, tokenHeadersOf, versionOf } from "./dialect.ts";
import { cloudError, isOk, readDocument } from "./reply.ts";
import type { CloudSettings } from "./settings.ts";
import { chooseVersion, type OfferedVersion, readVersions } from "./versions.ts";

export type Negotiated = {
  readonly version: OfferedVersion;
  /** Oldest first. */
  readonly offered: readonly string[];
};

/** One session of the server, from its login until it is ended or expires. */
export type LiveSession = {
  readonly token: string;
  readonly dialect: Dialect;
  readonly who: CloudUser;
};

type Settings = Pick<CloudSettings, "origin" | "basePath" | "credentials" | "apiVersion">;

const logoutLimitMs = 5000;

/** Which version to speak. Needs no login, and no version in its `Accept` (wire facts A.1.5). */
export async function negotiate(http: HttpClient, settings: Settings): Promise<Negotiated> {
  const { origin, basePath } = settings;
  const offered = await askVersions(http, basePath).catch(async (error: unknown) => {
    const isAnswered = error instanceof RemoteError && error.status !== undefined;
    if (basePath === "" || !isAnswered) throw error;
    throw retold(error, `${error.message}; ${await adviceFor(http, origin, basePath)}`);
  });
  const version = chooseVersion(offered, settings.apiVersion);
  return { version, offered: offered.map((each) => each.version) };
}

async function askVersions(http: HttpClient, basePath: string): Promise<readonly OfferedVersion[]> {
  const path = `${basePath}/api/versions`;
  return http.call({ class: "session", method: "GET", path }, (reply) => {
    if (!isOk(reply.status)) throw cloudError(reply, "read");
    const { root } = readDocument(reply, "read");
    const versions = readVersions(root);
    if (versions !== undefined && versions.length > 0) return versions;
    throw unreadableReply(reply, "read", "instead of a list of API versions (is url a cloud's?)");
  });
}

/** The address of a page, say, was taken for that of the API: the API is asked for at its root. */
async function adviceFor(http: HttpClient, origin: string, basePath: string): Promise<string> {
  return orElse(
    async () => {
      await askVersions(http, "");
      return `the API is at ${origin}: set url: ${JSON.stringify(origin)}`;
    },
    () => `is ${basePath} part of the cloud's url?`,
  );
}

/**
 * Opens a session. `onToken` hears of a token before anything else is done with the reply. Throws
 * `RemoteError`; a session whose reply cannot be read is ended before.
 */
export async function login(
  http: HttpClient,
  settings: Settings,
  { version }: Negotiated,
  onToken: (token: string) => void,
): Promise<LiveSession> {
  const { user, org, password } = settings.credentials;
  const basic = Buffer.from(`${user}@${org}:${password}`, "utf8").toString("base64");
  const reply = await http.call(
    {
      class: "session",
      method: "POST",
      path: settings.basePath + version.loginPath,
      headers: { accept: acceptOf(version.version), authorization: `Basic ${basic}` },
      isPrivate: true,
    },
    (answer) => {
      if (!isOk(answer.status)) throw refusedLogin(answer, `${user}@${org}`);
      return answer;
    },
  );
  const [tokenHeader, ...others] = tokenHeadersOf(reply);
  const token = tokenHeader === undefined ? undefined : reply.headers[tokenHeader];
  if (token !== undefined) onToken(token);
  try {
    if (tokenHeader === undefined || token === undefined || others.length > 0) {
      const why = others.length > 0 ? "with several session tokens" : "without a session token";
      throw unreadableReply(reply, "session", why);
    }
    return readSession(reply, { tokenHeader, token, settings, version: version.version });
  } catch (error) {
    if (tokenHeader !== undefined && token !== undefined) {
      await logout(http, { settings, tokenHeader, token, version: version.version, nowMs: 0 });
    }
    throw error;
  }
}

export type Logout = {
  readonly settings: Pick<CloudSettings, "basePath">;
  readonly tokenHeader: string;
  readonly token: string;
  readonly version: string;
  /** Zero: no limit beside the request's own. */
  readonly nowMs: number;
};

/**
 * Ends a session (wire facts A.1.4); whether the cloud confirmed it. Never throws: one that stays
 * will expire.
 */
export async function logout(http: HttpClient, end: Logout): Promise<boolean> {
  const { settings, tokenHeader, token, version, nowMs } = end;
  const call: HttpCall = {
    class: "session",
    method: "DELETE",
    path: `${settings.basePath}/api/session`,
    headers: { accept: acceptOf(version), [tokenHeader]: token },
    ...(nowMs === 0 ? {} : { deadlineMs: nowMs + logoutLimitMs }),
  };
  return orElse(
    // One that is not known there is as good as ended.
    () => http.call(call, ({ status }) => isOk(status) || status === 401),
    () => false,
  );
}

/** `Accept` of a version: the server refuses requests without one (wire facts A.7). */
export function acceptOf(version: string): string {
  return `application/*+xml;version=${version}`;
}

type SessionReply = {
  readonly tokenHeader: string;
  readonly token: string;
  readonly settings: Settings;
  readonly version: string;
};

function readSession(reply: HttpReply, given: SessionReply): LiveSession {
  const root = sessionRoot(reply);
  const dialect = learnDialect(reply, root, given.tokenHeader);
  if (dialect === undefined) {
    throw unreadableReply(reply, "session", "names no media type of a session");
  }
  const answered = versionOf(reply.headers["content-type"]);
  if (answered !== undefined && answered !== given.version) {
    const why = `in version ${answered}, though ${given.version} was asked for`;
    throw unreadableReply(reply, "session", why);
  }
  const { credentials } = given.settings;
  const org = attributeOf(root, "org") ?? credentials.org;
  const user = attributeOf(root, "user") ?? credentials.user;
  // The server says "System" where people write "system" (wire facts A.1.1).
  const isSystem = org.toLowerCase() === "system";
  return { token: given.token, dialect, who: { user, org, isSystem } };
}

function sessionRoot(reply: HttpReply): XmlElement {
  const { root } = readDocument(reply, "session");
  if (root.local === "Session") return root;
  throw unreadableReply(reply, "session", "instead of Session");
}

/** The credentials were refused with an empty body (wire facts A.1.2). */
function refusedLogin(reply: HttpReply, who: string): RemoteError {
  const error = cloudError(reply, "session");
  if (reply.status !== 401) return error;
  return new RemoteError({
    kind: "unauthorized",
    effect: "none",
    status: 401,
    message: `login refused for ${who}; check user, org and password`,
  });
}
