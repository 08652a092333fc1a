/**
 * An appliance as tests script it, from the wire facts alone: sessions, partitions, health, sizes
 * and the resize in the forms of three releases. What it shows, a test may change while it runs.
 */

import { createHttpClients } from "../../../../src/http/client.ts";
import type { PreparedOperation } from "../../../../src/model/operation/operation.ts";
import type { ProviderSession } from "../../../../src/model/provider/provider.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import type { Attributes, Value } from "../../../../src/model/value/value.ts";
import { applianceProvider } from "../../../../src/providers/appliance/provider.ts";
import { type TestPorts, testPorts } from "../../../helpers/http-ports.ts";
import {
  type Reply,
  reply,
  type ScriptedServer,
  type SeenRequest,
  startServer,
} from "../../../helpers/scripted-server.ts";

export type Answered = Reply | "reset" | "hang";
export type Handler = (request: SeenRequest, count: number) => Answered | undefined;

export type ApplianceScript = {
  /** What the appliance offers: `7.0` only `/api`, the others only `/rest`. Default 6.5. */
  readonly release?: "6.5" | "6.7" | "7.0";
  /** Before anything of its own; undefined leaves it to that. `count` from 0 by method and url. */
  readonly handle?: Handler;
  readonly settings?: { readonly [name: string]: Value };
  /** Number and name of each partition, in the order they are listed. */
  readonly partitions?: readonly (readonly [string, string])[];
  /** GB by partition, what monitoring shows. */
  readonly shown?: { readonly [partition: string]: number };
  /** GB by partition after a resize. */
  readonly grown?: { readonly [partition: string]: number };
  readonly health?: string;
};

/** What it shows now. */
export type ApplianceState = { shown: { readonly [partition: string]: number }; health: string };

export type ScriptedAppliance = {
  readonly server: ScriptedServer;
  readonly ports: TestPorts;
  readonly session: ProviderSession;
  readonly state: ApplianceState;
  /** Ids of sessions opened and not ended. */
  readonly alive: Set<string>;
  /** As `GET /rest/appliance/health/storage`, without queries; sessions are left out. */
  asked(): readonly string[];
  close(): Promise<void>;
};

const sessionId = "0123456789abcdef0123456789abcde";
/** Taken with each request as well (wire facts C.1). */
const credentials = `Basic ${Buffer.from("admin@local:pass&word").toString("base64")}`;
export const restSession = "/rest/com/vmware/cis/session";

/** Disk 10 before disk 2, as texts sort. */
export const partitions65: readonly (readonly [string, string])[] = [
  ["10", "autodeploy"],
  ["1", "root"],
  ["12", "updatemgr"],
  ["3", "swap"],
  ["4", "core"],
  ["5", "log"],
  ["6", "db"],
  ["7", "dblog"],
  ["8", "seat"],
  ["9", "netdump"],
  ["11", "imagebuilder"],
];

/** What filesystems of the disks of release 6.5 show. */
export const shown65: { readonly [partition: string]: number } = {
  root: 10.73,
  swap: 25,
  core: 24.48,
  log: 9.71,
  db: 9.71,
  dblog: 14.63,
  seat: 9.71,
  netdump: 0.96,
  autodeploy: 9.71,
  imagebuilder: 9.71,
  updatemgr: 98.31,
};

export function json(value: unknown, status = 200): Reply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

/** An error below `/rest`. */
export function restError(status: number, name: string, text = "No."): Reply {
  const messages = [{ id: `id.${name}`, default_message: text, args: [] }];
  return json({ type: `com.vmware.vapi.std.errors.${name}`, value: { messages } }, status);
}

/** An error below `/api`. */
export function apiError(status: number, name: string, text = "No."): Reply {
  return json(
    { error_type: name, messages: [{ id: "id", default_message: text, args: [] }] },
    status,
  );
}

