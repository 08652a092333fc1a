/** `vmform agent` on the command line. */

import { type Command, InvalidArgumentError } from "commander";
import { CommandError } from "../../commands/environment.ts";
import { urlProblem } from "../../config/settings/postgres-state.ts";
import { loadBeforeChanges } from "../../lib/before-changes.ts";
import { distributedNode, distributedNodeProblem } from "../../lib/node-version.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon, addDebug, collect } from "../options.ts";
import type { Shell } from "../run.ts";

export function addAgent(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command("agent")
    .description("do what runs elsewhere ask of the endpoints of this site, until interrupted")
    .requiredOption("--site <name>", "site that it serves, as via of providers names it", siteName)
    .option("--database <url>", "PostgreSQL database of recorded state; PG variables otherwise")
    .option("--schema <name>", "schema of recorded state there", "vmform")
    .option("--read-only", "read only: whatever is asked, nothing is changed")
    .option("--endpoint <url>", "speak to this endpoint alone (repeatable)", endpoint)
    .option("--sql", "print the statements that let --role serve the site, and end")
    .option("--role <name>", "role that the agent logs in as, for --sql");
  addDebug(addCommon(command)).action(
    action(
      shell,
      done,
      async (run, flags) => {
        const { site, schema, database, role, sql = false } = flags;
        requireUsable(database, role, sql);
        requireNode(shell);
        if (sql) {
          if (role === undefined) throw usage("--sql needs --role, who logs in as the agent.");
          const text = await shell.agentSql({ site, schema, role });
          if (run.view.json) run.view.message({ sql: text });
          else shell.terminal.write(text);
          return exitCodes.ok;
        }
        loadBeforeChanges({ everything: true });
        await shell.agent(
          {
            site,
            schema,
            database,
            readOnly: flags.readOnly === true,
            endpoints: flags.endpoint ?? [],
            directory: flags.chdir ?? ".",
            debugHttp: flags.debugHttp,
          },
          run,
        );
        return exitCodes.ok;
      },
      "stream",
    ),
  );
}

function requireUsable(database: string | undefined, role: string | undefined, sql: boolean): void {
  if (role !== undefined && !sql) throw usage("--role is for --sql alone.");
  const wrong = database === undefined ? undefined : urlProblem(database);
  if (wrong === undefined) return;
  throw new CommandError(
    wrong.detail,
    wrong.fix.replace(/ and name where.*$/s, " and set PGPASSWORD."),
    "usage",
  );
}

function usage(message: string): CommandError {
  return new CommandError(message, "See: vmform agent --help", "usage");
}

function requireNode({ terminal }: Shell): void {
  const problem = distributedNodeProblem(process.version, terminal.environment);
  if (problem === undefined) return;
  const fix = `Install Node.js ${distributedNode.join(".")} or later.`;
  throw new CommandError(`vmform agent ${problem}.`, fix);
}

function siteName(word: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,39}$/.test(word)) return word;
  throw new InvalidArgumentError("It has small letters, digits, - and _, and at most 40 of them.");
}

function endpoint(word: string, before: readonly string[] | undefined): readonly string[] {
  if (!URL.canParse(word) || !/^https?:$/.test(new URL(word).protocol)) {
    throw new InvalidArgumentError("It must be an http or https URL.");
  }
  return collect<string>(new URL(word).origin, before);
}
