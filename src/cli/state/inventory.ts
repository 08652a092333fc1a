/** `vmform inventory`: recorded VMs for Ansible, without asking any server. */

import type { Command } from "commander";
import { CommandError } from "../../commands/environment.ts";
import { readStateCommand } from "../../commands/state/state.ts";
import { stringifyJson } from "../../lib/json.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { inventoryJson, inventoryOf } from "../../render/state/inventory.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addCommon, addStateFrom, type FlagsOf, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";

type InventoryFlags = FlagsOf<typeof declareInventory>;

export function addInventory(program: Command, shell: Shell, done: Done): void {
  declareInventory(program).action(
    action(shell, done, (run, flags) => runInventory(shell, run, flags)),
  );
}

function declareInventory(program: Command) {
  const inventory = program
    .command("inventory")
    .description("recorded VMs as an inventory of Ansible");
  return addStateFrom(addCommon(inventory))
    .option("--list", "all hosts, groups and variables; what is done without options, too")
    .option("--host <name>", "the variables of one host");
}

async function runInventory(
  { terminal }: Shell,
  { environment }: Run,
  flags: InventoryFlags,
): Promise<ExitCode> {
  const state = await readStateCommand(environment, workspaceOptions(flags));
  const inventory = inventoryOf(state, environment.types);
  // The form is Ansible's, with `--json` and without.
  const write = (value: ValueMap): void =>
    terminal.write(`${stringifyJson(value, { indent: 2 })}\n`);
  if (flags.host === undefined) {
    write(inventoryJson(inventory));
    return exitCodes.ok;
  }
  const variables = inventory.hosts.get(flags.host);
  if (variables === undefined) {
    throw new CommandError(
      `No host of the inventory is called ${flags.host}.`,
      "List all hosts with: vmform inventory --list",
    );
  }
  write(variables);
  return exitCodes.ok;
}
