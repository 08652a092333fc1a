/**
 * Versions, login, the running session, logout (specification, section A, endpoint 1 and
 * Authentication; wire facts A.1).
 *
 * The door of `session`, what a client sees before any VM: `organizations.ts` are organizations
 * and the roots of administrators, `datastores.ts` managers and datastores.
 */

import { randomBytes } from "node:crypto";
import type { Answer, SimulatorReply, SimulatorRequest } from "../../kit/answer.ts";
import { unchanged } from "../../kit/answer.ts";
import type { SessionReport } from "../../kit/sessions.ts";
import { hasIdledOut, reportOf } from "../../kit/sessions.ts";
import { uuidOf } from "../../kit/uuid.ts";
import { isAtLeast } from "../../kit/version.ts";
import type { CloudCall, UserCall } from "../rest/call.ts";
import { refuse, show } from "../rest/call.ts";
import type { Dialect } from "../rest/dialect.ts";
import {
  adminType,
  documentReply,
  elementIn,
  elementOf,
  emptyReply,
  linkTo,
  mediaType,
} from "../rest/document.ts";
import { refusalOf } from "../rest/refusal.ts";
import type { CloudState } from "../world/cloud-state.ts";
import type { CloudUser } from "../world/inventory.ts";
import { isAdministrator, isSameOrg } from "../world/inventory.ts";

/** Of version 1.0 alone: the URL must be taken per version (wire facts A.1.5). */
export const oldLoginPath = "/api/v1.0/login";

/** Needs neither login nor version; in a namespace of its own (wire facts A.1.5). */
export function listVersions(call: CloudCall): Answer {
  const { draft, state } = call;
  const namespace = draft.dialect.versionsNamespace;
  const element = (local: string, ...children: Parameters<typeof elementIn>[3] & {}) =>
    elementIn(namespace, local, {}, children);
  const root = element(
    "SupportedVersions",
    ...state.rules.versions.map((version) =>
      element(
        "VersionInfo",
        element("Version", version),
        element("LoginUrl", `${draft.base}${version === "1.0" ? oldLoginPath : "/api/sessions"}`),
        ...mappedTypes(version).map(([type, name]) =>
          element(
            "MediaTypeMapping",
            element("MediaType", mediaType(draft, type)),
            element("ComplexTypeName", name),
            element("SchemaLocation", `${draft.base}/api/v1.5/schema/master.xsd`),
          ),
        ),
      ),
    ),
  );
  const reply = documentReply(draft, "text/xml", root);
  return unchanged({ ...reply, headers: { "content-type": "text/xml;charset=UTF-8" } });
}

function mappedTypes(version: string): readonly (readonly [string, string])[] {
  const always = [
    ["relocateVmParams", "RelocateParamsType"],
    ["undeployVAppParams", "UndeployVAppParamsType"],
  ] as const;
  const later = [["createSnapshotParams", "CreateSnapshotParamsType"]] as const;
  return isAtLeast(version, "5.1") ? [...always, ...later] : always;
}

/**
 * The version that the Accept header asks for: `…;version=5.1`, spaces allowed. Refused with the
 * supported ones when absent or another (wire facts A.6.2).
 */
export function versionOf(state: CloudState, request: SimulatorRequest): string | undefined {
  const accept = request.headers.accept ?? "";
  for (const part of accept.split(",")) {
    const version = /;\s*version\s*=\s*"?([\d.]+)"?/.exec(part)?.[1];
    if (version !== undefined && state.rules.versions.includes(version)) return version;
  }
  return undefined;
}

export function wrongVersion(state: CloudState) {
  const versions = state.rules.versions.join(", ");
  return refusalOf(
    406,
    "NOT_ACCEPTABLE",
    `The request has invalid accept header. Supported API versions are: [${versions}].`,
  );
}

/** 401 with an empty body and without a content type (wire facts A.1.2). */
export function unauthorized(dialect: Dialect): SimulatorReply {
  const headers = { "www-authenticate": `BASIC realm="${dialect.realm}"` };
  return { status: 401, headers, body: "" };
}

export function logIn(call: CloudCall): Answer {
  const { state, draft } = call;
  const user = readCredentials(state, call.request.headers.authorization ?? "");
  if (user === undefined) return unchanged(unauthorized(draft.dialect));
  const token = newToken();
  state.sessions.set(token, { userId: user.id, lastMs: call.nowMs });
  state.sessionCounts.opened += 1;
  return show({ draft }, "session", sessionElement({ ...call, user }), {
    headers: {
      [draft.dialect.tokenHeader]: token,
      "set-cookie": `${draft.dialect.tokenCookie}=${token}; Secure; Path=/`,
    },
  });
}

