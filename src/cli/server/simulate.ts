/** `vmform simulate` on the command line. */

import { type Command, InvalidArgumentError } from "commander";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { collect } from "../options.ts";
import { runCommand, type Shell } from "../run.ts";

export function addSimulate(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command("simulate")
    .description("serve simulated endpoints on loopback until interrupted")
    .option("--world <file>", "world file to start from; without it, an empty world")
    .option("--port <n>", "port of the daemon (0, the default, takes a free one)", port)
    .option("--cloud-port <n>", "port of the cloud (0, the default, takes a free one)", port)
    .option("--manager-port <n>", "port of the manager (0, the default, takes a free one)", port)
    .option(
      "--appliance-port <n>",
      "port of the appliance (0, the default, takes a free one)",
      port,
    )
    .option("--persist <file>", "keep the world in this file between runs")
    .option("--faults <file>", "fault script")
    .option("--log <file>", "append one JSON line per request")
    .option(
      "--change <change>",
      "serve nothing: make this change of the world kept by --persist (repeatable)",
      collect<string>,
    )
    .option("--json", "machine-readable output")
    .option("--seed <n>", "seed of what is made up, such as addresses", whole)
    .action(async (flags) => {
      done(
        await runCommand(shell, flags, "document", async ({ view }) => {
          await shell.simulate(
            {
              world: flags.world,
              port: flags.port ?? 0,
              cloudPort: flags.cloudPort ?? 0,
              managerPort: flags.managerPort ?? 0,
              appliancePort: flags.appliancePort ?? 0,
              persist: flags.persist,
              faults: flags.faults,
              log: flags.log,
              seed: flags.seed,
              changes: flags.change ?? [],
            },
            view,
          );
          return exitCodes.ok;
        }),
      );
    });
}

function whole(word: string): number {
  const value = Number(word);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError("It must be a whole number.");
}

/** 0 takes a free one. */
function port(word: string): number {
  const value = Number(word);
  if (/^\d+$/.test(word) && value <= 65_535) return value;
  throw new InvalidArgumentError("It must be a port, 0 to 65535.");
}
