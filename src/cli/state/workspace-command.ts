/** `vmform workspace` on the command line. */

import type { Command } from "commander";
import {
  deleteWorkspace,
  listWorkspaces,
  newWorkspace,
  selectWorkspace,
} from "../../commands/state/workspaces.ts";
import { plural } from "../../lib/text.ts";
import { escapeControls } from "../../render/text/safe-text.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon, workspaceOptions } from "../options.ts";
import type { Shell } from "../run.ts";

export function addWorkspace(program: Command, shell: Shell, done: Done): void {
  const workspace = program
    .command("workspace")
    .description("several recorded states of one configuration");
  addList(workspace, shell, done);
  addShow(workspace, shell, done);
  const make = workspace
    .command("new")
    .argument("<name>")
    .description("begin a recorded state of its own, and use it from now on");
  addCommon(make).action(
    action(shell, done, async ({ view, environment }, flags, [name]) => {
      const isUsed = await newWorkspace(environment, workspaceOptions(flags), name);
      view.text(
        isUsed
          ? `Workspace ${name} is made, and used in this folder from now on.`
          : `Workspace ${name} is made. VMFORM_WORKSPACE names another, and counts more.`,
      );
      view.document({ workspace: name, selected: isUsed });
      return exitCodes.ok;
    }),
  );
  const select = workspace
    .command("select")
    .argument("<name>")
    .description("use it in this folder from now on");
  addCommon(select).action(
    action(shell, done, async ({ view, environment }, flags, [name]) => {
      await selectWorkspace(environment, workspaceOptions(flags), name);
      view.text(`Workspace ${name} is used in this folder from now on.`);
      view.document({ workspace: name });
      return exitCodes.ok;
    }),
  );
  addDelete(workspace, shell, done);
}

function addList(workspace: Command, shell: Shell, done: Done): void {
  addCommon(workspace.command("list").description("which there are, and which is used")).action(
    action(shell, done, async ({ view, environment }, flags) => {
      const { names, selected, untold } = await listWorkspaces(
        environment,
        workspaceOptions(flags),
      );
      for (const name of names) view.text(`${name === selected.name ? "*" : " "} ${name}`);
      if (untold) view.text("\nA store of this kind cannot tell which others there are.");
      view.document({ workspaces: [...names], selected: selected.name, complete: !untold });
      return exitCodes.ok;
    }),
  );
}

function addShow(workspace: Command, shell: Shell, done: Done): void {
  addCommon(workspace.command("show").description("which one is used")).action(
    action(shell, done, async ({ view, environment }, flags) => {
      const { directory } = workspaceOptions(flags);
      const { name = "default", by = "default" } = (await environment.workspace?.(directory)) ?? {};
      view.text(escapeControls(name));
      view.document({ workspace: name, by });
      return exitCodes.ok;
    }),
  );
}

function addDelete(workspace: Command, shell: Shell, done: Done): void {
  const command = workspace
    .command("delete")
    .argument("<name>")
    .description("delete its recorded state; objects stay as they are");
  addCommon(command)
    .option("--force", "also where objects are recorded, which nobody manages then")
    .action(
      action(shell, done, async ({ view, environment }, flags, [name]) => {
        const options = workspaceOptions(flags);
        const force = flags.force === true;
        const { forgotten } = await deleteWorkspace(environment, options, name, force);
        const objects = forgotten === 0 ? "" : ` ${plural(forgotten, "object")} forgotten.`;
        view.text(`Workspace ${name} is deleted.${objects}`);
        view.document({ workspace: name, deleted: true, forgotten });
        return exitCodes.ok;
      }),
    );
}