export function getSession(call: UserCall): Answer {
  return show(call, "session", sessionElement(call));
}

export function logOut(call: UserCall): Answer {
  const token = givenToken(call.draft.dialect, call.request);
  if (token !== undefined && call.state.sessions.delete(token)) {
    call.state.sessionCounts.loggedOut += 1;
  }
  return unchanged(emptyReply(call.draft));
}

/**
 * The user of a request's session, with the rights of now, and the idle time begun anew: it slides
 * (wire facts A.1.3). The header alone is enough, and the cookie alone too; the header wins.
 */
export function touchSession(
  state: CloudState,
  dialect: Dialect,
  request: SimulatorRequest,
  nowMs: number,
): CloudUser | "none" | "expired" {
  const token = givenToken(dialect, request);
  const session = token === undefined ? undefined : state.sessions.get(token);
  if (token === undefined || session === undefined) return "none";
  if (hasIdledOut(state.rules, session, nowMs)) return "expired";
  const user = state.users.find((each) => each.id === session.userId);
  if (user === undefined) return "none";
  session.lastMs = nowMs;
  return user;
}

/** What the control surface tells of sessions. */
export type CloudSessionReport = SessionReport<{ readonly user: string; readonly org: string }>;

export function reportSessions(state: CloudState, nowMs: number): CloudSessionReport {
  return reportOf(state, nowMs, ({ userId }) => {
    const user = state.users.find((each) => each.id === userId);
    return { user: user?.name ?? "", org: user?.org ?? "" };
  });
}

function givenToken(dialect: Dialect, request: SimulatorRequest): string | undefined {
  const header = request.headers[dialect.tokenHeader];
  if (header !== undefined) return header;
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const [name, ...value] = pair.trim().split("=");
    if (name === dialect.tokenCookie) return value.join("=");
  }
  return undefined;
}

/** `user@org:password`; the organization stands behind the last `@` (wire facts A.1.1). */
function readCredentials(state: CloudState, authorization: string): CloudUser | undefined {
  const encoded = /^Basic\s+([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  const text = Buffer.from(encoded ?? "", "base64").toString("utf8");
  // A password may hold a colon or an @; neither a user name nor an organization holds a colon.
  const colon = text.indexOf(":");
  const at = text.lastIndexOf("@", colon);
  if (colon < 0 || at < 0) return undefined;
  const name = text.slice(0, at);
  const org = text.slice(at + 1, colon);
  const password = text.slice(colon + 1);
  return state.users.find(
    (user) => user.name === name && user.password === password && isSameOrg(user.org, org),
  );
}

/** 44 characters that end with `=` and may hold `/` and `+`, as recorded; never given out twice. */
function newToken(): string {
  return randomBytes(32).toString("base64");
}

/** Id of an organization; nothing else of it is part of the world. */
export function orgIdOf(state: CloudState, org: string): string {
  return uuidOf(state.seed, "org", org.toLowerCase());
}

/** The links depend on role and version (wire facts A.1.1). */
function sessionElement(call: UserCall) {
  const { draft, user, state } = call;
  const isLater = isAtLeast(draft.version, "5.1");
  const queryList = mediaType(draft, "query.queryList");
  const org = mediaType(draft, "org");
  const orgPath = `/api/org/${orgIdOf(state, user.org)}`;
  return elementOf(
    draft,
    "Session",
    {
      user: user.name,
      org: user.org,
      userId: isAtLeast(draft.version, "5.5")
        ? `${draft.dialect.urnPrefix}user:${user.id}`
        : undefined,
      type: mediaType(draft, "session"),
      href: `${draft.base}/api/session/`,
    },
    [
      linkTo(draft, "down", "/api/org/", mediaType(draft, "orgList")),
      isLater ? linkTo(draft, "remove", "/api/session/") : undefined,
      linkTo(draft, "down", "/api/admin/", adminType(draft, draft.dialect.adminRoot)),
      isAdministrator(user)
        ? linkTo(draft, "down", "/api/admin/extension", adminType(draft, "vmwExtension"))
        : undefined,
      linkTo(draft, "down", orgPath, org, user.org),
      linkTo(draft, "down", "/api/query", queryList),
      linkTo(draft, "entityResolver", "/api/entity/", mediaType(draft, "entity")),
      isLater
        ? linkTo(
            draft,
            "down:extensibility",
            "/api/extensibility",
            mediaType(draft, "apiextensibility"),
          )
        : undefined,
    ],
  );
}

/** Refusal of a session that has ended by idling; which status is not known for sure. */
export function expiredReply(call: CloudCall): Answer {
  if (call.state.rules.expired_session === 401) return unchanged(unauthorized(call.draft.dialect));
  return refuse(call, refusalOf(403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", "Access is forbidden"));
}
