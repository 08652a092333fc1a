/**
 * Sessions: they begin by SOAP or by the object browser, and end by logging out, by idling, or with
 * the process (wire facts D.1, D.3).
 */

import { randomBytes } from "node:crypto";
import type { RequestHeaders } from "../../kit/answer.ts";
import { hasIdledOut, reportOf, type SessionReport } from "../../kit/sessions.ts";
import { afterEvent } from "./alarm.ts";
import { eventsMax, type ManagerEvent } from "./event.ts";
import type { ManagerUser } from "./inventory.ts";
import { type ManagerState, takeNumber } from "./manager-state.ts";
import type { ManagerSession } from "./session-record.ts";

/** What the control surface tells of sessions. */
export type ManagerSessionReport = SessionReport<{ readonly user: string }>;

const cookieName = "vmware_soap_session";

/** The quotes are part of the value (wire facts D.1). */
export function sessionCookie(id: string): string {
  return `${cookieName}="${id}"; Path=/; HttpOnly; Secure`;
}

/** A client that has taken the quotes for quotation is understood, too. */
function givenSessionId(headers: RequestHeaders): string | undefined {
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [name, ...value] = pair.trim().split("=");
    if (name === cookieName) return value.join("=").replace(/^"(.*)"$/, "$1");
  }
  return undefined;
}

export function newSessionId(): string {
  return randomBytes(20).toString("hex");
}

/** The session of a request, its idle time begun anew; undefined when there is none, or no more. */
export function touchSession(
  state: ManagerState,
  headers: RequestHeaders,
  nowMs: number,
): ManagerSession | undefined {
  const session = state.sessions.get(givenSessionId(headers) ?? "");
  if (session === undefined || hasIdledOut(state.rules, session, nowMs)) return undefined;
  session.lastMs = nowMs;
  session.calls += 1;
  return session;
}

/**
 * The user whom name and password fit: the name alone, with the domain in front of a backslash, or
 * with the domain behind an `@`.
 */
export function findUser(
  state: ManagerState,
  name: string,
  password: string,
): ManagerUser | undefined {
  const domain = state.rules.login_domain.toLowerCase();
  const lower = name.toLowerCase();
  return state.users.find((user) => {
    const own = user.name.toLowerCase();
    const isNamed = [own, `${domain}\\${own}`, `${own}@${domain}`].includes(lower);
    return isNamed && user.password === password;
  });
}

/** As sessions, tasks and events name a user. */
export function nameWithDomain(state: ManagerState, name: string): string {
  const { login_domain: loginDomain } = state.rules;
  const hasDomain = loginDomain === "" || name.includes("\\") || name.includes("@");
  return hasDomain ? name : `${loginDomain}\\${name}`;
}

/** Begins a session and tells it as an event, which may trigger alarms. */
export function openSession(
  state: ManagerState,
  user: ManagerUser,
  userAgent: string,
  nowMs: number,
): ManagerSession {
  const session: ManagerSession = {
    id: newSessionId(),
    key: `52${randomBytes(15).toString("hex")}`,
    user,
    userName: nameWithDomain(state, user.name),
    loginMs: nowMs,
    userAgent,
    nonce: `52${randomBytes(15).toString("hex")}`,
    lastMs: nowMs,
    calls: 0,
    views: new Map(),
    pages: new Map(),
    collectors: new Map(),
    propertyCollectors: new Map(),
  };
  state.sessions.set(session.id, session);
  state.sessionCounts.opened += 1;
  postEvent(state, { kind: "login", ...eventOf(session), createdMs: nowMs, loginMs: null });
  return session;
}

export function closeSession(state: ManagerState, session: ManagerSession, nowMs: number): void {
  if (!state.sessions.delete(session.id)) return;
  state.sessionCounts.loggedOut += 1;
  const { loginMs } = session;
  postEvent(state, { kind: "logout", ...eventOf(session), createdMs: nowMs, loginMs });
}

function eventOf(session: ManagerSession) {
  return {
    user: session.userName,
    ipAddress: "127.0.0.1",
    userAgent: session.userAgent,
    sessionId: session.key,
  };
}

export function postEvent(state: ManagerState, event: Omit<ManagerEvent, "key">): void {
  const posted = { key: takeNumber(state), ...event };
  state.events = [...state.events, posted].slice(-eventsMax);
  for (const alarm of state.alarms.values()) state.alarms.set(alarm.id, afterEvent(alarm, posted));
}

export function reportManagerSessions(state: ManagerState, nowMs: number): ManagerSessionReport {
  return reportOf(state, nowMs, ({ userName }) => ({ user: userName }));
}
