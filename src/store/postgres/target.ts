/**
 * Which server, database and role are meant: by the URL, else by the environment as of `psql`, else
 * by default. Without secrets and without the driver: it is asked before anything is connected.
 */

import type { PostgresStoreSettings } from "../../model/recorded/postgres-settings.ts";
import { unusableSetting } from "./problems.ts";

/** `require` encrypts and trusts anybody. */
export type SslMode = "disable" | "require" | "verify-ca" | "verify-full";

export type Target = {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly sslMode: SslMode;
  readonly connectTimeoutMs: number;
};

type Environment = { readonly [name: string]: string | undefined };

const defaultConnectTimeoutMs = 10_000;

/**
 * In the environment of a process whose folder has an embedded database that runs, where neither
 * setting nor environment names another one: its URL. Put there by `wiring`.
 */
export const embeddedVariable = "VMFORM_EMBEDDED_DATABASE";

/** Throws `StoreError` for what cannot be used. `user` is who runs this. */
export function targetOf(
  settings: Pick<PostgresStoreSettings, "url">,
  environment: Environment,
  user: string,
): Target {
  const named = settings.url ?? environment[embeddedVariable];
  const url = named === undefined ? undefined : new URL(named);
  const given = (name: string, variable: string): string | undefined =>
    url?.searchParams.get(name) ?? (environment[variable] || undefined);
  const decode = (text: string | undefined): string | undefined =>
    text === undefined || text === "" ? undefined : decodeURIComponent(text);
  const host = decode(url?.hostname.replace(/^\[|\]$/g, "")) ?? given("host", "PGHOST");
  const role = decode(url?.username) ?? given("user", "PGUSER") ?? user;
  const seconds = given("connect_timeout", "PGCONNECT_TIMEOUT");
  const to = host ?? "localhost";
  if (to.includes(",")) {
    throw unusableSetting(`more than one host (${to})`, "Name the primary server alone.");
  }
  return {
    host: to,
    port: positive("port", decode(url?.port) ?? given("port", "PGPORT"), 5432),
    user: role,
    database: decode(url?.pathname.slice(1)) ?? given("dbname", "PGDATABASE") ?? role,
    sslMode: sslModeOf(given("sslmode", "PGSSLMODE"), to),
    connectTimeoutMs: positive("connect_timeout", seconds, defaultConnectTimeoutMs / 1000) * 1000,
  };
}

/** For people, as in `PostgreSQL db.lab:5432/infra (schema vmform, state web)`. */
export function locationOf(
  settings: Pick<PostgresStoreSettings, "url" | "name" | "schema">,
  environment: Environment,
  user: string,
): string {
  const { host, port, database } = targetOf(settings, environment, user);
  const server = host.includes(":") ? `[${host}]` : host;
  const { schema, name } = settings;
  return `PostgreSQL ${server}:${port}/${database} (schema ${schema}, state ${name})`;
}

const sslModes: ReadonlySet<string> = new Set(["disable", "require", "verify-ca", "verify-full"]);

function isSslMode(text: string): text is SslMode {
  return sslModes.has(text);
}

/** Off this machine all is encrypted, and the server proves who it is, unless told otherwise. */
function sslModeOf(given: string | undefined, host: string): SslMode {
  if (given === undefined) return isOnThisMachine(host) ? "disable" : "verify-full";
  if (isSslMode(given)) return given;
  throw unusableSetting(
    `sslmode ${JSON.stringify(given)}, which is encrypted only if the server likes`,
    "Choose verify-full, verify-ca, require or disable.",
  );
}

function isOnThisMachine(host: string): boolean {
  return (
    host.startsWith("/") || host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host)
  );
}

function positive(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number < 65_536) return number;
  throw unusableSetting(`${name} ${JSON.stringify(text)}`, "Write a whole number above zero.");
}
