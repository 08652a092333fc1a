/** `vmform lsp` on the command line. */

import type { Command } from "commander";
import { serveEditor } from "../../editor/server.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon } from "../options.ts";
import type { Shell } from "../run.ts";

export function addLsp(program: Command, shell: Shell, done: Done): void {
  const lsp = program
    .command("lsp")
    .description("serve an editor: names, places and problems, over standard input and output");
  addCommon(lsp)
    .option("--stdio", "what editors add; there is no other way")
    .action(
      action(shell, done, async ({ environment }) => {
        const streams = { input: process.stdin, output: process.stdout };
        const ended = await serveEditor(environment, streams);
        // It would keep the process.
        process.stdin.destroy();
        return ended ? exitCodes.ok : exitCodes.error;
      }),
    );
}
