/**
 * One session of a database: a connection that is known to be to a server that can be relied on.
 * Every statement has a deadline; a session that misses one is given up, since nobody knows what
 * became of the statement.
 */

import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { Client, QueryArrayResult } from "pg";
import { StoreError } from "../../model/recorded/store.ts";
import {
  asynchronous,
  codeOf,
  isReplica,
  loginRefused,
  notTrusted,
  pooled,
  tooOld,
  unreachable,
  wrongEncoding,
} from "./problems.ts";
import type { Target } from "./target.ts";

/** Texts as the server writes them. */
export type Row = readonly (string | null)[];

export type Session = {
  /** Of the process of the server, and when that began: together they are no other's. */
  readonly pid: string;
  readonly startedAt: string;
  /** Throws `SessionLostError`, and errors of the server. */
  readonly query: (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  readonly isLost: () => boolean;
  /** Does not reject; what takes too long is cut. */
  readonly end: () => Promise<void>;
};

/** The session is gone, and with it what only it had; the statement may have had its effect. */
export class SessionLostError extends Error {}

export type Access = {
  readonly target: Target;
  /** Undefined when none was given; the server may ask for none. */
  readonly password: string | undefined;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Shown by `pg_stat_activity`. */
  readonly applicationName: string;
};

/** The server gives up a little before we do, so that it can say so. */
const statementMs = 120_000;
const answerMs = statementMs + 15_000;
const endMs = 5_000;
const probeMs = 2_000;

/** Throws `StoreError`. */
export async function openSession(access: Access): Promise<Session> {
  const client = await connect(access);
  const session = await sessionOf(access, client).catch(async (error: unknown) => {
    await end(client);
    throw error instanceof StoreError ? error : unreachable(access.target, error);
  });
  return session;
}

async function connect(access: Access): Promise<Client> {
  const { target } = access;
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    ...clientOptions(access),
    types: { getTypeParser: () => (value: unknown) => value },
  });
  // What ends a session between two statements is found by the next one.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await end(client);
    throw connectProblem(target, error);
  }
}

/** How the driver connects, also where another package does it. */
export function clientOptions({ target, password, tls, applicationName }: Access) {
  const { host, port, user, database, sslMode, connectTimeoutMs } = target;
  return {
    host,
    port,
    user,
    database,
    // Without one the driver would look into a file of its own choice, and complain.
    password: password ?? missingPassword,
    ssl:
      sslMode === "disable"
        ? false
        : {
            ...tls,
            rejectUnauthorized: sslMode !== "require",
            checkServerIdentity: (_: string, certificate: PeerCertificate) =>
              sslMode === "verify-full" ? checkServerIdentity(host, certificate) : undefined,
          },
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

function missingPassword(): never {
  throw new Error("the server asks for a password, and none is given");
}

/** Classes of SQLSTATE: invalid authorization, no such database, no right to connect to it. */
const loginCodes = /^(28...|3D000|42501)$/;

function connectProblem(target: Target, error: unknown): StoreError {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : "";
  if (loginCodes.test(code ?? "")) return loginRefused(target, error);
  if (/asks for a password|SASL|password must be/.test(message)) return loginRefused(target, error);
  if (message === "The server does not support SSL connections") return notTrusted(target, error);
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_OSSL|EPROTO)/.test(code ?? "")) {
    return notTrusted(target, error);
  }
  return unreachable(target, error);
}

async function sessionOf(access: Access, client: Client): Promise<Session> {
  let lost: Error | undefined;
  const give = (error: Error): void => {
    lost ??= error;
  };
  client.on("error", give);
  client.on("end", () => give(new Error("the connection was closed")));
  const query = (text: string, values: readonly unknown[], deadlineMs: number) => {
    if (lost !== undefined) throw new SessionLostError(lost.message, { cause: lost });
    return ask(client, text, values, deadlineMs, give);
  };
  const { connectTimeoutMs } = access.target;
  const facts = `select pg_backend_pid()::text,
    (select extract(epoch from backend_start)::text from pg_stat_activity
      where pid = pg_backend_pid()),
    pg_is_in_recovery()::text, current_setting('synchronous_commit'), current_setting('fsync'),
    current_setting('server_encoding'), current_setting('server_version_num'),
    current_setting('server_version')`;
  const [[pid = "", startedAt = "", ...rest] = []] = await query(facts, [], connectTimeoutMs);
  requireReliable(access.target, rest);
  const session = {
    pid: pid ?? "",
    startedAt: startedAt ?? "",
    query: async (text: string, values: readonly unknown[] = []) => query(text, values, answerMs),
    isLost: () => lost !== undefined,
    end: () => end(client),
  };
  if (announcedPid(client) !== session.pid) await requireOwnSession(access, session);
  await query(sessionSettings, [], connectTimeoutMs);
  return session;
}

