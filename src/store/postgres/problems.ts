/** What goes wrong with a database, in words, with the way out. One function and code per cause. */

import type { LockInfo } from "../../lib/lock/lock-info.ts";
import { clockText } from "../../lib/time/clock-text.ts";
import type { StoreError } from "../../model/recorded/store.ts";
import { storeError } from "../kit/problems.ts";
import type { Target } from "./target.ts";

export function unusableSetting(what: string, fix: string): StoreError {
  return storeError("STO048", `The settings of the database name ${what}.`, fix);
}

export function secretMissing(what: string, cause: unknown): StoreError {
  return storeError(
    "STO048",
    `The password of the database is missing: ${what}.`,
    "Set it, or correct vmform.state.postgres.password.",
    cause,
  );
}

/** No answer, or none of a PostgreSQL server that is ready. */
export function unreachable({ host, port }: Target, error: unknown): StoreError {
  const said = messageOf(error);
  const reason = reasons[codeOf(error) ?? ""] ?? reasons[said] ?? `${said}.`;
  return storeError(
    "STO040",
    `The database at ${serverText(host, port)} cannot be reached: ${reason}`,
    isEmbedded(host)
      ? "It is the embedded one of that folder. Start it there: vmform serve --embedded"
      : "Start the server, or correct vmform.state.postgres.url (or PGHOST, PGPORT), then run " +
          "the same command again. For a trial, vmform serve --embedded has one in its folder.",
    error,
  );
}

/** Of a socket's folder. */
function isEmbedded(host: string): boolean {
  return host.startsWith("/") && /\/\.vmform\/embedded\/|\/vmform-socket-/.test(host);
}

/** Of the driver and of Node.js, whose own words say less. */
const reasons: { readonly [code: string]: string | undefined } = {
  ECONNREFUSED: "nothing listens there.",
  ENOENT: "there is no socket of a server in that folder.",
  ENOTFOUND: "the host name is not known.",
  EAI_AGAIN: "the host name cannot be looked up at present.",
  "timeout expired": "no answer came in time.",
  "Connection terminated unexpectedly":
    "the connection was closed before a session began; is it a PostgreSQL server?",
  "There was an error establishing an SSL connection": "what answers is no PostgreSQL server.",
};

export function loginRefused(target: Target, error: unknown): StoreError {
  const { host, port, user, database } = target;
  return storeError(
    "STO041",
    `The database ${database} at ${serverText(host, port)} refuses the role ${user}: ` +
      `${messageOf(error)}.`,
    "Correct the role and the database in vmform.state.postgres.url, or the password it is given " +
      "(vmform.state.postgres.password, PGPASSWORD).",
    error,
  );
}

export function notTrusted({ host, port, sslMode }: Target, error: unknown): StoreError {
  const noTls = messageOf(error) === "The server does not support SSL connections";
  const why = noTls ? "it offers no encryption" : messageOf(error);
  return storeError(
    "STO042",
    `The database at ${serverText(host, port)} is not trusted (sslmode ${sslMode}): ${why}.`,
    noTls
      ? "Turn ssl on in the server. Only where nobody can listen, add sslmode=disable to the url."
      : "Name the certificate of its authority in vmform.state.postgres.ca_file, or reach the " +
          "server by the name its certificate has. sslmode=require encrypts without proof.",
    error,
  );
}

export function isReplica({ host, port }: Target): StoreError {
  return storeError(
    "STO043",
    `The database at ${serverText(host, port)} is a replica: what it shows may be old.`,
    "Name the primary server in vmform.state.postgres.url.",
  );
}

export function readOnly(location: string, error?: unknown): StoreError {
  return storeError(
    "STO043",
    `${location} is read-only.`,
    "Name the primary server, or turn default_transaction_read_only off for this role.",
    error,
  );
}

export function pooled({ host, port }: Target): StoreError {
  return storeError(
    "STO044",
    `At ${serverText(host, port)} a pooler hands each transaction to another session, so a lock ` +
      "would be held by nobody in particular.",
    "Connect to the server itself in vmform.state.postgres.url, or to a pool in session mode.",
  );
}

/** A statement came to another session than the one before, although nothing told of a pooler. */
export function poolerMet(location: string): StoreError {
  return storeError(
    "STO044",
    `A pooler before ${location} has handed this run another session, without its lock.`,
    "Connect to the server itself in vmform.state.postgres.url, or to a pool in session mode.",
  );
}

