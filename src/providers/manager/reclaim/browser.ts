/**
 * Methods that only the object browser offers: the page of the method gives a cookie and a nonce,
 * its form is sent once, and the page that comes back names a task (wire facts D.1). The session of
 * the browser is one of its own, opened for one call and ended after it, whatever became of the
 * call.
 */

import type { CallClass, HttpCall, HttpClient, HttpReply } from "../../../http/call.ts";
import { statusError, unreadableReply } from "../../../http/reply.ts";
import { createSecretMask, maskedText } from "../../../lib/mask.ts";
import type { Clock } from "../../../model/clock.ts";
import {
  RemoteError,
  type RemoteErrorKind,
  retold,
} from "../../../model/operation/remote-error.ts";
import { orElse } from "../../kit/refusal.ts";
import { describeFault, faultError } from "../client/fault.ts";
import type { ManagerSettings } from "../client/settings.ts";
import { readMethodPage, readResultPage } from "./browser-page.ts";
import {
  type BrowserCall,
  browserRequest,
  formFields,
  formType,
  nonceField,
} from "./browser-request.ts";

export type BrowserPorts = {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly settings: Pick<ManagerSettings, "basePath" | "user" | "password">;
};

const logoutLimitMs = 5000;

/** How an object browser is turned on; a single host has none until somebody does. */
const wayOn =
  "turn it on (config.vpxd.enableDebugBrowse of a manager, " +
  "Config.HostAgent.plugins.solo.enableMob of a single host), and look whether url is right";

/**
 * Id of the task that the method began. The form is sent at most once. Throws `RemoteError`; what
 * goes wrong before the form is sent had no effect.
 */
export async function invokeInBrowser(ports: BrowserPorts, call: BrowserCall): Promise<string> {
  const mask = createSecretMask([ports.settings.password]);
  let cookie = "";
  let isSent = false;
  try {
    const page = await getPage(ports, call);
    const pairs = cookiesOf(page);
    cookie = pairs.map(([name, value]) => `${name}=${value}`).join("; ");
    for (const [, value] of pairs) {
      mask.add(value);
      mask.add(value.replace(/^"(.*)"$/, "$1"));
    }
    const nonce = nonceOf(page, ports, (text) => mask.mask(text));
    mask.add(nonce);
    if (cookie === "") throw flaw(page, "session", "without a session cookie");
    isSent = true;
    const hide = (body: string): string => mask.mask(withoutNonce(body));
    return await sendForm(ports, call, { cookie, nonce, hide });
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    // Until the form is sent the method was not called, whatever became of the session.
    throw retold(error, mask.mask(error.message), isSent ? {} : { effect: "none" });
  } finally {
    if (cookie !== "") await logout(ports, cookie);
  }
}

/** Any reply: a refused one may have opened a session, which is to be ended. */
async function getPage({ http, settings }: BrowserPorts, call: BrowserCall): Promise<HttpReply> {
  const { user, password, basePath } = settings;
  if (user.includes(":")) {
    throw refused("invalid", `user ${user} holds a colon, which the object browser cannot take`);
  }
  const basic = Buffer.from(`${user}:${password}`, "utf8").toString("base64");
  const get: HttpCall = {
    class: "session",
    method: "GET",
    path: `${basePath}${browserRequest(call).path}`,
    headers: { authorization: `Basic ${basic}`, accept: "text/html" },
    deadlineMs: call.deadlineMs,
    redact: withoutNonce,
  };
  try {
    return await http.call(get, (reply) => reply);
  } catch (error) {
    if (!(error instanceof RemoteError) || !isRedirect(error.status)) throw error;
    throw refused(
      "precondition",
      `${error.message}: the object browser is not there, or wants another login; ${wayOn}`,
      error.status,
    );
  }
}

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 400;
}

/** The nonce of the form. Each other page is an error of its own. */
function nonceOf(
  raw: HttpReply,
  { settings }: BrowserPorts,
  hide: (text: string) => string,
): string {
  const reply = { ...raw, text: hide(raw.text) };
  if (reply.status !== 200) throw pageError(reply, settings.user);
  const told = readMethodPage(raw.text);
  const page = told.kind === "form" ? told : readMethodPage(reply.text);
  switch (page.kind) {
    case "form":
      return page.nonce;
    case "login":
      throw refused(
        "precondition",
        "a login form stands where the object browser should be: it is turned off, or takes no " +
          `login by password; ${wayOn}`,
        reply.status,
      );
    case "fault":
      throw faultError(page.fault, { status: reply.status, callClass: "session" });
    case "other":
      throw flaw(
        reply,
        "session",
        `without the field ${nonceField} (${page.words}): not the form of a method`,
      );
  }
}

