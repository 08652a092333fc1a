/** `vmform state sql` on the command line. */

import type { Command } from "commander";
import { stateSqlCommand } from "../../commands/state/state-sql.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon, workspaceOptions } from "../options.ts";
import type { Shell } from "../run.ts";

export function addStateSql(state: Command, shell: Shell, done: Done): void {
  const sql = state
    .command("sql")
    .description("print the statements that make the tables of a database for recorded state");
  addCommon(sql)
    .option("--workers", "those of what is submitted to workers, too")
    .action(
      action(shell, done, async ({ view, environment }, flags) => {
        const options = { ...workspaceOptions(flags), workers: flags.workers === true };
        const text = await stateSqlCommand(environment, options);
        if (view.json) view.document({ sql: text });
        else shell.terminal.write(text);
        return exitCodes.ok;
      }),
    );
}
