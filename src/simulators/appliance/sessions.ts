/** Login, the running session, logout, and calls with credentials (wire facts C.1). */

import type { Answer, SimulatorRequest } from "../kit/answer.ts";
import { unchanged } from "../kit/answer.ts";
import { hasIdledOut } from "../kit/sessions.ts";
import type { ApplianceState } from "./appliance-state.ts";
import { openSession } from "./appliance-state.ts";
import type { ApplianceCall, ApplianceError } from "./call.ts";
import { emptyReply, refuse, valueReply } from "./call.ts";

const sessionHeader = "vmware-api-session-id";

export function logIn(call: ApplianceCall): Answer {
  const { state, form, nowMs, request } = call;
  const user = givenUser(state, request);
  if (user === undefined) return refuse(call, unauthenticated(state));
  const { id } = openSession(state, user, nowMs);
  const reply = valueReply(form, id, form === "rest" ? 200 : 201);
  const cookie = `${sessionHeader}=${id};Path=/${form};Secure;HttpOnly`;
  return unchanged({ ...reply, headers: { ...reply.headers, "set-cookie": cookie } });
}

/** Who is logged in: `?~action=get` under `/rest`, a plain GET under `/api`. */
export function getSession(call: ApplianceCall): Answer {
  const session = call.state.sessions.get(givenId(call.request) ?? "");
  if (session === undefined) return refuse(call, unauthenticated(call.state));
  return unchanged(
    valueReply(call.form, {
      user: session.user,
      created_time: new Date(session.createdMs).toISOString(),
      last_accessed_time: new Date(session.lastMs).toISOString(),
    }),
  );
}

export function logOut(call: ApplianceCall): Answer {
  const { state, form } = call;
  if (state.sessions.delete(givenId(call.request) ?? "")) state.sessionCounts.loggedOut += 1;
  return unchanged(emptyReply(form === "rest" ? 200 : 204));
}

/**
 * The request has a session, whose idle time begins anew, or credentials where those are enough.
 */
export function isAuthenticated(
  state: ApplianceState,
  request: SimulatorRequest,
  nowMs: number,
): boolean {
  const session = state.sessions.get(givenId(request) ?? "");
  if (session !== undefined && !hasIdledOut(state.world.rules, session, nowMs)) {
    session.lastMs = nowMs;
    return true;
  }
  return state.world.rules.basic === "accepted" && givenUser(state, request) !== undefined;
}

/** The text depends on the release (wire facts C.4). */
export function unauthenticated({ world }: ApplianceState): ApplianceError {
  const common = { status: 401, name: "unauthenticated" };
  return world.rules.release === "6.5"
    ? {
        ...common,
        id: "vapi.method.authentication.required",
        message: "This method requires authentication.",
      }
    : {
        ...common,
        id: "com.vmware.vapi.endpoint.method.authentication.required",
        message: "Authentication required.",
      };
}

/** The header, or the cookie of the same name. */
function givenId({ headers }: SimulatorRequest): string | undefined {
  const header = headers[sessionHeader];
  if (header !== undefined) return header;
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [name, value] = pair.trim().split("=");
    if (name === sessionHeader) return value;
  }
  return undefined;
}

function givenUser(state: ApplianceState, { headers }: SimulatorRequest): string | undefined {
  const encoded = /^Basic\s+([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? "")?.[1];
  const text = Buffer.from(encoded ?? "", "base64").toString("utf8");
  const colon = text.indexOf(":");
  const found = state.world.users.find(
    (user) => user.name === text.slice(0, colon) && user.password === text.slice(colon + 1),
  );
  return found?.name;
}