export async function startAppliance(script: ApplianceScript = {}): Promise<ScriptedAppliance> {
  const state: ApplianceState = {
    shown: script.shown ?? shown65,
    health: script.health ?? "green",
  };
  const alive = new Set<string>();
  const counts = new Map<string, number>();
  const own = ownAnswers(script, state, alive);
  const server = await startServer((request, response) => {
    const key = `${request.method} ${request.url}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const answered = script.handle?.(request, count) ?? own(request);
    if (answered === "reset") response.destroy();
    else if (answered !== "hang") reply(response, answered);
  });
  const ports = testPorts();
  const http = createHttpClients(ports);
  const readTextFile = (): Promise<string> => Promise.reject(new Error("no file is read"));
  const session = await applianceProvider
    .create({ http, clock: ports.clock, readTextFile })
    .open({ url: server.origin, user: "admin@local", password: "pass&word", ...script.settings });
  return {
    server,
    ports,
    session,
    state,
    alive,
    asked: () =>
      server.seen
        .map(({ method, url }) => `${method} ${url.replace(/\?(?!action=).*/, "")}`)
        .filter((one) => !one.endsWith("/session")),
    close: async () => {
      await session.close();
      await server.close();
    },
  };
}

/** `sample` of a query: empty, empty, and the size in KB as text. */
function sampleOf(name: string, { shown }: ApplianceState): Value {
  const gb = shown[name.replace("storage.totalsize.filesystem.", "")];
  const sample = gb === undefined ? "" : String(kbOf(gb));
  return { name, interval: "MINUTES5", function: "MAX", data: ["", "", sample, ""] };
}

function ownAnswers(
  script: ApplianceScript,
  state: ApplianceState,
  alive: Set<string>,
): (request: SeenRequest) => Answered {
  const release = script.release ?? "6.5";
  const prefix = release === "7.0" ? "/api" : "/rest";
  const sessionPath = release === "7.0" ? "/api/session" : restSession;
  const wrap = (value: unknown): Reply => json(release === "7.0" ? value : { value });
  const fail = release === "7.0" ? apiError : restError;
  let opened = 0;

  const resize = (extended: boolean): Answered => {
    const grown = script.grown ?? {};
    const before = state.shown;
    state.shown = { ...before, ...grown };
    if (!extended) return { status: 200 };
    const sizes = Object.entries(grown).map(([name, gb]) => ({
      key: `lv_${name}_0`,
      value: { old_size: kbOf(before[name] ?? 0), new_size: kbOf(gb) },
    }));
    if (release === "6.7") return wrap(sizes);
    return wrap(Object.fromEntries(sizes.map(({ key, value }) => [key, value])));
  };

  const answer = (request: SeenRequest): Answered => {
    const { pathname, searchParams } = new URL(request.url, "http://base.invalid");
    switch (
      `${request.method} ${pathname.slice(prefix.length)}${searchParams.get("action") ?? ""}`
    ) {
      case "GET /appliance/system/storage":
        return wrap(listOf(script, release));
      case "GET /appliance/health/storage":
        return wrap(state.health);
      case "GET /appliance/monitoring/query": {
        const names = [...searchParams].filter(([name]) => name.includes("names"));
        return wrap(names.map(([, name]) => sampleOf(name, state)));
      }
      case "POST /appliance/system/storage/resize":
        return release === "7.0" ? fail(404, "not_found") : resize(false);
      case "POST /appliance/system/storageresize-ex":
        return release === "6.5" ? fail(404, "not_found") : resize(true);
      default:
        return fail(404, "not_found");
    }
  };

  return (request) => {
    const { method, url, headers } = request;
    if (!url.startsWith(prefix)) return { status: 404, body: "<html>Not Found</html>" };
    if (url === sessionPath && method === "POST") {
      opened += 1;
      const id = `${sessionId}${opened}`;
      alive.add(id);
      return { ...wrap(id), status: release === "7.0" ? 201 : 200 };
    }
    if (headers.authorization === credentials && url !== sessionPath) return answer(request);
    const id = String(headers["vmware-api-session-id"]);
    if (!alive.has(id)) return fail(401, "unauthenticated");
    if (url !== sessionPath) return answer(request);
    alive.delete(id);
    return { status: release === "7.0" ? 204 : 200 };
  };
}

function listOf({ partitions = partitions65 }: ApplianceScript, release: string): Value {
  return partitions.map(([disk, partition]) => ({
    disk,
    partition,
    ...(release === "6.5"
      ? {}
      : { description: { id: `p.${partition}`, default_message: `The ${partition}`, args: [] } }),
  }));
}

function kbOf(gb: number): number {
  return Math.round(gb * 1024 * 1024);
}

/** A resize that was planned; `goals` are of `filesystems_gb`. */
export function resizeOperation(
  release: string,
  goals: { readonly [partition: string]: number } = {},
): PreparedOperation {
  const inputs: Attributes = { release, filesystems_gb: goals };
  return {
    id: "appliance_storage.a#resize.1",
    subject: {
      address: "appliance_storage.a" as Address,
      type: "appliance_storage",
      provider: "appliance",
      objectKey: "current",
      identity: "storage",
    },
    verb: "resize",
    effect: { kind: "update" },
    summary: "",
    request: { inputs, repeat: "safe" },
    record: { applied: {}, dependencies: [], timeoutsMs: {} },
    order: { after: [], locks: [], pools: [], long: true },
    disrupts: [],
    proof: { expect: [], unobservable: false, lagging: false, limitMs: 1_800_000, readBack: [] },
  };
}
