/** `vmform state migrate` on the command line. */

import type { Command } from "commander";
import { CommandError } from "../../commands/environment.ts";
import {
  type Migrated,
  type MigratedWorkspace,
  migrateCommand,
  placeForms,
  reclaimCommand,
} from "../../commands/migrate/migrate.ts";
import { plural } from "../../lib/text.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon, addDebug, addLockTimeout, collect, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";

export function addStateMigrate(state: Command, shell: Shell, done: Done): void {
  const migrate = state
    .command("migrate")
    .description("bring recorded state from one store to another, with all its workspaces");
  addDebug(addLockTimeout(addCommon(migrate)))
    .option("--to <place>", "where it goes; default: what the configuration says")
    .option("--from <place>", "where it comes from; default: what the configuration says")
    .option(
      "--workspace <name>",
      "this one too, where the store cannot tell which there are (repeatable)",
      collect<string>,
    )
    .option("--force", "also over an older copy of the same history")
    .option("--reclaim", "go on with the copy that was moved away from, and with no other")
    .action(
      action(shell, done, async (run, flags) => {
        const lockTimeoutMs = flags.lockTimeout ?? 0;
        const options = { ...workspaceOptions(flags), lockTimeoutMs };
        if (flags.reclaim === true) {
          if (flags.to !== undefined || flags.from !== undefined) throw bothAsked();
          return runReclaim(run, options);
        }
        if (flags.to === undefined && flags.from === undefined) throw nowhereNamed();
        const migrated = await migrateCommand(run.environment, {
          ...options,
          from: flags.from,
          to: flags.to,
          workspaces: flags.workspace ?? [],
          force: flags.force === true,
        });
        tell(run, migrated);
        return exitCodes.ok;
      }),
    );
}

async function runReclaim(
  { view, environment }: Run,
  options: Parameters<typeof reclaimCommand>[1],
) {
  const { location, handover } = await reclaimCommand(environment, options);
  view.text(
    handover === undefined
      ? `Nothing was changed: what is recorded at ${location} counts.`
      : `What is recorded at ${location} counts again. Make sure that nobody goes on with ` +
          `${handover.other}: both would manage the same objects.`,
  );
  view.document({ location, reclaimed: handover !== undefined });
  return exitCodes.ok;
}

function tell({ view }: Run, { workspaces, written, untold }: Migrated): void {
  for (const one of workspaces) view.text(`${sentence(one)}\n`);
  view.text(
    "The copies at the old place stay as they are and are marked: vmform goes on with none of " +
      "them.",
  );
  if (untold) {
    view.text(
      "The old store cannot tell which other workspaces it has. If there are: --workspace NAME",
    );
  }
  if (written !== undefined) {
    view.text("\nWrite into the configuration, so that everybody finds it:\n");
    view.text(written.trimEnd());
  }
  view.document({
    workspaces: workspaces.map(({ kind, ...one }) => ({ ...one, moved: kind === "moved" })),
    complete: !untold,
  });
}

function sentence(one: MigratedWorkspace): string {
  const { workspace, kind, objects, serial, position, from, to } = one;
  const which = workspace === "default" ? "Recorded state" : `Workspace ${workspace}`;
  const holds = `${plural(objects, "object")}, serial ${serial}, position ${position}`;
  return kind === "moved"
    ? `${which} was moved from ${from} to ${to} and read back: ${holds}.`
    : `${which} was moved from ${from} to ${to} before; nothing was changed.`;
}

function nowhereNamed(): CommandError {
  return new CommandError(
    "Say where recorded state is to go, or where it comes from.",
    "--to PLACE brings it from where the configuration says, and --from PLACE brings it there. " +
      placeForms,
    "usage",
  );
}

function bothAsked(): CommandError {
  return new CommandError(
    "--reclaim is about the place that the configuration names.",
    "Leave out --to and --from.",
    "usage",
  );
}
