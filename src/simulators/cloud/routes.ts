/** The cloud's table of routes: method, path and class of each, and who answers. */

import type { Answer, SimulatorReply, SimulatorRequest } from "../kit/answer.ts";
import { unchanged } from "../kit/answer.ts";
import type { RequestClass } from "../kit/request-log.ts";
import { runPackaged, runQuery } from "./query/queries.ts";
import type { CloudCall, UserCall } from "./rest/call.ts";
import { draftOf, refuse } from "./rest/call.ts";
import type { CloudRefusal } from "./rest/refusal.ts";
import { busyRefusal, refusalOf, refusalReply } from "./rest/refusal.ts";
import {
  getDatastore,
  getExtension,
  getManager,
  listDatastores,
  listManagers,
} from "./session/datastores.ts";
import {
  getAdminOrg,
  getAdminRoot,
  getExtensibility,
  getOrg,
  getVdc,
  listOrgs,
  resolveEntity,
} from "./session/organizations.ts";
import {
  expiredReply,
  getSession,
  listVersions,
  logIn,
  logOut,
  oldLoginPath,
  touchSession,
  unauthorized,
  versionOf,
  wrongVersion,
} from "./session/sessions.ts";
import { actionPaths, beginAction, deleteResource } from "./vm/actions.ts";
import { getResource, getSnapshotSection, getTemplate } from "./vm/resources.ts";
import { acquireTicket } from "./vm/screen.ts";
import { cancelTask, getTask, listTasks } from "./vm/tasks.ts";
import { reconfigureVm, replaceVm } from "./vm/updates.ts";
import type { CloudState } from "./world/cloud-state.ts";
import { settleCloud } from "./world/cloud-state.ts";
import type { CloudTaskPlan } from "./world/task.ts";

type Route = {
  readonly method: string;
  /** Segments; `*` stands for any one. */
  readonly pattern: string;
  readonly class: RequestClass;
} & (
  | { readonly needs: "nothing" | "version"; readonly answer: (call: CloudCall) => Answer }
  | { readonly needs: "session"; readonly answer: (call: UserCall) => Answer }
);

const read = (pattern: string, answer: (call: UserCall) => Answer): Route => ({
  method: "GET",
  pattern,
  class: "read",
  needs: "session",
  answer,
});

const mutate = (method: string, pattern: string, answer: (call: UserCall) => Answer): Route => ({
  method,
  pattern,
  class: "mutate",
  needs: "session",
  answer,
});

const datastoreQuery = "/api/admin/extension/datastores/query";

const routes: readonly Route[] = [
  {
    method: "GET",
    pattern: "/api/versions",
    class: "session",
    needs: "nothing",
    answer: listVersions,
  },
  { method: "POST", pattern: "/api/sessions", class: "session", needs: "version", answer: logIn },
  { method: "POST", pattern: oldLoginPath, class: "session", needs: "version", answer: logIn },
  {
    method: "GET",
    pattern: "/api/session",
    class: "session",
    needs: "session",
    answer: getSession,
  },
  {
    method: "DELETE",
    pattern: "/api/session",
    class: "session",
    needs: "session",
    answer: logOut,
  },
  read("/api/extensibility", getExtensibility),
  read("/api/org", listOrgs),
  read("/api/org/*", getOrg),
  read("/api/tasksList/*", listTasks),
  read("/api/query", runQuery),
  read("/api/vms/query", (call) => runPackaged(call, "vm", "/api/vms/query", "records")),
  read("/api/vApps/query", (call) => runPackaged(call, "vApp", "/api/vApps/query", "records")),
  // Its default format is another than that of /api/query (wire facts A.2.1).
  read(datastoreQuery, (call) => runPackaged(call, "datastore", datastoreQuery, "references")),
  read("/api/vdc/*", getVdc),
  read("/api/entity/*", resolveEntity),
  read("/api/admin", getAdminRoot),
  read("/api/admin/org/*", getAdminOrg),
  read("/api/admin/extension", getExtension),
  read("/api/admin/extension/datastores", listDatastores),
  read("/api/admin/extension/datastore/*", getDatastore),
  read("/api/admin/extension/vimServerReferences", listManagers),
  read("/api/admin/extension/vimServer/*", getManager),
  read("/api/task/*", getTask),
  mutate("POST", "/api/task/*/action/cancel", cancelTask),
  read("/api/vApp/*", getResource),
  read("/api/vAppTemplate/*", getTemplate),
  mutate("PUT", "/api/vApp/*", replaceVm),
  mutate("POST", "/api/vApp/*/action/reconfigureVm", reconfigureVm),
  mutate("DELETE", "/api/vApp/*", deleteResource),
  read("/api/vApp/*/snapshotSection", getSnapshotSection),
  ...actionPaths.map((path) =>
    mutate("POST", `/api/vApp/*/${path}`, (call) => beginAction(call, path)),
  ),
  {
    // It changes nothing of the inventory, and is over with the session or before.
    method: "POST",
    pattern: "/api/vApp/*/screen/action/acquireTicket",
    class: "session",
    needs: "session",
    answer: acquireTicket,
  },
];

