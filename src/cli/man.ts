/**
 * `vmform man FOLDER`: manual pages, one for each command, made of the command line itself. For who
 * builds a package of vmform; it is no part of the help.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandUnknownOpts, Help } from "commander";
import type { Shell } from "./run.ts";

export type ManualPage = { readonly name: string; readonly text: string };

/** To be added last: it knows the commands that are there before it. */
export function addMan(program: CommandUnknownOpts, shell: Shell): void {
  program
    .command("man", { hidden: true })
    .description("write the manual pages into a folder")
    .argument("<folder>", "folder of the pages, made where it is not there")
    .action((folder: string) => {
      mkdirSync(folder, { recursive: true });
      for (const { name, text } of manualPages(program, shell.version)) {
        writeFileSync(join(folder, name), text);
      }
    });
}

/** In the order of the commands, that of the program first. */
export function manualPages(program: CommandUnknownOpts, version: string): readonly ManualPage[] {
  const help = program.createHelp();
  return commandsBelow(program, help).map((command) => ({
    name: `${pageName(command)}.1`,
    text: pageOf(command, help, version),
  }));
}

function commandsBelow(command: CommandUnknownOpts, help: Help): readonly CommandUnknownOpts[] {
  return [command, ...childrenOf(command, help).flatMap((child) => commandsBelow(child, help))];
}

function childrenOf(command: CommandUnknownOpts, help: Help): readonly CommandUnknownOpts[] {
  return help.visibleCommands(command).filter((child) => child.name() !== "help");
}

function wordsOf(command: CommandUnknownOpts): readonly string[] {
  const { parent } = command;
  return parent === null ? [command.name()] : [...wordsOf(parent), command.name()];
}

function pageName(command: CommandUnknownOpts): string {
  return wordsOf(command).join("-");
}

function pageOf(command: CommandUnknownOpts, help: Help, version: string): string {
  const name = pageName(command);
  const description = command.description().replace(/\.$/, "");
  const children = childrenOf(command, help);
  const lines = [
    '.\\" Made by vmform man.',
    `.TH ${name.toUpperCase().replaceAll("-", "\\-")} 1 "" "vmform ${version}" "vmform"`,
    // No hyphens within words of a command line, and no ragged spaces.
    ".nh",
    ".ad l",
    ".SH NAME",
    `${escaped(name)} \\- ${escaped(description)}`,
    ".SH SYNOPSIS",
    synopsis(command, children.length > 0),
    ...argumentLines(command, help),
    ...(children.length === 0 ? [] : [".SH COMMANDS", ...children.flatMap(childLines)]),
    ...optionLines(command, help),
    ...(command.parent === null ? filesAndCodes : []),
    ".SH SEE ALSO",
    seeAlso(command, children),
  ];
  return `${lines.join("\n")}\n`;
}

function synopsis(command: CommandUnknownOpts, isGroup: boolean): string {
  const words = command.registeredArguments.map((argument) => {
    const dots = argument.variadic ? "..." : "";
    const word = `\\fI${escaped(argument.name())}\\fR${dots}`;
    return argument.required ? word : `[${word}]`;
  });
  const rest = [...(isGroup ? ["\\fIcommand\\fR"] : []), ...words, "[\\fIoptions\\fR]"];
  return `\\fB${escaped(wordsOf(command).join(" "))}\\fR ${rest.join(" ")}`;
}

function argumentLines(command: CommandUnknownOpts, help: Help): readonly string[] {
  const told = command.registeredArguments.filter(({ description }) => description !== "");
  if (told.length === 0) return [];
  const lines = told.flatMap((argument) => [
    ".TP",
    `\\fI${escaped(argument.name())}\\fR`,
    escaped(help.argumentDescription(argument)),
  ]);
  return [".SH ARGUMENTS", ...lines];
}

function childLines(command: CommandUnknownOpts): readonly string[] {
  return [".TP", `\\fB${escaped(pageName(command))}\\fR(1)`, sentence(command.description())];
}

function optionLines(command: CommandUnknownOpts, help: Help): readonly string[] {
  const lines = help
    .visibleOptions(command)
    .flatMap((option) => [".TP", flags(option.flags), sentence(help.optionDescription(option))]);
  return lines.length === 0 ? [] : [".SH OPTIONS", ...lines];
}

/** Of `--target <address>`, what is typed is bold, and what stands for something is not. */
function flags(text: string): string {
  return text
    .split(/(<[^>]*>|\[[^\]]*\])/)
    .map((part) => {
      const inner = /^<(.*)>$/.exec(part)?.[1];
      const optional = /^\[(.*)\]$/.exec(part)?.[1];
      if (inner !== undefined) return `\\fI${escaped(inner)}\\fR`;
      if (optional !== undefined) return `[\\fI${escaped(optional)}\\fR]`;
      return part.trim() === "" ? part : `\\fB${escaped(part)}\\fR`;
    })
    .join("");
}

function seeAlso(command: CommandUnknownOpts, children: readonly CommandUnknownOpts[]): string {
  const { parent } = command;
  const near = parent === null ? [] : [parent];
  const pages = [...near, ...(parent === null ? [] : children)].map(
    (one) => `\\fB${escaped(pageName(one))}\\fR(1)`,
  );
  return pages.length === 0 ? "\\fBvmform \\-\\-help\\fR" : pages.join(",\n");
}

const filesAndCodes: readonly string[] = [
  ".SH EXIT STATUS",
  ...[
    ["0", "Done."],
    ["1", "An error that can be mended."],
    ["2", "drift found drift, or plan --detailed-exitcode found changes."],
    ["3", "A fault of vmform itself."],
    ["130", "Interrupted."],
  ].flatMap(([code = "", text = ""]) => [".TP", `\\fB${code}\\fR`, escaped(text)]),
  ".SH ENVIRONMENT",
  ...[
    ["VMFORM_VAR_NAME", "The value of the variable NAME."],
    ["NO_COLOR", "Plain text."],
    ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "By which proxy an endpoint is reached."],
  ].flatMap(([name = "", text = ""]) => [".TP", `\\fB${escaped(name)}\\fR`, escaped(text)]),
  ".SH FILES",
  ...[
    ["*.vmform.yaml", "The configuration: all of a folder."],
    ["state/default.json", "Recorded state, where the configuration does not say another place."],
  ].flatMap(([name = "", text = ""]) => [".TP", `\\fB${escaped(name)}\\fR`, escaped(text)]),
];

function sentence(text: string): string {
  const told = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  return escaped(/[.:]$/.test(told) ? told : `${told}.`);
}

/** As it is, whatever the typesetter would make of it; a line never begins a request. */
function escaped(text: string): string {
  const plain = text
    .replaceAll(/\s+/g, " ")
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replaceAll("`", "\\(ga");
  return plain.replace(/^\./, "\\&.");
}
