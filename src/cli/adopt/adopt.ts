/** `vmform adopt` on the command line: an estate that exists, under management step by step. */

import type { Command } from "commander";
import { type Found, findToAdopt, requireUsable } from "../../commands/adopt/find.ts";
import { type Adopted, recordAdopted } from "../../commands/adopt/record.ts";
import { givenAnswers } from "../../commands/configuration/first-answers.ts";
import { initCommand } from "../../commands/configuration/init.ts";
import { CommandError } from "../../commands/environment.ts";
import { isConfigurationFile } from "../../commands/reading.ts";
import { planDiffers } from "../../model/plan/plan-counts.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import { doctorText } from "../../render/state/doctor-text.ts";
import { action, type Done } from "../action.ts";
import {
  addEndpoint,
  askAnswers,
  givenWords,
  interfaceChoices,
} from "../configuration/first-questions.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  addCommon,
  addDebug,
  addLockTimeout,
  addVariables,
  collect,
  type FlagsOf,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { createAsker } from "../terminal/ask/questions.ts";
import { rememberingAnswers } from "../terminal/ask/remembered-answers.ts";
import { agreeTo, chooseWanted } from "./adopt-questions.ts";
import { adoptDocument, changesLeft, foundLines, resultLines } from "./adopt-text.ts";

export type AdoptFlags = FlagsOf<typeof declareAdopt>;

export function addAdopt(program: Command, shell: Shell, done: Done): void {
  declareAdopt(program).action(
    action(shell, done, (run, flags, [providers]) => runAdopt(shell, run, flags, providers)),
  );
}

function declareAdopt(program: Command) {
  const command = program
    .command("adopt")
    .argument("[providers...]", "daemon, cloud, manager, appliance; where nothing is configured")
    .description("bring what exists under management: look, choose, write configuration, record");
  return addEndpoint(addLockTimeout(addDebug(addVariables(addCommon(command)))))
    .option("--type <type>", "only objects of this type (repeatable)", collect<string>)
    .option("--filter <expression>", "only objects of which it is true")
    .option("--no-group", "a resource for each object, and no for_each")
    .option("--out <file>", "the new file of configuration (adopted.vmform.yaml)")
    .option("--yes", "asks for nothing: all that was found, or what --type and --filter choose");
}

async function runAdopt(
  shell: Shell,
  { view, environment }: Run,
  flags: AdoptFlags,
  providers: readonly string[],
): Promise<ExitCode> {
  view.eventsAside();
  const run = { view, environment: rememberingAnswers(environment) };
  const { directory } = workspaceOptions(flags);
  const { type: types, filter, out } = flags;
  await requireUsable(environment, { wanted: { types, filter }, out, directory });
  const configured = await configureFirst(shell, run, flags, providers);
  view.say("Nothing at an endpoint is changed: this only reads there.\n");
  const found = await find(shell, run, flags);
  if (found.kind !== "found") return stopped(run, found, configured);
  for (const line of foundLines(found)) view.say(line);
  if (found.variables.length > 0) return withoutValues(run, found, configured);
  const adopted = await recordAdopted(run.environment, {
    ...workspaceOptions(flags),
    lockTimeoutMs: flags.lockTimeout ?? 0,
  });
  view.diagnostics([...adopted.diagnostics, ...adopted.plan.diagnostics].filter(isError));
  view.say(`\n${resultLines(adopted).join("\n")}`);
  view.document(adoptDocument(found, configured, adopted));
  return isWhole(found, adopted) ? exitCodes.ok : exitCodes.error;
}

function isError(diagnostic: Parameters<typeof hasErrors>[0][number]): boolean {
  return hasErrors([diagnostic]);
}

