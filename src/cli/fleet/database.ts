/** Which database a command is about that has no configuration. */

import { CommandError } from "../../commands/environment.ts";
import { urlProblem } from "../../config/settings/postgres-state.ts";
import type { PostgresStoreSettings } from "../../model/recorded/postgres-settings.ts";

/** Without a URL, as the environment says. Throws `CommandError`. */
export function databaseOf({
  database,
  schema = "vmform",
}: {
  readonly database?: string;
  readonly schema?: string;
}): PostgresStoreSettings {
  const problem = database === undefined ? undefined : urlProblem(database);
  if (problem !== undefined) throw new CommandError(problem.detail, problem.fix, "usage");
  const url = database === undefined ? {} : { url: database };
  return { kind: "postgres", name: "workers", schema, directory: ".", ...url };
}