/** Class of a request; an unknown route is a mutation unless its method only reads. */
export function classifyCloud(method: string, path: string): RequestClass {
  const route = routes.find((each) => each.method === method && match(each, path) !== undefined);
  if (route !== undefined) return route.class;
  return method === "GET" || method === "HEAD" || method === "OPTIONS" ? "read" : "mutate";
}

/** Answers one request. `plan` says how the task is to end that the request begins. */
export function answerCloud(
  state: CloudState,
  request: SimulatorRequest,
  nowMs: number,
  plan: CloudTaskPlan | undefined,
): Answer {
  settleCloud(state, nowMs);
  const version = versionOf(state, request);
  const draft = draftFor(state, request);
  const found = routeOf(request);
  if (found === 404) return refuse({ draft }, refusalOf(404, "RESOURCE_NOT_FOUND", "Not Found"));
  if (found === 405) {
    return refuse({ draft }, refusalOf(405, "METHOD_NOT_ALLOWED", "Method Not Allowed"));
  }
  const { route, segments } = found;
  const call: CloudCall = { state, nowMs, draft, segments, request, plan };
  if (route.needs === "nothing") return route.answer(call);
  if (version === undefined) return refuse(call, wrongVersion(state));
  if (route.needs === "version") return route.answer(call);
  const user = touchSession(state, draft.dialect, request, nowMs);
  if (user === "none") return unchanged(unauthorized(draft.dialect));
  if (user === "expired") return expiredReply(call);
  return route.answer({ ...call, user });
}

/** Refusal in the cloud's form, for faults. */
export function cloudRefusalReply(
  state: CloudState,
  request: SimulatorRequest,
  refusal: CloudRefusal,
): SimulatorReply {
  return refusalReply(draftFor(state, request), refusal);
}

/** What a fault answers for a busy entity, whatever the request is about. */
export function cloudBusyReply(state: CloudState, request: SimulatorRequest): SimulatorReply {
  const name = request.path.split("/")[3] ?? "";
  const message = `The entity ${name} is busy completing an operation.`;
  return cloudRefusalReply(state, request, busyRefusal(message));
}

/** A reply to a request without an acceptable version has the latest one. */
function draftFor(state: CloudState, request: SimulatorRequest) {
  const version = versionOf(state, request) ?? state.rules.versions.at(-1) ?? "5.1";
  return draftOf(state, request, version);
}

function routeOf(
  request: SimulatorRequest,
): { readonly route: Route; readonly segments: readonly string[] } | 404 | 405 {
  let isKnownPath = false;
  for (const route of routes) {
    const segments = match(route, request.path);
    if (segments === undefined) continue;
    isKnownPath = true;
    if (route.method === request.method) return { route, segments };
  }
  return isKnownPath ? 405 : 404;
}

/** Variable segments of a path that the pattern fits; a slash at the end does not count. */
function match(route: Route, path: string): readonly string[] | undefined {
  const wanted = route.pattern.split("/");
  const given = path.replace(/\/$/, "").split("/");
  if (wanted.length !== given.length) return undefined;
  const segments: string[] = [];
  for (const [index, segment] of given.entries()) {
    if (wanted[index] === "*") segments.push(segment);
    else if (wanted[index] !== segment) return undefined;
  }
  return segments;
}
