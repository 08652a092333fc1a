/** `vmform runs` and `vmform blame` on the command line. */

import { type Command, InvalidArgumentError } from "commander";
import { blameCommand } from "../../commands/history/blame.ts";
import { listRunsCommand, type RunStatus, showRunCommand } from "../../commands/history/runs.ts";
import { parseDurationMs } from "../../lib/time/duration.ts";
import { runOutcomes } from "../../model/recorded/run-record.ts";
import { blameJson, runJson, runSummaryJson } from "../../render/history/runs-json.ts";
import { blameText, runsText, runText } from "../../render/history/runs-text.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addCommon, type CommonOptions, type FlagsOf, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";

/** A time, or how long ago it was. */
type Moment = { readonly atMs: number } | { readonly agoMs: number };

type RunsFlags = FlagsOf<typeof declareList>;

const statuses: readonly RunStatus[] = [...runOutcomes, "running", "unfinished"];

export function addHistory(program: Command, shell: Shell, done: Done): void {
  const runs = program.command("runs").description("what runs have done, and who ran them");
  declareList(runs).action(action(shell, done, runList));
  addCommon(
    runs
      .command("show")
      .argument("<run>", "id of a run, or the beginning of it")
      .description("plan, consents, operations and changes of one run, and what it said"),
  ).action(action(shell, done, runShow));
  addCommon(
    program
      .command("blame")
      .argument("<address>")
      .description("which run last changed each attribute of an object"),
  ).action(action(shell, done, runBlame));
}

function declareList(runs: Command) {
  const list = runs
    .command("list", { isDefault: true })
    .description("runs that wrote to recorded state, the last one first");
  return addCommon(list)
    .option("--since <time>", "begun since then: 12h, 2026-11-29, 2026-11-29T08:00", moment)
    .option("--until <time>", "begun until then", moment)
    .option("--by <who>", "run by WHO or WHO@HOST")
    .addOption(list.createOption("--outcome <word>", "ended so").choices(statuses))
    .option("--command <words>", "of this command, such as apply or 'state rm'")
    .option("--limit <n>", "at most so many (50)", positive)
    .option("--submitted", "those that were submitted to workers, and what they wait for")
    .option("--watch <run>", "what a submitted run says, until it ends");
}

const limitDefault = 50;

async function runList(run: Run, flags: RunsFlags): Promise<ExitCode> {
  const { view, environment } = run;
  if (flags.watch !== undefined || flags.submitted === true) {
    const { runSubmitted, runWatch } = await import("../fleet/watch.ts");
    if (flags.watch !== undefined) return runWatch(run, flags, flags.watch);
    return runSubmitted(run, flags, flags.limit ?? limitDefault);
  }
  const nowMs = environment.clock.now();
  const at = (one: Moment | undefined): number | undefined =>
    one === undefined ? undefined : "atMs" in one ? one.atMs : nowMs - one.agoMs;
  const { runs, any } = await listRunsCommand(environment, workspaceOptions(flags), {
    sinceMs: at(flags.since),
    untilMs: at(flags.until),
    by: flags.by,
    status: flags.outcome,
    command: flags.command,
  });
  const shown = runs.slice(0, flags.limit ?? limitDefault);
  const more = runs.length - shown.length;
  if (!any) view.text("No run has been recorded yet.");
  else if (shown.length === 0) view.text("No run is like that.");
  else view.text(runsText(shown, nowMs));
  if (more > 0) view.text(`\n${more} earlier ones are not shown: --limit ${runs.length}`);
  view.document({ runs: shown.map(runSummaryJson), more });
  return exitCodes.ok;
}

async function runShow(
  { view, environment }: Run,
  flags: CommonOptions,
  [id]: [string],
): Promise<ExitCode> {
  const run = await showRunCommand(environment, workspaceOptions(flags), id);
  view.text(runText(run, view.options));
  view.document({ run: runJson(run) });
  return exitCodes.ok;
}

async function runBlame(
  { view, environment }: Run,
  flags: CommonOptions,
  [text]: [string],
): Promise<ExitCode> {
  const { address, attributes } = await blameCommand(environment, workspaceOptions(flags), text);
  view.text(blameText(attributes, environment.clock.now()));
  view.document({ address, attributes: blameJson(attributes) });
  return exitCodes.ok;
}

function moment(word: string): Moment {
  const agoMs = parseDurationMs(word);
  if (agoMs !== undefined) return { agoMs };
  const isDate = /^\d{4}-\d\d-\d\d/.test(word);
  // A date alone is a day here, and not one in Greenwich.
  const atMs = Date.parse(word.length === 10 ? `${word}T00:00` : word);
  if (isDate && !Number.isNaN(atMs)) return { atMs };
  throw new InvalidArgumentError("Write it like 12h, 2026-11-29 or 2026-11-29T08:00.");
}

function positive(word: string): number {
  const count = Number(word);
  if (/^\d+$/.test(word) && count > 0) return count;
  throw new InvalidArgumentError("It is a number from 1 on.");
}
