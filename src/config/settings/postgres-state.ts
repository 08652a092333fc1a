/** `vmform.state.postgres`: recorded state in a PostgreSQL database. */

import type { Configuration } from "../../model/generated/config.ts";
import type { PostgresStoreSettings } from "../../model/recorded/postgres-settings.ts";
import { secretSetting } from "./secret-setting.ts";

export type PostgresBlock = NonNullable<
  NonNullable<NonNullable<Configuration["vmform"]>["state"]>["postgres"]
>;

/** What is not used of the url, and how it is to be written. */
export type UrlProblem = { readonly detail: string; readonly fix: string };

/** `at` makes a path of the configuration absolute. */
export function postgresSettings(
  block: PostgresBlock,
  directory: string,
  at: (path: string) => string,
): PostgresStoreSettings {
  const { url, ca_file: caFile, name = "default", schema = "vmform" } = block;
  const password = secretSetting(block.password);
  return {
    kind: "postgres",
    name,
    schema,
    directory,
    ...(url === undefined ? {} : { url }),
    ...(password === undefined ? {} : { password }),
    ...(caFile === undefined ? {} : { caFile: at(caFile) }),
  };
}

const parameters: ReadonlySet<string> = new Set([
  "host",
  "port",
  "user",
  "dbname",
  "sslmode",
  "connect_timeout",
]);

/** Quotes nothing of it: a password may stand in it. */
export function urlProblem(text: string): UrlProblem | undefined {
  const form = "Write it like postgres://user@db.example:5432/vmform?sslmode=verify-full";
  if (!URL.canParse(text)) return { detail: "The url of the database is none.", fix: form };
  const url = new URL(text);
  if (!/^postgres(ql)?:$/.test(url.protocol)) {
    return { detail: `The url of the database begins with ${url.protocol}`, fix: form };
  }
  if (url.password !== "" || url.searchParams.has("password")) {
    return {
      detail: "A password stands in the url of the database.",
      fix:
        "Take it out, since files are read by others, and name where it is: " +
        "password: { env: NAME } or { file: PATH }. PGPASSWORD needs no setting.",
    };
  }
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.has(name));
  if (unknown === undefined) return undefined;
  return {
    detail: `The url of the database has a parameter ${JSON.stringify(unknown)}.`,
    fix: `It may have ${[...parameters].join(", ")}.`,
  };
}
