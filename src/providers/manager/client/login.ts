/**
 * Logging in and out. The session is a cookie that is kept by hand: its name is the server's, and
 * the quotes around its value are part of it (wire facts D.1, D.3).
 */

import type { HttpCall, HttpClient, HttpReply } from "../../../http/call.ts";
import { unreadableReply } from "../../../http/reply.ts";
import { maskedText } from "../../../lib/mask.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import { orElse } from "../../kit/refusal.ts";
import type { ServiceContent } from "./client.ts";
import { childIn, textIn, textNode } from "./element.ts";
import { faultOf } from "./fault.ts";
import { readServiceContent, serviceInstance } from "./service-content.ts";
import type { ManagerSettings } from "./settings.ts";
import { envelopeOf } from "./soap.ts";
import { readResponse } from "./soap-reply.ts";

/** One session of the server, from its login until it is ended or expires. */
export type LiveSession = {
  /** Value of the `Cookie` header. */
  readonly cookie: string;
  /** As the server spells it. */
  readonly user: string;
};

const logoutLimitMs = 5000;

/** Needs no login, and is understood in whatever version. */
export async function retrieveContent(
  http: HttpClient,
  settings: Pick<ManagerSettings, "basePath">,
): Promise<ServiceContent> {
  const method = "RetrieveServiceContent";
  const call: HttpCall = {
    class: "session",
    method: "POST",
    path: `${settings.basePath}/sdk`,
    headers: soapHeaders(undefined),
    body: envelopeOf(method, serviceInstance),
  };
  return http.call(call, (reply) =>
    readServiceContent(reply, readResponse(reply, method, "session")),
  );
}

/**
 * Opens a session. `onCookie` hears of its secret before anything else is done with the reply.
 * Throws `RemoteError`; a session whose reply cannot be read is ended before.
 */
export async function login(
  http: HttpClient,
  settings: ManagerSettings,
  content: ServiceContent,
  onCookie: (secret: string) => void,
): Promise<LiveSession> {
  const { user, password, basePath } = settings;
  const method = "Login";
  const args = [textNode("userName", user), textNode("password", password)];
  const call: HttpCall = {
    class: "session",
    method: "POST",
    path: `${basePath}/sdk`,
    headers: soapHeaders(content),
    body: envelopeOf(method, content.sessionManager, args),
    redact: withoutKey,
    isPrivate: true,
  };
  const { reply, cookie } = await http.call(call, (answer) => {
    // No other status opens a session.
    if (answer.status !== 200) responseOf(answer, method, settings);
    const pairs = cookiePairs(answer);
    for (const [, value] of pairs) for (const form of [value, bare(value)]) onCookie(form);
    return { reply: answer, cookie: pairs.map(([name, value]) => `${name}=${value}`).join("; ") };
  });
  try {
    const session = childIn(responseOf(reply, method, settings), "returnval");
    if (cookie === "") throw unreadableReply(reply, "session", "without a session cookie");
    if (session === undefined) throw unreadableReply(reply, "session", "instead of a session");
    return { cookie, user: textIn(session, "userName") ?? user };
  } catch (error) {
    if (cookie !== "") await logout(http, { settings, content, cookie, nowMs: 0 });
    throw error;
  }
}

export type Logout = {
  readonly settings: Pick<ManagerSettings, "basePath">;
  readonly content: ServiceContent;
  readonly cookie: string;
  /** Zero: no limit beside the request's own. */
  readonly nowMs: number;
};

/** Ends a session; whether the server confirmed it. Never throws: one that stays will expire. */
export async function logout(http: HttpClient, end: Logout): Promise<boolean> {
  const { settings, content, cookie, nowMs } = end;
  const call: HttpCall = {
    class: "session",
    method: "POST",
    path: `${settings.basePath}/sdk`,
    headers: { ...soapHeaders(content), cookie },
    body: envelopeOf("Logout", content.sessionManager),
    ...(nowMs === 0 ? {} : { deadlineMs: nowMs + logoutLimitMs }),
  };
  return orElse(
    () => http.call(call, ({ status }) => status >= 200 && status < 300),
    () => false,
  );
}

/** The version decides what the server shows; before it is known, the oldest one answers. */
export function soapHeaders(content: Pick<ServiceContent, "apiVersion"> | undefined): {
  readonly [name: string]: string;
} {
  const version = content === undefined ? "" : `/${content.apiVersion}`;
  return {
    "content-type": 'text/xml; charset="utf-8"',
    soapaction: `"urn:vim25${version}"`,
  };
}

function responseOf(reply: HttpReply, method: string, { user }: ManagerSettings) {
  try {
    return readResponse(reply, method, "session");
  } catch (error) {
    const fault = faultOf(error);
    if (fault?.type !== "InvalidLogin") throw error;
    const words = fault.message === "" ? "" : ` (${fault.message})`;
    throw new RemoteError({
      kind: "unauthorized",
      effect: "none",
      status: reply.status,
      message: `login refused for ${user}${words}; check user and password`,
      cause: fault,
    });
  }
}

/** Name and value of each cookie of a reply, without its attributes. */
function cookiePairs({ setCookies }: HttpReply): readonly (readonly [string, string])[] {
  return setCookies.flatMap((written) => {
    const [pair = ""] = written.split(";");
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
  });
}

function bare(value: string): string {
  return value.replace(/^"(.*)"$/, "$1");
}

/** The key of a session says which one it is. */
function withoutKey(body: string): string {
  return body.replaceAll(/(<(?:\w+:)?key\b[^>]*>)[^<]*/g, `$1${maskedText}`);
}
