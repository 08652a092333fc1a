/**
 * A server of Terraform's http protocol in memory, for tests: the rules of GitLab, of Gitea, or of
 * one that checks nothing. Written from their sources, and independent of the store.
 *
 * GitLab: `lib/api/terraform/state.rb`, `app/services/terraform/remote_state_handler.rb`. Gitea:
 * `routers/api/packages/terraform/terraform.go`, `modules/packages/terraform/state.go`.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type StateServerRules = "gitlab" | "gitea" | "plain" | "lenient" | "without locks";

export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly authorization: string | undefined;
  readonly cacheControl: string | undefined;
};

/** What is done instead of the usual, or around it. */
export type Meddle = (seen: Seen) =>
  | undefined
  /** This reply, and nothing is done. */
  | {
      readonly status: number;
      readonly text?: string;
      readonly headers?: { readonly [name: string]: string };
    }
  /** The connection is cut before or after it is done. */
  | { readonly cut: "before" | "after" }
  /** It is done, and answered so. */
  | { readonly answer: number; readonly text?: string }
  /** Waits first. */
  | { readonly after: Promise<void> };

export type RunningStateServer = {
  readonly address: string;
  readonly lockAddress: string;
  readonly lockMethod: string;
  readonly unlockMethod: string;
  /** Documents by serial, in the order they came. */
  readonly versions: { readonly serial: number; readonly text: string }[];
  readonly lock: () => { readonly [name: string]: unknown } | undefined;
  readonly setLock: (lock: { readonly [name: string]: unknown } | undefined) => void;
  readonly requests: Seen[];
  meddle: Meddle;
  readonly stop: () => Promise<void>;
};

export type StateServerOptions = {
  /** GitLab's limit, bytes. */
  readonly sizeMax?: number;
  readonly login?: { readonly username: string; readonly password: string };
};

type World = {
  readonly rules: StateServerRules;
  readonly options: StateServerOptions;
  readonly versions: { serial: number; text: string }[];
  /** GitLab has a row for a state as soon as it was locked. */
  known: boolean;
  lock: { readonly [name: string]: unknown } | undefined;
};

type Reply = { readonly status: number; readonly body?: unknown };

const gitLabPath = "/api/v4/projects/42/terraform/state/lab";
const giteaPath = "/api/packages/ops/terraform/state/lab";