export function asynchronous({ user, database }: Target, setting: string): StoreError {
  return storeError(
    "STO045",
    `In the database ${database} ${setting} is off: what is answered as written may be lost.`,
    setting === "fsync"
      ? "Turn fsync on in the server; without it a power failure can lose everything."
      : `ALTER ROLE "${user}" SET synchronous_commit = on`,
  );
}

export function wrongEncoding({ database }: Target, encoding: string): StoreError {
  return storeError(
    "STO048",
    `The database ${database} keeps text as ${encoding}, which not all names can be written in.`,
    `Make one that does: CREATE DATABASE vmform TEMPLATE template0 ENCODING 'UTF8'`,
  );
}

export function tooOld({ host, port }: Target, version: string): StoreError {
  return storeError(
    "STO048",
    `The server at ${serverText(host, port)} is PostgreSQL ${version}.`,
    "Use PostgreSQL 12 or later.",
  );
}

/** `prints` is the command whose output gives it. */
export function rightMissing(
  location: string,
  user: string,
  error: unknown,
  prints = "vmform state sql",
): StoreError {
  return storeError(
    "STO046",
    `The role ${user} lacks a right on ${location}: ${messageOf(error)}.`,
    `Have an administrator run what this prints: ${prints}`,
    error,
  );
}

export function otherVersion(location: string, what: string, error?: unknown): StoreError {
  return storeError(
    "STO047",
    `The tables of ${location} are not those of this version of vmform: ${what}.`,
    "Use the version of vmform that made them, or another schema: vmform.state.postgres.schema.",
    error,
  );
}

export function damagedRecords(location: string, what: string): StoreError {
  return storeError(
    "STO001",
    `What is recorded in ${location} ${what}.`,
    "Restore the tables from a backup of the database, or push a state that was pulled before: " +
      "vmform state push FILE --force",
  );
}

export function connectionLost(location: string, error: unknown): StoreError {
  return storeError(
    "STO049",
    `The connection to ${location} was lost and could not be made again: ${messageOf(error)}.`,
    "Run the same command again when the server is back; what was begun is found and settled then.",
    error,
  );
}

export function refusedToRead(location: string, error: unknown): StoreError {
  return storeError(
    "STO006",
    `${location} cannot be read: ${messageOf(error)}.`,
    "Mend what the server reports, then run the same command again.",
    error,
  );
}

export function refusedToWrite(location: string, error: unknown): StoreError {
  return storeError(
    "STO050",
    `${location} could not store what was to be recorded: ${messageOf(error)}.`,
    "Mend what the server reports, then run the same command again.",
    error,
  );
}

export function lockedBySession(
  location: string,
  holder: LockInfo,
  seenSecondsAgo: number,
): StoreError {
  const seen = seenSecondsAgo > 60 ? `, not heard of for ${Math.round(seenSecondsAgo)} s` : "";
  return storeError(
    "STO009",
    holder.createdMs === 0
      ? `${location} is locked by ${holder.who} (${holder.operation}).`
      : `${location} is locked by ${holder.who} on ${holder.host} (process ${holder.pid}, ` +
          `${holder.operation}) since ${clockText(holder.createdMs)}${seen}.`,
    "Wait until it has ended, or give it time with --lock-timeout. The lock ends with its " +
      "session in the database. Only if that run is gone and its session stays: " +
      `vmform force-unlock ${holder.id}`,
  );
}

/** A server that took over has not all that the one before had confirmed. */
export function recordsLost(location: string): StoreError {
  return storeError(
    "STO052",
    `${location} has lost what it had confirmed to this command: the server is another one now, ` +
      "or was restored from a backup. Nothing more is written, so that no gap arises.",
    "What this command knows at its end is kept on this machine, and told how to be put back. " +
      "For the next time: synchronous_standby_names.",
  );
}

export function sessionStays(location: string, pid: string, error: unknown): StoreError {
  return storeError(
    "STO051",
    `The old holder of ${location} writes nothing more, but its session ${pid} still has the ` +
      `lock: ${messageOf(error)}.`,
    `Have an administrator run: SELECT pg_terminate_backend(${pid})`,
    error,
  );
}

function serverText(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Of an error of several addresses that were tried, the last one's. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors.at(-1));
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors.at(-1));
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
