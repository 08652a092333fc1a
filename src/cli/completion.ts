/**
 * `vmform completion`: scripts for shells, and what they ask. Commands and options come from the
 * command line itself, addresses from recorded state; no server is asked.
 */

import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import type { CommandEnvironment } from "../commands/environment.ts";
import type { WorkspaceOptions } from "../commands/reading.ts";
import { readStateCommand } from "../commands/state/state.ts";
import { listWorkspaces } from "../commands/state/workspaces.ts";
import { hasKeysAtHand } from "../model/recorded/seal.ts";
import type { StoreSettings } from "../model/recorded/store-settings.ts";
import { isWorkspaceName } from "../model/recorded/workspace.ts";
import type { Done } from "./action.ts";
import { exitCodes } from "./exit-codes.ts";
import { workspaceOptions } from "./options.ts";
import type { Shell } from "./run.ts";
import { bashCompletion, isHarmless } from "./terminal/bash-completion.ts";
import { createInterrupts } from "./terminal/interrupts.ts";

/** Options that take recorded addresses, and commands whose arguments are such. */
const addressOptions = ["target", "exclude", "replace", "explain"];
const addressCommands = [
  "blame",
  "state show",
  "state rm",
  "state mv",
  "state resolve",
  "action",
  "ticket",
];
const workspaceCommands = ["workspace select", "workspace delete"];

type Tree = ReturnType<typeof tab>;
type Complete = (value: string, description: string) => void;

/** To be added last: it knows the commands that are there before it. */
export function addCompletion(program: Command, shell: Shell, done: Done): void {
  const tree = tab(program, { completionCommandName: "completion" });
  const script = program.commands.find((command) => command.name() === "completion");
  script?.action(() => {
    const [name = ""] = script.args;
    if (name === "bash") shell.terminal.write(bashCompletion);
    else tree.setup("vmform", "vmform", name);
  });
  const asked = program.commands.find((command) => command.name() === "complete");
  asked?.action(async () => {
    const words = asked.args;
    const addresses = await recordedAddresses(shell, words);
    completeAddresses(tree, addresses);
    if (words.includes("workspace")) completeWorkspaces(tree, await workspaceNames(shell, words));
    tree.parse([...words]);
    done(exitCodes.ok);
  });
}

function completeAddresses(tree: Tree, addresses: readonly string[]): void {
  const handler = (complete: Complete): void => {
    for (const address of addresses) complete(address, "");
  };
  for (const [name, command] of tree.commands) {
    for (const option of addressOptions) {
      const known = command.options.get(option);
      if (known !== undefined) known.handler = handler;
    }
    if (!addressCommands.includes(name)) continue;
    const [argument] = command.arguments.values();
    if (argument !== undefined) argument.handler = handler;
  }
}

function completeWorkspaces(tree: Tree, names: readonly string[]): void {
  for (const command of workspaceCommands) {
    const [argument] = tree.commands.get(command)?.arguments.values() ?? [];
    if (argument === undefined) continue;
    argument.handler = (complete: Complete): void => {
      for (const name of names) complete(name, "");
    };
  }
}

/**
 * None where nothing can be read: a key that completes nothing is no place for an error. Provider
 * packages stay out of it, since nobody who presses Tab means to run their code.
 */
function recordedAddresses(shell: Shell, words: readonly string[]): Promise<readonly string[]> {
  return unlessUnreadable(async () => {
    const { environment, options } = await quietly(shell, words);
    const beside = { ...environment, openStore: localStore(environment) };
    const { objects } = await readStateCommand(beside, options);
    const known = new Set(objects.map(({ address }) => address));
    return [...known].filter(isHarmless).sort();
  });
}

/** Those that can be told without a server. */
function workspaceNames(shell: Shell, words: readonly string[]): Promise<readonly string[]> {
  return unlessUnreadable(async () => {
    const { environment, options } = await quietly(shell, words);
    const { openWorkspaces } = environment;
    const beside: CommandEnvironment = {
      ...environment,
      openWorkspaces: (settings) => openWorkspaces(requireLocal(settings)),
    };
    const { names } = await listWorkspaces(beside, options);
    return names.filter(isWorkspaceName);
  });
}

async function unlessUnreadable(
  read: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await read();
  } catch {
    return [];
  }
}

async function quietly(
  shell: Shell,
  words: readonly string[],
): Promise<{ readonly environment: CommandEnvironment; readonly options: WorkspaceOptions }> {
  const nothing = (): void => {};
  const environment = await shell.environment({
    ...{ events: nothing, remark: nothing, debugHttp: undefined },
    interrupts: createInterrupts(shell.terminal, nothing),
  });
  const folder = folderOf(words);
  return { environment, options: workspaceOptions(folder === undefined ? {} : { chdir: folder }) };
}

/** Nobody waits for a server because of a key. */
function localStore({ openStore }: CommandEnvironment): CommandEnvironment["openStore"] {
  return (settings) => {
    if (!hasKeysAtHand(settings.encryption))
      throw new Error("a program is to be asked for its key");
    return openStore(settings, settings.kind === "local" ? "store" : "mirror");
  };
}

function requireLocal(settings: StoreSettings): StoreSettings {
  if (settings.kind !== "local") throw new Error("recorded state is kept by a server");
  return settings;
}

/** `--chdir FOLDER` or `--chdir=FOLDER`, the last one. */
function folderOf(words: readonly string[]): string | undefined {
  const at = words.findLastIndex((word) => /^--?chdir(?:=|$)/.test(word));
  const [word = "", next] = at === -1 ? [] : words.slice(at);
  return word.includes("=") ? word.slice(word.indexOf("=") + 1) : next;
}
