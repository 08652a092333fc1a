/** The command line: commands, their options, and nothing of what they do. */

import { Command, CommanderError, type CommandUnknownOpts } from "commander";
import { CommandError } from "../commands/environment.ts";
import type { Done } from "./action.ts";
import { asksForJson, normalizeArguments } from "./argv.ts";
import { type AddCommands, loadCommands } from "./command-table.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { readHomePaths } from "./files/paths.ts";
import { wayOf } from "./habits.ts";
import { narrowHelp } from "./narrow-help.ts";
import type { Shell } from "./run.ts";

/** Runs one command line (without node and script) and gives its exit code. */
export async function runProgram(shell: Shell, words: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const refused: string[] = [];
  const done: Done = (ended) => {
    code = ended;
  };
  const given = normalizeArguments(words);
  const isVersion = given[0] === "-v" || given[0] === "--version";
  const commands = isVersion ? [] : await loadCommands(given[0]);
  const program = createProgram(shell, commands, done, (text) => refused.push(text));
  try {
    if (given.length === 0) program.help();
    await program.parseAsync([...given], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return code;
    const unknownHelp = given[0] === "help" && given[1] !== undefined;
    if (error.code === "commander.help" && !unknownHelp) {
      // A group of commands without the command: what there is, is the answer.
      shell.terminal.write(refused.join(""));
      return code;
    }
    const { runCommand } = await import("./run.ts");
    return runCommand(shell, { json: asksForJson(given) }, "document", () => {
      const unknown = unknownHelp ? `unknown command '${given[1]}'` : error.message;
      throw usageError(program, given, unknown);
    });
  }
  return code;
}

/** Commander's message, with where to look: the help of the command it is about. */
function usageError(program: Command, given: readonly string[], message: string): CommandError {
  const [first = "", ...more] = message.replace(/^error: /, "").split("\n");
  const path = [program.name()];
  let command: CommandUnknownOpts | undefined = program;
  for (const word of given) {
    command = command.commands.find((item) => item.name() === word);
    if (command === undefined) break;
    path.push(word);
  }
  const way = wayOf(first);
  const habit = way === undefined ? "" : `Here: ${way}. `;
  const suggestion = more.map((line) => line.replace(/^\((.*)\)$/, "$1 ")).join("");
  const detail = `${first.slice(0, 1).toUpperCase()}${first.slice(1)}`;
  const ended = detail.endsWith(".") ? detail : `${detail}.`;
  return new CommandError(ended, `${habit}${suggestion}See: ${path.join(" ")} --help`, "usage");
}

function createProgram(
  shell: Shell,
  commands: readonly AddCommands[],
  done: Done,
  refuse: (text: string) => void,
): Command {
  const program = new Command("vmform")
    .description("Plan, apply and drift reports for virtualization management, from YAML.")
    .exitOverride()
    .configureHelp(narrowHelp)
    .configureOutput({ writeOut: shell.terminal.write, writeErr: refuse });
  program.helpOption("-h, --help", "show help");
  program.version(`vmform ${shell.version}`, "-v, --version", "print the version");
  for (const add of commands) add(program, shell, done);
  readHomePaths(program);
  return program;
}
