/** The appliance's table of routes: method, path, class and release of each, and who answers. */

import type { Answer, SimulatorReply, SimulatorRequest } from "../kit/answer.ts";
import { unchanged } from "../kit/answer.ts";
import type { ApplianceRelease } from "../kit/appliance-layout.ts";
import type { RequestClass } from "../kit/request-log.ts";
import { settleAppliance } from "./appliance-state.ts";
import type { ApplianceCall, ApplianceContext, WireForm } from "./call.ts";
import {
  errorReply,
  invalidArgument,
  notFound,
  refuse,
  resourceBusy,
  serviceUnavailable,
  valueReply,
} from "./call.ts";
import { listMonitoring, queryMonitoring } from "./monitoring.ts";
import { getSession, isAuthenticated, logIn, logOut, unauthenticated } from "./sessions.ts";
import { getHealth, listStorage, resize, resizeEx } from "./storage.ts";

type Route = {
  readonly method: string;
  readonly path: string;
  /** Value of the query's `action`, or `~action` for the session; null for none. */
  readonly action: string | null;
  readonly class: RequestClass;
  readonly since: ApplianceRelease;
  readonly answer: (call: ApplianceCall) => Answer | Promise<Answer>;
};

const route = (
  target: string,
  requestClass: RequestClass,
  since: ApplianceRelease,
  answer: Route["answer"],
): Route => {
  const [method = "", url = ""] = target.split(" ");
  const [path = "", action = null] = url.split("?action=");
  return { method, path, action, class: requestClass, since, answer };
};

const restSession = "/rest/com/vmware/cis/session";
const storage = "appliance/system/storage";
/** As the specification has it, directly below the address of the appliance. */
const literalResize = `POST /${storage}/resize`;

const routes: readonly Route[] = [
  route(`POST ${restSession}`, "session", "6.5", logIn),
  route(`POST ${restSession}?action=get`, "session", "6.5", getSession),
  route(`DELETE ${restSession}`, "session", "6.5", logOut),
  route(`GET /rest/${storage}`, "read", "6.5", listStorage),
  route(`POST /rest/${storage}/resize`, "mutate", "6.5", resize),
  route(literalResize, "mutate", "6.5", resize),
  route(`POST /rest/${storage}?action=resize`, "mutate", "6.7", resize),
  route(`POST /rest/${storage}?action=resize-ex`, "mutate", "6.7", resizeEx),
  route("GET /rest/appliance/health/storage", "read", "6.5", getHealth),
  route("GET /rest/appliance/monitoring", "read", "6.5", listMonitoring),
  route("GET /rest/appliance/monitoring/query", "read", "6.5", queryMonitoring),
  route("GET /rest/appliance/system/version", "read", "6.5", getVersion),
  route("POST /api/session", "session", "7.0", logIn),
  route("GET /api/session", "session", "7.0", getSession),
  route("DELETE /api/session", "session", "7.0", logOut),
  route(`GET /api/${storage}`, "read", "7.0", listStorage),
  route(`POST /api/${storage}?action=resize`, "mutate", "7.0", resize),
  route(`POST /api/${storage}?action=resize-ex`, "mutate", "7.0", resizeEx),
  route("GET /api/appliance/health/storage", "read", "7.0", getHealth),
  route("GET /api/appliance/monitoring", "read", "7.0", listMonitoring),
  route("GET /api/appliance/monitoring/query", "read", "7.0", queryMonitoring),
  route("GET /api/appliance/system/version", "read", "7.0", getVersion),
];

function formOf(path: string): WireForm {
  return path.startsWith("/api/") ? "api" : "rest";
}

function routeOf({ method, path, query }: Wanted): Route | undefined {
  const action = query.get("action") ?? query.get("~action");
  return routes.find(
    (each) =>
      each.method === method && each.path === path.replace(/\/$/, "") && each.action === action,
  );
}

type Wanted = Pick<SimulatorRequest, "method" | "path" | "query">;

/** Class of a request; an unknown route is a mutation unless its method only reads. */
export function classifyAppliance(request: Wanted): RequestClass {
  const found = routeOf(request);
  if (found !== undefined) return found.class;
  return ["GET", "HEAD", "OPTIONS"].includes(request.method) ? "read" : "mutate";
}

/** Answers one request; a resize takes as long as it takes. */
export async function answerAppliance(
  context: ApplianceContext,
  request: SimulatorRequest,
): Promise<Answer> {
  const { state, clock } = context;
  const nowMs = clock.now();
  settleAppliance(state, nowMs);
  if (request.method === "GET" && request.path.replace(/\/$/, "") === "/apiexplorer") {
    return unchanged(explorer);
  }
  const call: ApplianceCall = { ...context, form: formOf(request.path), request, nowMs };
  // An appliance that is off answers nothing; this is as near as a listener comes.
  if (context.machine()?.isOn === false) return refuse(call, serviceUnavailable());
  const found = routeOf(request);
  const { release, offers } = state.world.rules;
  const isLiteral = found?.path === `/${storage}/resize`;
  if (found === undefined || found.since > release || (offers === "resize" && !isLiteral)) {
    // Where nearly all of it is missing, a client has to ask what there is.
    return refuse(call, notFound(), offers === "all");
  }
  if (found.answer === logIn) return logIn(call);
  if (!isAuthenticated(state, request, nowMs)) return refuse(call, unauthenticated(state));
  return bodyFault(call, found) ?? (await found.answer(call));
}

/** A POST needs its content type, even without a body (wire facts C.1). */
function bodyFault(call: ApplianceCall, { method, class: requestClass }: Route) {
  if (method !== "POST" || requestClass === "session") return undefined;
  const type = (call.request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    const error = { ...invalidArgument("The content type must be JSON."), status: 415 };
    return refuse(call, error, true);
  }
  const body = call.request.body.trim();
  return body === "" || /^\{\s*\}$/.test(body)
    ? undefined
    : refuse(call, invalidArgument("There are no parameters."), true);
}

const explorer: SimulatorReply = {
  status: 200,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: "<!DOCTYPE html>\n<html><head><title>API Explorer</title></head><body></body></html>\n",
};

function getVersion({ state, form }: ApplianceCall): Answer {
  const { release } = state.world.rules;
  return unchanged(
    valueReply(form, {
      version: `${release}.0.10000`,
      product: "VMware vCenter Server Appliance",
      type: "vCenter Server with an embedded Platform Services Controller",
      build: "1000001",
      summary: "",
      releasedate: "",
      install_time: "2020-01-01T00:00:00.000Z",
    }),
  );
}

/** A refusal in the form of the path, for faults. */
export function applianceRefusalReply(
  request: SimulatorRequest,
  wanted: { readonly status: number; readonly message: string; readonly kind: string | null },
): SimulatorReply {
  const { status, message, kind } = wanted;
  const name = kind ?? "error";
  return errorReply(formOf(request.path), { status, name, id: `simulated.${name}`, message });
}

export function applianceBusyReply(request: SimulatorRequest): SimulatorReply {
  return errorReply(formOf(request.path), resourceBusy());
}
