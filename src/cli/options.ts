/** Options shared by commands: how they are declared and read. */

import { type Command, InvalidArgumentError, type OptionValues } from "commander";
import type { StateSource } from "../commands/environment.ts";
import type { WorkspaceOptions } from "../commands/reading.ts";
import { parseDurationMs } from "../lib/time/duration.ts";
import { type Consent, disruptions, isConsent } from "../model/operation/disruption.ts";
import { type Address, type Selector, toAddress, toSelector } from "../model/value/address.ts";
import { addressAdvice } from "../model/value/address-text.ts";
import type { PlanSelection } from "../plan/input.ts";
import { markdownBytesMin } from "../render/text/markdown.ts";
import { type NamedText, parseVariable } from "./argv.ts";
import { progressModes } from "./terminal/progress.ts";

/** What commander gives for the options that a function declares; absent ones are undefined. */
export type FlagsOf<Declare extends (...given: never[]) => { opts(): OptionValues }> = Given<
  ReturnType<ReturnType<Declare>["opts"]>
>;

/** A run that is begun by other means than a command line may have a false one, too. */
type Given<Flags> = {
  readonly [Name in keyof Flags]?: Flags[Name] extends true | undefined ? boolean : Flags[Name];
};

/** What functions that serve many commands ask for. */
export type CommonOptions = FlagsOf<typeof declareCommon>;

function declareCommon(command: Command) {
  return addProgress(addStateFrom(addDebug(addVariables(addCommon(command)))));
}

export type PlanningOptions = CommonOptions & FlagsOf<typeof declarePlanning>;

function declarePlanning(command: Command) {
  return addSelection(addParallelism(addLockTimeout(addAllow(command))));
}

export function selectionOf(flags: Omit<PlanningOptions, "allow">): PlanSelection {
  const { target = [], exclude = [], replace = [] } = flags;
  return { targets: target, excludes: exclude, replace };
}

export function addCommon<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option("--chdir <folder>", "folder of the configuration")
    .option("--json", "machine-readable output")
    .option("--no-color", "plain text")
    .option("--no-input", "ask for nothing: what would be asked for is an error");
}

/** For what goes on without the store. */
export function addStateFrom<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  const words = "recorded state of the store, or of its mirror on this machine";
  return command.addOption(
    command
      .createOption("--state-from <copy>", words)
      .choices(["store", "mirror"] satisfies StateSource[]),
  );
}

export function addVariables<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option("--var <name=value>", "set a variable (repeatable)", collectVariable)
    .option("--var-file <file>", "YAML file of variables (repeatable)", collect<string>);
}

export function addAllow<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command.option(
    "--allow <kinds>",
    `consent to disruptions, comma-separated: ${[...disruptions, "policy:NAME"].join(", ")}`,
    collector(isConsent, disruptions),
  );
}

/** The consent to record in a mirror what its store does not know. */
export const mirrorConsent = "mirror";

/** With the consent that is not to a plan, but to where it is recorded. */
export function addApplyingAllow<A extends unknown[], O extends OptionValues>(
  command: Command<A, O>,
) {
  const words = [...disruptions, mirrorConsent, "policy:NAME"].join(", ");
  const isAllowed = (kind: string): kind is Consent | typeof mirrorConsent =>
    kind === mirrorConsent || isConsent(kind);
  return command.option(
    "--allow <kinds>",
    `consent to disruptions, and to --state-from mirror, comma-separated: ${words}`,
    collector(isAllowed, [...disruptions, mirrorConsent]),
  );
}

/** What becomes of operations outside of the times that policies set. */
export function addWindow<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  const option = command.createOption(
    "--window <choice>",
    "outside of the times of policies: wait or skip",
  );
  return command.addOption(option.choices(["wait", "skip"]));
}

/** How it is told what goes on. */
export function addProgress<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  const words = "how to tell what goes on: drawn live, in plain lines, or as JSON";
  return command.addOption(
    command
      .createOption("--progress <mode>", words)
      .choices([...progressModes])
      .default("auto"),
  );
}

/** Options that choose what a plan is about. */
export function addSelection<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option("--target <address>", "only this and what it needs (repeatable)", collectSelector)
    .option("--exclude <address>", "not this nor what needs it (repeatable)", collectSelector)
    .option("--replace <address>", "replace this object (repeatable)", collectAddress)
    .option("--refresh-only", "record what is observed, change nothing else");
}

export function addDebug<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command.option("--debug-http <file>", "append every request and reply, secrets masked");
}

/** `plan` and `drift` only look at what an interrupted run has left open. */
export function addSettle<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command.option("--settle", "wait for what an interrupted run has begun to end");
}

export function addLockTimeout<A extends unknown[], O extends OptionValues>(
  command: Command<A, O>,
) {
  return command.option("--lock-timeout <duration>", "wait for the lock, such as 30s", duration);
}

export const parallelismDefault = 10;

export function addParallelism<A extends unknown[], O extends OptionValues>(
  command: Command<A, O>,
) {
  return command.option("--parallelism <n>", "requests in flight at once (10)", positive);
}

export function workspaceOptions(options: CommonOptions): WorkspaceOptions {
  const { stateFrom } = options;
  return {
    directory: options.chdir ?? ".",
    variables: options.var ?? [],
    variableFiles: options.varFile ?? [],
    ...(stateFrom === undefined ? {} : { stateFrom }),
  };
}

export function collect<T>(value: T, before: readonly T[] | undefined): readonly T[] {
  return [...(before ?? []), value];
}

function collectVariable(
  word: string,
  before: readonly NamedText[] | undefined,
): readonly NamedText[] {
  const variable = parseVariable(word);
  if (variable === undefined) throw new InvalidArgumentError("Write it as NAME=VALUE.");
  return collect(variable, before);
}

/** Reads an address, or a module, given once more. Throws for a word that is neither. */
export function collectSelector(
  word: string,
  before: readonly Selector[] | undefined,
): readonly Selector[] {
  const selector = toSelector(word);
  if (selector === undefined) throw new InvalidArgumentError(addressAdvice(word));
  return collect(selector, before);
}

/** Throws for a word that is no address. */
function collectAddress(word: string, before: readonly Address[] | undefined): readonly Address[] {
  const address = toAddress(word);
  if (address === undefined) {
    throw new InvalidArgumentError(addressAdvice(word));
  }
  return collect(address, before);
}

function collector<T extends string>(isAllowed: (kind: string) => kind is T, kinds: readonly T[]) {
  return (words: string, before: readonly T[] | undefined): readonly T[] => {
    const given = words.split(",").map((word) => {
      const kind = word.trim();
      if (isAllowed(kind)) return kind;
      const known = [...kinds, "policy:NAME"].join(", ");
      throw new InvalidArgumentError(`"${kind}" is none of: ${known}.`);
    });
    return [...(before ?? []), ...given];
  };
}

export function duration(word: string): number {
  const ms = word === "0" ? 0 : parseDurationMs(word);
  if (ms === undefined) throw new InvalidArgumentError("Write it like 30s, 5m or 1h.");
  return ms;
}

export function positive(word: string): number {
  const count = Number(word);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("It must be a whole number above 0.");
}

export function markdownBytes(word: string): number {
  const count = positive(word);
  if (count >= markdownBytesMin) return count;
  throw new InvalidArgumentError(`It must be at least ${markdownBytesMin}.`);
}