/** Files with the providers, where the folder has no configuration yet. */
async function configureFirst(
  shell: Shell,
  { view, environment }: Run,
  flags: AdoptFlags,
  named: readonly string[],
): Promise<readonly string[]> {
  const { directory } = workspaceOptions(flags);
  const present = await environment.listFolder(directory);
  const words = givenWords(flags);
  if (present.some(isConfigurationFile)) {
    if (named.length === 0 && Object.keys(words).length === 0) return [];
    throw new CommandError(
      "There is a configuration already, which says where the endpoints are.",
      "Leave out the provider and what is said of it, or choose another folder with --chdir.",
      "usage",
    );
  }
  const asks = view.asks && flags.yes !== true;
  const asker = createAsker(shell, view, "Nothing was written.");
  let providers = named;
  if (providers.length === 0) {
    if (!asks) throw withoutEndpoint("Of which provider?");
    view.say("Where is what is to be managed?");
    providers = await asker.choose({
      text: "One or several, by number or name",
      choices: interfaceChoices(),
      many: true,
    });
  }
  const given = givenAnswers(environment, providers, words);
  const unknown = providers.find((provider) => given[provider]?.url === undefined);
  if (!asks && unknown !== undefined) throw withoutEndpoint(`Where is the ${unknown}?`);
  const answers = asks ? await askAnswers(asker, environment, providers, given) : given;
  const options = { directory, providers, simulator: false, answers };
  const { files } = await initCommand(environment, options);
  if (asks) shell.terminal.write("\n");
  for (const file of files) view.text(`Wrote ${file}.`);
  view.text("");
  return files;
}

function withoutEndpoint(question: string): CommandError {
  return new CommandError(
    `${question} There is no configuration here that says it.`,
    "Such as: vmform adopt cloud --url URL --user NAME --org NAME --password-env NAME",
    "usage",
  );
}

function find(shell: Shell, { view, environment }: Run, flags: AdoptFlags): Promise<Found> {
  const { type: types, filter, out, yes } = flags;
  const isChosen = yes === true || types !== undefined || filter !== undefined;
  const asker = createAsker(shell, view, "Nothing more was written, and nothing is recorded.");
  return findToAdopt(environment, {
    ...workspaceOptions(flags),
    wanted: { types, filter },
    out,
    group: flags.group !== false,
    checked: (checks) => view.text(`${doctorText(checks, view.options)}\n`),
    counted: (counts, unlisted) => {
      view.say(["What is there:", ...counts.map(countText), ...unlisted.map(lostText)].join("\n"));
    },
    choose: (counts, refuse) =>
      isChosen || !view.asks ? Promise.resolve({}) : chooseWanted(asker, counts, refuse),
    agree: (objects, file) => agreeTo(asker, view, { objects, file, isAgreed: yes === true }),
  });
}

function countText({
  type,
  unmanaged,
  recorded,
  declared,
}: Extract<Found, { kind: "found" }>["counts"][number]): string {
  const known = [
    ...(unmanaged === 0 ? [] : [`${unmanaged} unmanaged`]),
    ...(recorded === 0 ? [] : [`${recorded} recorded already`]),
    ...(declared === 0 ? [] : [`${declared} declared already`]),
  ];
  return `  ${type}: ${known.length === 0 ? "none" : known.join(", ")}`;
}

function lostText({ type, reason }: { readonly type: string; readonly reason: string }): string {
  return `  ${type}: could not be listed: ${reason}`;
}

function stopped(
  { view }: Run,
  found: Exclude<Found, { kind: "found" }>,
  configured: readonly string[],
): ExitCode {
  view.say(
    found.kind === "declined"
      ? "\nNothing more was written, and nothing is recorded."
      : "Mend what failed, in the configuration or at the endpoint, and run vmform adopt again.",
  );
  view.document(adoptDocument(found, configured));
  return exitCodes.error;
}

/** A secret is written nowhere, and without it nothing can be planned. */
function withoutValues(
  { view }: Run,
  found: Extract<Found, { kind: "found" }>,
  configured: readonly string[],
): ExitCode {
  const { variables } = found;
  const need = variables.map((name) => `The variable ${name} needs a value: it is a secret.`);
  view.say([...need, "Give it as VMFORM_VAR_NAME, and run vmform adopt again."].join("\n"));
  view.document(adoptDocument(found, configured));
  return exitCodes.error;
}

function isWhole(found: Extract<Found, { kind: "found" }>, adopted: Adopted): boolean {
  const { plan, left, recorded } = adopted;
  if (left.length > 0 || found.unlisted.length > 0 || hasErrors(plan.diagnostics)) return false;
  const own = new Set([...recorded, ...found.resources.map(({ address }) => address)]);
  return !planDiffers(plan) || !changesLeft(plan).some(({ address }) => own.has(address));
}
