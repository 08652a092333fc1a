/** `vmform serve` on the command line. Nothing of a server is loaded for help. */

import type { Command } from "commander";
import { action, type Done } from "../action.ts";
import { collect, type FlagsOf } from "../options.ts";
import type { Shell } from "../run.ts";

export type ServeFlags = FlagsOf<typeof declareServe>;

export function addServe(program: Command, shell: Shell, done: Done): void {
  declareServe(program).action(
    action(shell, done, async (run, flags) => {
      const { runServe } = await import("./serve.ts");
      return runServe(shell, run, flags);
    }),
  );
}

function declareServe(program: Command) {
  return program
    .command("serve")
    .description("web pages of the states of a database: runs, plans, approvals, drift, agents")
    .option("--database <url>", "where states are recorded; else as PGHOST and its like say")
    .option("--embedded", "start a private database in this folder, for trials")
    .option("--schema <name>", "schema of recorded state there (vmform)")
    .option("--listen <address>", "address and port, 0 for a free one (127.0.0.1:8340)")
    .option("--url <url>", "where people reach it, through a proxy")
    .option("--user-header <name>", "a proxy says by this header who it is")
    .option("--roles-header <name>", "and by this one in which groups, comma-separated")
    .option("--trusted-proxy <address>", "of such a proxy (repeatable; loopback)", collect<string>)
    .option("--oidc-issuer <url>", "people log in at this server, by OpenID Connect")
    .option("--oidc-client <id>", "id of vmform there; its secret in VMFORM_OIDC_SECRET")
    .option("--oidc-roles-claim <name>", "claim that has the groups (groups)")
    .option("--oidc-user-claim <name>", "claim that has the name (preferred_username, email, sub)")
    .option(
      "--role <group=role>",
      "what a group may: see, approve or operate; * is everybody (repeatable)",
      collect<string>,
    )
    .option("--no-color", "plain text");
}
