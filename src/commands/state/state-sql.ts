/** `vmform state sql`: what an administrator of the database runs before the first run may. */

import {
  type CommandEnvironment,
  CommandError,
  type WorkspaceEnvironment,
} from "../environment.ts";
import { settingsAlone, type WorkspaceOptions } from "../reading.ts";

/** Connects to nothing. Throws `CommandError` where the store is no database. */
export async function stateSqlCommand(
  environment: WorkspaceEnvironment & Pick<CommandEnvironment, "loadFleet">,
  options: WorkspaceOptions & { readonly workers: boolean },
): Promise<string> {
  const { value, diagnostics } = await settingsAlone(environment, options);
  environment.remark(diagnostics);
  const { state } = value.settings;
  const script = await environment.storeDefinitions(state);
  if (script !== undefined && state.kind === "postgres") {
    if (!options.workers) return script;
    const fleet = await environment.loadFleet();
    return `${script}${fleet.definitions(state)}`;
  }
  throw new CommandError(
    "Recorded state of this configuration is kept in no database.",
    "Name one first: vmform.state.postgres",
  );
}
