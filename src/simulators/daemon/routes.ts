/** The daemon's table of routes: method, path and class of each, and who answers. */

import type { Answer, Exchange, SimulatorRequest } from "../kit/answer.ts";
import { jsonReply, textReply, unchanged } from "../kit/answer.ts";
import type { SimulatorClock } from "../kit/clock.ts";
import type { RequestClass } from "../kit/request-log.ts";
import type { DaemonCall } from "./call.ts";
import type { DaemonState } from "./daemon-state.ts";
import { settle } from "./daemon-state.ts";
import {
  addFolder,
  changeFolder,
  getFolder,
  listFolders,
  removeFolder,
  setSharing,
} from "./folders.ts";
import { changePower, createVm, deleteVm, getAddress, getPower, getVm, listVms } from "./vms.ts";

type Route = {
  readonly method: string;
  /** Segments; `*` stands for any one. */
  readonly pattern: string;
  readonly class: RequestClass;
  readonly answer: (call: DaemonCall) => Answer | Promise<Answer>;
};

/** In order: `power` in second place is never taken for an id. */
const routes: readonly Route[] = [
  { method: "GET", pattern: "/json/swagger.json", class: "session", answer: getDefinition },
  { method: "GET", pattern: "/api/vms", class: "read", answer: listVms },
  { method: "POST", pattern: "/api/vms", class: "mutate", answer: createVm },
  { method: "GET", pattern: "/api/vms/power/*", class: "read", answer: getPower },
  { method: "PATCH", pattern: "/api/vms/power/*", class: "mutate", answer: changePower },
  { method: "GET", pattern: "/api/vms/*/ipaddress", class: "read", answer: getAddress },
  { method: "GET", pattern: "/api/vms/*/folders", class: "read", answer: listFolders },
  { method: "PATCH", pattern: "/api/vms/*/folders", class: "mutate", answer: setSharing },
  { method: "POST", pattern: "/api/vms/*/folders", class: "mutate", answer: addFolder },
  { method: "GET", pattern: "/api/vms/*/folders/*", class: "read", answer: getFolder },
  { method: "PATCH", pattern: "/api/vms/*/folders/*", class: "mutate", answer: changeFolder },
  { method: "DELETE", pattern: "/api/vms/*/folders/*", class: "mutate", answer: removeFolder },
  { method: "GET", pattern: "/api/vms/*", class: "read", answer: getVm },
  { method: "DELETE", pattern: "/api/vms/*", class: "mutate", answer: deleteVm },
];

/** Class of a request; an unknown route is a mutation unless its method only reads. */
export function classify(method: string, path: string): RequestClass {
  const route = routes.find((each) => each.method === method && match(each, path) !== undefined);
  if (route !== undefined) return route.class;
  return method === "GET" || method === "HEAD" || method === "OPTIONS" ? "read" : "mutate";
}

export type DaemonContext = {
  readonly state: DaemonState;
  readonly clock: SimulatorClock;
  readonly signal: AbortSignal;
};

/** Answers one request; unknown paths and methods as the daemon's language does by default. */
export async function answerDaemon(
  context: DaemonContext,
  request: SimulatorRequest,
  exchange: Exchange,
): Promise<Answer> {
  const nowMs = context.clock.now();
  settle(context.state, nowMs);
  let isKnownPath = false;
  for (const route of routes) {
    const segments = match(route, request.path);
    if (segments === undefined) continue;
    isKnownPath = true;
    if (route.method !== request.method) continue;
    return route.answer({
      ...context,
      nowMs,
      segments,
      query: request.query,
      body: request.body,
      exchange,
    });
  }
  return unchanged(
    isKnownPath ? textReply(405, "Method Not Allowed\n") : textReply(404, "404 page not found\n"),
  );
}

/** Decoded variable segments of a path that the route's pattern fits; empty segments never fit. */
function match(route: Route, path: string): readonly string[] | undefined {
  const wanted = route.pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const segments: string[] = [];
  for (const [index, segment] of given.entries()) {
    const pattern = wanted[index];
    if (pattern !== "*") {
      if (pattern !== segment) return undefined;
      continue;
    }
    const decoded = decodeSegment(segment);
    if (decoded === undefined || decoded === "") return undefined;
    segments.push(decoded);
  }
  return segments;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The version probe: only what clients read of the daemon's definition file (wire facts B.0). */
function getDefinition(): Answer {
  const paths: { [path: string]: { [method: string]: object } } = {};
  for (const route of routes) {
    if (!route.pattern.startsWith("/api")) continue;
    const path = route.pattern.slice("/api".length);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: {} };
  }
  return unchanged(
    jsonReply(200, {
      swagger: "2.0",
      info: { title: "Local VM daemon (simulated)", version: "1.0.0" },
      basePath: "/api",
      schemes: ["http"],
      paths,
    }),
  );
}
