/** `vmform version` on the command line. Needs nothing of what other commands load. */

import type { Command } from "commander";
import { stringifyJson } from "../lib/json.ts";
import { publicDocument } from "../render/text/public-json.ts";
import type { Done } from "./action.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Shell } from "./run.ts";

export function addVersion(program: Command, shell: Shell, done: Done): void {
  program
    .command("version")
    .description("print the version")
    .option("--json", "machine-readable output")
    .action((flags) => {
      const { terminal, version } = shell;
      const shown =
        flags.json === true
          ? stringifyJson(publicDocument({ vmform: version }))
          : `vmform ${version}`;
      terminal.write(`${shown}\n`);
      done(exitCodes.ok);
    });
}