/** A browser that is turned off answers in several ways, none of which says so. */
function pageError(reply: HttpReply, user: string): RemoteError {
  const { status, retryAfterMs } = reply;
  const error = statusError(reply, "session");
  if (status === 401) {
    const message = `the object browser refused the login of ${user}; check user and password`;
    return refused("unauthorized", message, status);
  }
  const isOff = status === 404 || status === 501 || (status === 503 && retryAfterMs === undefined);
  if (!isOff) return retold(error, `the object browser: ${error.message}`);
  const message =
    `no page of the object browser (${error.message}): it is turned off, or there is no such ` +
    `object; ${wayOn}`;
  return refused("precondition", message, status);
}

type BrowserSession = {
  readonly cookie: string;
  readonly nonce: string;
  /** Takes the secrets of the session out of a body. */
  readonly hide: (body: string) => string;
};

async function sendForm(
  { http, settings }: BrowserPorts,
  call: BrowserCall,
  { cookie, nonce, hide }: BrowserSession,
): Promise<string> {
  const body = [...formFields([[nonceField, nonce]]), ...formFields(call.parameters)].join("&");
  return http.call(
    {
      class: "mutate",
      method: "POST",
      path: `${settings.basePath}${browserRequest(call).path}`,
      headers: { "content-type": formType, accept: "text/html", cookie },
      body,
      deadlineMs: call.deadlineMs,
      redact: hide,
    },
    (reply) => taskOf(reply, settings.user),
  );
}

/** Only a page with the literal and a task is success, whatever the status says. */
function taskOf(reply: HttpReply, user: string): string {
  const { status } = reply;
  const page = readResultPage(reply.text);
  switch (page.kind) {
    case "task":
      if (status === 200) return page.task;
      throw statusError(reply, "mutate");
    case "fault": {
      const error = faultError(page.fault, { status, callClass: "mutate" });
      throw retold(error, `the object browser answered ${describeFault(page.fault)}`);
    }
    case "forgery":
      throw refused(
        "precondition",
        `the object browser did not take the form for one of its own (${page.words}): cookie or ` +
          `${nonceField} got lost; look for something in between that drops cookies`,
        status,
      );
    case "value":
      throw flaw(reply, "mutate", `with result ${page.type} instead of a task`);
    case "login":
    case "other":
      if (status === 401) {
        throw refused("unauthorized", `the object browser refused the form of ${user}`, status);
      }
      if (status !== 200) throw statusError(reply, "mutate");
      throw flaw(reply, "mutate", "without a Method Invocation Result: the page is not as known");
  }
}

/** Never throws: a session that stays will expire. */
async function logout({ http, settings, clock }: BrowserPorts, cookie: string): Promise<void> {
  const call: HttpCall = {
    class: "session",
    method: "GET",
    path: `${settings.basePath}/mob/logout`,
    headers: { cookie },
    deadlineMs: clock.now() + logoutLimitMs,
  };
  await orElse(
    () => http.call(call, () => undefined),
    () => undefined,
  );
}

/** Name and value of each cookie; the quotes around a value are part of it. */
function cookiesOf({ setCookies }: HttpReply): readonly (readonly [string, string])[] {
  return setCookies.flatMap((written) => {
    const [pair = ""] = written.split(";");
    const at = pair.indexOf("=");
    const value = pair.slice(at + 1).trim();
    return at < 1 || value === "" ? [] : [[pair.slice(0, at).trim(), value] as const];
  });
}

/** A page that cannot be read; after the form was sent, only the server's tasks tell. */
function flaw(reply: HttpReply, callClass: CallClass, why: string): RemoteError {
  const error = unreadableReply({ ...reply, text: withoutNonce(reply.text) }, callClass, why);
  return retold(error, `the object browser answered ${error.message}`);
}

function refused(kind: RemoteErrorKind, message: string, status?: number): RemoteError {
  return new RemoteError({
    kind,
    effect: "none",
    message,
    ...(status === undefined ? {} : { status }),
  });
}

/** Of a page, or of a form that is sent. */
function withoutNonce(body: string): string {
  const form = new RegExp(`^${nonceField}=[^&]*`);
  const sent = body.replace(form, `${nonceField}=${maskedText}`);
  return sent.replaceAll(/<input\b[^>]*>/gi, (input) =>
    input.includes(nonceField)
      ? input.replace(/\bvalue\s*=\s*("[^"]*"|'[^']*'|[^\s>]*)/i, `value="${maskedText}"`)
      : input,
  );
}
