/** Workers and what they are asked on the command line. Nothing of the queue is loaded for help. */

import { type Command, InvalidArgumentError } from "commander";
import type { SubmissionKind } from "../../model/fleet/submission.ts";
import { action, type Done } from "../action.ts";
import {
  addAllow,
  addCommon,
  addParallelism,
  addSelection,
  addVariables,
  addWindow,
  duration,
  type FlagsOf,
  positive,
} from "../options.ts";
import type { Shell } from "../run.ts";

export function addFleet(program: Command, shell: Shell, done: Done): void {
  addWorker(program, shell, done);
  addSubmit(program, shell, done);
  addApprove(program, shell, done);
  addDecline(program, shell, done);
  addCancel(program, shell, done);
  addSchedule(program, shell, done);
}

export type WorkerFlags = FlagsOf<typeof declareWorker>;

function addWorker(program: Command, shell: Shell, done: Done): void {
  declareWorker(program).action(
    action(
      shell,
      done,
      async (run, flags) => {
        const { runWorker } = await import("./worker.ts");
        return runWorker(shell, run, flags);
      },
      "stream",
    ),
  );
}

function declareWorker(program: Command) {
  return program
    .command("worker")
    .description("do what was submitted, until it is stopped")
    .option("--database <url>", "where runs are submitted; else as PGHOST and its like say")
    .option("--schema <name>", "schema of recorded state there (vmform)")
    .option("--name <name>", "what the worker is called (host and process)")
    .option("--at-once <n>", "runs at the same time (4)", positive)
    .option(
      "--heartbeat <duration>",
      "given up after so long without a sign of life (30s)",
      duration,
    )
    .option(
      "--keep <duration>",
      "how long runs that have ended are kept (2160h: 90 days)",
      duration,
    )
    .option("--restored", "after a restore of the database: end what is unfinished there, no more")
    .option("--json", "machine-readable output")
    .option("--no-color", "plain text");
}

/** Of whichever is submitted: to apply has the most. */
export type SubmitFlags = FlagsOf<typeof declareSubmitApply>;

function addSubmit(program: Command, shell: Shell, done: Done): void {
  const submit = program
    .command("submit")
    .description("ask workers to plan, apply, destroy or look for drift");
  const submitting = (kind: SubmissionKind) =>
    action(
      shell,
      done,
      async (run, flags: SubmitFlags) => {
        const { runSubmit } = await import("./submit.ts");
        return runSubmit(shell, run, kind, flags);
      },
      "stream",
    );
  const plan = submit.command("plan").description("show what apply would do");
  addSelection(addAllow(addSubmitted(plan))).action(submitting("plan"));
  const apply = submit.command("apply").description("plan, and apply that when it is approved");
  declareSubmitApply(apply).action(submitting("apply"));
  const destroy = submit
    .command("destroy")
    .description("plan to destroy what is recorded, and do that when it is approved");
  declareSubmitApply(destroy).action(submitting("destroy"));
  const drift = submit.command("drift").description("compare what is recorded with what is there");
  addSubmitted(drift).action(submitting("drift"));
}

function addSubmitted(command: Command) {
  return addVariables(addCommon(command)).option(
    "--watch",
    "show what becomes of it, until it ends",
  );
}

function declareSubmitApply(command: Command) {
  return addParallelism(addWindow(addSelection(addAllow(addSubmitted(command))))).option(
    "--auto-approve",
    "apply without approval what the consents of --allow cover",
  );
}

export type ApproveFlags = FlagsOf<typeof declareApprove>;

function addApprove(program: Command, shell: Shell, done: Done): void {
  declareApprove(program).action(
    action(
      shell,
      done,
      async (run, flags, [id]) => {
        const { runApprove } = await import("./answer/approve.ts");
        return runApprove(shell, run, flags, id);
      },
      "stream",
    ),
  );
}

function declareApprove(program: Command) {
  const approve = program
    .command("approve")
    .argument("<run>", "id of a run, or the beginning of it")
    .description("let a run apply the plan that it waits with");
  return addAllow(addCommon(approve))
    .option("--plan <sum>", "the plan that was shown, by the sum shown with it", planSumWord)
    .option("--watch", "show what becomes of it, until it ends");
}

export type DeclineFlags = FlagsOf<typeof declareDecline>;

function addDecline(program: Command, shell: Shell, done: Done): void {
  declareDecline(program).action(
    action(shell, done, async (run, flags, [id]) => {
      const { runDecline } = await import("./answer/decline.ts");
      return runDecline(run, flags, id);
    }),
  );
}

function declareDecline(program: Command) {
  const decline = program
    .command("decline")
    .argument("<run>", "id of a run, or the beginning of it")
    .description("say no to the plan that a run waits with, which ends it");
  return addCommon(decline).option(
    "--plan <sum>",
    "the plan that was shown, by the sum shown with it",
    planSumWord,
  );
}

export type CancelFlags = FlagsOf<typeof declareCancel>;

function addCancel(program: Command, shell: Shell, done: Done): void {
  declareCancel(program).action(
    action(
      shell,
      done,
      async (run, flags, [id]) => {
        const { runCancel } = await import("./answer/cancel.ts");
        return runCancel(run, flags, id);
      },
      "stream",
    ),
  );
}

function declareCancel(program: Command) {
  const cancel = program
    .command("cancel")
    .argument("<run>", "id of a run, or the beginning of it")
    .description("end a run: taken back where it waits for a worker, else its worker stops it");
  return addCommon(cancel).option("--watch", "show what becomes of it, until it ends");
}

function planSumWord(word: string): string {
  if (/^[0-9a-f]{12,64}$/.test(word)) return word;
  throw new InvalidArgumentError("It has 12 to 64 hexadecimal digits, as the run shows it.");
}

export type ScheduleFlags = FlagsOf<typeof declareScheduleDrift>;

function addSchedule(program: Command, shell: Shell, done: Done): void {
  const schedule = program.command("schedule").description("what workers do by the clock");
  declareScheduleDrift(schedule).action(
    action(shell, done, async (run, flags, words) => {
      const { runScheduleDrift } = await import("./schedule.ts");
      return runScheduleDrift(shell, run, flags, words);
    }),
  );
  addCommon(schedule.command("list").description("what is scheduled")).action(
    action(shell, done, async (run, flags) => {
      const { runScheduleList } = await import("./schedule.ts");
      return runScheduleList(run, flags);
    }),
  );
  addCommon(schedule.command("delete").argument("<state>").description("look no more")).action(
    action(shell, done, async (run, flags, words) => {
      const { runScheduleDelete } = await import("./schedule.ts");
      return runScheduleDelete(run, flags, words);
    }),
  );
}

function declareScheduleDrift(schedule: Command) {
  const drift = schedule
    .command("drift")
    .argument("<state>", "name of the recorded state")
    .argument("<cron>", 'when, such as "*/15 * * * *"')
    .description("look for drift again and again; replaces what was scheduled for the state");
  return addVariables(addCommon(drift)).option(
    "--zone <zone>",
    "time zone of it, such as Europe/Berlin (that of this machine)",
  );
}