function requireReliable(target: Target, facts: Row): void {
  const [recovery, commit, sync, encoding, number, version] = facts;
  if (recovery === "true") throw isReplica(target);
  if (commit === "off") throw asynchronous(target, "synchronous_commit");
  if (sync === "off") throw asynchronous(target, "fsync");
  if (encoding !== "UTF8") throw wrongEncoding(target, encoding ?? "unknown");
  if (Number(number) < 120_000) throw tooOld(target, version ?? "unknown");
}

/**
 * Of this session alone. A holder behind a cut network is to be noticed in half a minute and not
 * after hours; a role may have limits that would end a session that only waits. Not every server
 * knows all of them.
 */
const sessionSettings = `select set_config(name, value, false) from (values
    ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'),
    ('tcp_user_timeout', '30000'), ('idle_session_timeout', '0'), ('lock_timeout', '0'),
    ('transaction_timeout', '0'), ('idle_in_transaction_session_timeout', '60000'),
    ('statement_timeout', '${statementMs}'), ('client_min_messages', 'warning'),
    ('default_transaction_isolation', 'read committed'),
    ('client_encoding', 'UTF8'), ('search_path', 'pg_catalog')) as wanted(name, value)
  where exists (select from pg_settings as known where known.name = wanted.name)`;

/** What the server said when the session began; a pooler answers with a number of its own. */
function announcedPid(client: Client): string {
  return "processID" in client ? String(client.processID) : "";
}

/**
 * Something stands between. While one connection is idle and another in a transaction, the first
 * has to keep its session: a pool in session mode lets it, one in transaction mode hands it on.
 */
async function requireOwnSession(access: Access, session: Session): Promise<void> {
  const other = await connect(access);
  try {
    for (let round = 0; round < 3; round += 1) {
      await ask(other, "begin", [], probeMs, () => undefined);
      const [[theirs = ""] = []] = await ask(other, backendPid, [], probeMs, () => undefined);
      if (theirs === session.pid) throw pooled(access.target);
      const [[ours = ""] = []] = await session.query(backendPid);
      if (ours !== session.pid) throw pooled(access.target);
      await ask(other, "rollback", [], probeMs, () => undefined);
    }
  } catch (error) {
    // With one session for all, the second waits for the first.
    throw error instanceof SessionLostError ? pooled(access.target) : error;
  } finally {
    await end(other);
  }
}

const backendPid = "select pg_backend_pid()::text";

/** Sent as values of a statement that is parsed each time: poolers know no statements by name. */
async function ask(
  client: Client,
  text: string,
  values: readonly unknown[],
  deadlineMs: number,
  give: (error: Error) => void,
): Promise<readonly Row[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`no answer came within ${deadlineMs / 1000} s`);
      give(error);
      cut(client);
      reject(new SessionLostError(error.message));
    }, deadlineMs);
    timer.unref();
  });
  try {
    const asked: Promise<QueryArrayResult<(string | null)[]>> = client.query({
      text,
      values: [...values],
      rowMode: "array",
    });
    const { rows } = await Promise.race([asked, late]);
    return rows;
  } catch (error) {
    if (error instanceof SessionLostError) throw error;
    if (!endsSession(error)) throw error;
    const cause = error instanceof Error ? error : new Error(String(error));
    give(cause);
    cut(client);
    throw new SessionLostError(cause.message, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What the server says of a statement has a code; anything else is of the connection. It ends the
 * session with class 08 and 57P (shut down, crashed, not yet up, dropped), and at limits of idling.
 */
function endsSession(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code) || code === "EPIPE") return true;
  return /^(08|57P0)/.test(code) || code === "25P03" || code === "25P04";
}

function cut(client: Client): void {
  // Absent in the types: the connection itself.
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}

async function end(client: Client): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      cut(client);
      resolve();
    }, endMs);
    timer.unref();
  });
  await Promise.race([client.end().catch(() => undefined), late]);
  clearTimeout(timer);
}
