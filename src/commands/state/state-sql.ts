/** `vmform state sql`: what an administrator of the database runs before the first run may. */

import { CommandError, type WorkspaceEnvironment } from "../environment.ts";
import { settingsAlone, type WorkspaceOptions } from "../reading.ts";

/** Connects to nothing. Throws `CommandError` where the store is no database. */
export async function stateSqlCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<string> {
  const { value, diagnostics } = await settingsAlone(environment, options);
  environment.remark(diagnostics);
  const script = await environment.storeDefinitions(value.settings.state);
  if (script !== undefined) return script;
  throw new CommandError(
    "Recorded state of this configuration is kept in no database.",
    "Name one first: vmform.state.postgres",
  );
}