export async function startStateServer(
  rules: StateServerRules,
  options: StateServerOptions = {},
): Promise<RunningStateServer> {
  const world: World = { rules, options, versions: [], known: false, lock: undefined };
  const base = rules === "gitlab" ? gitLabPath : rules === "gitea" ? giteaPath : "/state";
  const apart = rules === "gitlab" || rules === "gitea";
  const requests: Seen[] = [];
  const server = createServer((request, response) => {
    void answer(world, base, running, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}${base}`;
  const running: RunningStateServer = {
    address,
    lockAddress: apart ? `${address}/lock` : address,
    lockMethod: apart ? "POST" : "LOCK",
    unlockMethod: apart ? "DELETE" : "UNLOCK",
    versions: world.versions,
    lock: () => world.lock,
    setLock: (held) => {
      world.lock = held;
      world.known = true;
    },
    requests,
    meddle: () => undefined,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return running;
}

async function answer(
  world: World,
  base: string,
  running: RunningStateServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await textOf(request);
  const url = new URL(request.url ?? "/", "http://server");
  const seen = {
    method: request.method ?? "",
    path: url.pathname,
    query: url.search,
    body,
    authorization: request.headers.authorization,
    cacheControl: request.headers["cache-control"],
  };
  running.requests.push(seen);
  const meddled = running.meddle(seen);
  if (meddled !== undefined && "after" in meddled) await meddled.after;
  if (meddled !== undefined && "cut" in meddled && meddled.cut === "before") {
    request.socket.destroy();
    return;
  }
  if (meddled !== undefined && "status" in meddled) {
    response.writeHead(meddled.status, { ...meddled.headers }).end(meddled.text ?? "");
    return;
  }
  const reply = isAllowed(world, seen)
    ? route(world, base, seen, url)
    : { status: 401, body: { message: "401 Unauthorized" } };
  if (meddled !== undefined && "cut" in meddled) {
    request.socket.destroy();
    return;
  }
  if (meddled !== undefined && "answer" in meddled) {
    response.writeHead(meddled.answer).end(meddled.text ?? "");
    return;
  }
  const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {});
  response.writeHead(reply.status, { "content-type": "application/json" });
  response.end(reply.status === 204 ? "" : text);
}

function isAllowed({ options: { login } }: World, { authorization }: Seen): boolean {
  if (login === undefined) return true;
  const token = Buffer.from(`${login.username}:${login.password}`).toString("base64");
  return authorization === `Basic ${token}`;
}

function route(world: World, base: string, seen: Seen, url: URL): Reply {
  const { method, path } = seen;
  const apart = world.rules === "gitlab" || world.rules === "gitea";
  if (path === `${base}/lock` && apart) {
    if (method === "POST") return lock(world, seen.body);
    if (method === "DELETE") return unlock(world, seen.body);
  }
  if (path !== base) return { status: 404, body: { message: "404 Project Not Found" } };
  switch (method) {
    case "GET":
      return read(world);
    case "POST":
      return write(world, seen.body, url.searchParams.get("ID") ?? undefined);
    case "LOCK":
      return world.rules === "without locks" || apart ? { status: 405 } : lock(world, seen.body);
    case "UNLOCK":
      return world.rules === "without locks" || apart ? { status: 405 } : unlock(world, seen.body);
    default:
      return { status: 405, body: { error: "405 Not Allowed" } };
  }
}

function read({ rules, versions, known }: World): Reply {
  const latest =
    rules === "gitlab"
      ? versions.toSorted((one, other) => other.serial - one.serial)[0]
      : versions.at(-1);
  if (latest !== undefined) return { status: 200, body: latest.text };
  return rules === "gitlab" && known
    ? { status: 204 }
    : { status: 404, body: { message: "404 Not Found" } };
}

function write(world: World, text: string, id: string | undefined): Reply {
  const { rules, options, versions, lock: present } = world;
  if (text === "") return { status: 204 };
  if (options.sizeMax !== undefined && Buffer.byteLength(text) > options.sizeMax) {
    return { status: 413, body: { message: "413 Request Entity Too Large" } };
  }
  const document = parsed(text);
  const serial = document?.serial;
  if (typeof serial !== "number") return { status: 422, body: { message: "invalid JSON" } };
  const isTaken = versions.some((version) => version.serial === serial);
  if (rules === "gitlab") {
    world.known = true;
    // Nothing rescues a lock that does not match in this route.
    if ((present?.ID ?? undefined) !== id) return { status: 500, body: internalError };
    if (isTaken) return { status: 422, body: { message: "PG::UniqueViolation: duplicate key" } };
  } else if (rules === "gitea") {
    if (present !== undefined && present.ID !== id) return { status: 423, body: present };
    const isWhole = document?.version === 4 && document.terraform_version !== undefined;
    const { lineage, resources, outputs } = document ?? {};
    if (!isWhole || lineage === "" || resources === undefined || outputs === undefined) {
      return { status: 400, body: "state version is not supported" };
    }
    if (isTaken) return { status: 409, body: "package file already exists" };
  } else if (rules === "plain") {
    if (present?.ID !== id) return { status: 409, body: present ?? {} };
  }
  versions.push({ serial, text });
  return { status: rules === "gitea" ? 201 : 200 };
}

const internalError = { message: "500 Internal Server Error" };
const lockFields = ["ID", "Operation", "Info", "Who", "Version", "Created", "Path"];

function lock(world: World, body: string): Reply {
  const asked = parsed(body);
  const missing = lockFields.filter((name) => typeof asked?.[name] !== "string");
  if (asked === undefined || missing.length > 0) {
    return { status: 400, body: { error: `${missing.join(", ")} is missing` } };
  }
  if (Number.isNaN(Date.parse(String(asked.Created)))) return { status: 400, body: "bad time" };
  if (String(asked.ID).length > 255) return { status: 400, body: { error: "ID is too long" } };
  const { lock: present } = world;
  world.known = true;
  if (present === undefined) {
    world.lock = world.rules === "gitlab" ? { ...asked, Who: "gitlab-user" } : asked;
    return { status: 200, body: world.rules === "gitlab" ? world.lock : {} };
  }
  if (world.rules !== "gitlab") return { status: 423, body: present };
  // The holder's id, user and time; everything else is what the request says.
  const { ID, Who, Created } = present;
  return { status: 409, body: { ...asked, ID, Who, Created } };
}

function unlock(world: World, body: string): Reply {
  const id = parsed(body)?.ID;
  const { rules, lock: present } = world;
  if (rules === "gitlab") {
    if (id !== undefined && id !== present?.ID) return { status: 409 };
  } else if (present !== undefined && id !== undefined && present.ID !== id) {
    return { status: rules === "gitea" ? 423 : 409, body: "lock ID mismatch" };
  }
  world.lock = undefined;
  return { status: 200 };
}

function parsed(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
