/** `vmform runs`: what runs have done that wrote to recorded state. Takes no lock. */

import type { RunOperation, RunOutcome, RunRecord } from "../../model/recorded/run-record.ts";
import type { StoredState } from "../../model/recorded/store.ts";
import { CommandError, type CommandStore, type WorkspaceEnvironment } from "../environment.ts";
import { settingsAlone, type WorkspaceOptions } from "../reading.ts";
import { withWorkspace } from "../workspace.ts";
import { closed } from "./keep.ts";

/** `unfinished`: it was begun, is not under way any more, and no later run has looked at it. */
export type RunStatus = RunOutcome | "running" | "unfinished";

export type ToldRun = RunRecord & { readonly status: RunStatus };

export type RunFilter = {
  /** Milliseconds since 1970; of the begin. */
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  /** `WHO` or `WHO@HOST`. */
  readonly by: string | undefined;
  readonly status: RunStatus | undefined;
  /** The command, or its first word. */
  readonly command: string | undefined;
};

export type ListedRuns = {
  /** The last one first. */
  readonly runs: readonly ToldRun[];
  /** Whether any was ever recorded. */
  readonly any: boolean;
};

export async function listRunsCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  filter: RunFilter,
): Promise<ListedRuns> {
  const runs = await readRuns(environment, options);
  return { runs: runs.filter(meets(filter)).toReversed(), any: runs.length > 0 };
}

/** In the order in which they began; of one without an end, what the journal tells of it. */
export async function readRuns(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<readonly ToldRun[]> {
  const needs = { read: settingsAlone, access: "none" } as const;
  return withWorkspace(environment, options, needs, ({ store }) => runsIn(store));
}

/** As `readRuns`, of a store that is open. */
export async function runsIn(store: CommandStore): Promise<readonly ToldRun[]> {
  const runs = await store.runs();
  if (runs.every(({ end }) => end !== undefined)) return runs.map((run) => told(run, undefined));
  const holder = await store.holder();
  const stored = await store.read();
  return runs.map((run) => told(withJournal(run, stored), holder?.id));
}

function withJournal(run: RunRecord, stored: StoredState): RunRecord {
  if (run.end !== undefined) return run;
  const { end: _, ...open } = closed(run, stored);
  return open;
}

function told(run: RunRecord, holderId: string | undefined): ToldRun {
  const open = run.lockId === holderId ? "running" : "unfinished";
  return { ...run, status: run.end?.outcome ?? open };
}

function meets(filter: RunFilter): (run: ToldRun) => boolean {
  const { sinceMs = -Infinity, untilMs = Infinity, by, status, command } = filter;
  return (run) =>
    run.beganMs >= sinceMs &&
    run.beganMs <= untilMs &&
    (by === undefined || by === run.who || by === `${run.who}@${run.host}`) &&
    (status === undefined || status === run.status) &&
    (command === undefined || run.command === command || run.command.startsWith(`${command} `));
}

export type ShownRun = ToldRun & {
  readonly operations: readonly (RunOperation & { readonly settledBy?: string })[];
};

/**
 * `id` may be as much of it as tells it from others, or is that of what was submitted to workers:
 * then it is the last run that was done for it. Throws `CommandError`.
 */
export async function showRunCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  id: string,
): Promise<ShownRun> {
  const runs = await readRuns(environment, options);
  const found = runs.filter((run) => run.id === id || (id !== "" && run.id.startsWith(id)));
  const run = found.find((one) => one.id === id) ?? found[0] ?? doneFor(id, runs);
  if (run === undefined) {
    throw new CommandError(`There is no run ${id} in the history.`, "List them: vmform runs");
  }
  if (found.length > 1 && run.id !== id) {
    throw new CommandError(`${found.length} runs begin with ${id}.`, "Give more of the id.");
  }
  const later = runs.slice(runs.indexOf(run) + 1);
  return { ...run, operations: run.operations.map((one) => settled(one, later)) };
}

function doneFor(id: string, runs: readonly ToldRun[]): ToldRun | undefined {
  if (id === "") return undefined;
  return runs.findLast(({ submission }) => submission?.startsWith(id));
}

/** What a later run has found out of an operation that nobody saw the end of. */
function settled(
  operation: RunOperation,
  later: readonly ToldRun[],
): ShownRun["operations"][number] {
  if (operation.outcome !== undefined) return operation;
  for (const { id, operations } of later) {
    const end = operations.find(
      (one) => one.planId === operation.planId && one.id === operation.id,
    );
    if (end !== undefined) return { ...operation, ...end, settledBy: id };
  }
  return operation;
}
