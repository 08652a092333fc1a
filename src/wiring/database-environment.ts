/**
 * The environment as the stores read it: with the embedded database that runs in this folder, where
 * nothing names another one.
 */

import { runningUrl } from "../serve/embedded/place.ts";
import { embeddedVariable } from "../store/postgres/target.ts";

type Environment = { readonly [name: string]: string | undefined };

/** `directory`: where the command is run. */
export function databaseEnvironment(environment: Environment, directory: string): Environment {
  const names = ["PGHOST", "PGPORT", "PGUSER", "PGDATABASE", embeddedVariable];
  if (names.some((name) => (environment[name] ?? "") !== "")) return environment;
  const url = runningUrl(directory);
  return url === undefined ? environment : { ...environment, [embeddedVariable]: url };
}
