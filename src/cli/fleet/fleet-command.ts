/** Workers and what they are asked on the command line. Nothing of the queue is loaded for help. */

import { type Command, InvalidArgumentError } from "commander";
import { action, type Done } from "../action.ts";
import {
  addAllow,
  addCommon,
  addParallelism,
  addSelection,
  addVariables,
  addWindow,
  type CommonOptions,
  duration,
  positive,
} from "../options.ts";
import type { Shell } from "../run.ts";
import type { ApproveFlags } from "./answer/approve.ts";
import type { DeclineFlags } from "./answer/decline.ts";
import type { ScheduleFlags } from "./schedule.ts";
import type { SubmitFlags } from "./submit.ts";
import type { WorkerFlags } from "./worker.ts";

export function addFleet(program: Command, shell: Shell, done: Done): void {
  addWorker(program, shell, done);
  addSubmit(program, shell, done);
  addApprove(program, shell, done);
  addDecline(program, shell, done);
  addCancel(program, shell, done);
  addSchedule(program, shell, done);
}

function addWorker(program: Command, shell: Shell, done: Done): void {
  program
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
    .option("--no-color", "plain text")
    .action(
      action<WorkerFlags>(shell, done, async (run, flags) => {
        const { runWorker } = await import("./worker.ts");
        return runWorker(shell, run, flags);
      }),
    );
}

function addSubmit(program: Command, shell: Shell, done: Done): void {
  const submit = program
    .command("submit")
    .description("ask workers to plan, apply, destroy or look for drift");
  const adding = (kind: "plan" | "apply" | "destroy" | "drift", description: string): Command => {
    const command = submit.command(kind).description(description);
    addVariables(addCommon(command)).option("--watch", "show what becomes of it, until it ends");
    return command.action(
      action<SubmitFlags>(
        shell,
        done,
        async (run, flags) => {
          const { runSubmit } = await import("./submit.ts");
          return runSubmit(shell, run, kind, flags);
        },
        "stream",
      ),
    );
  };
  addSelection(addAllow(adding("plan", "show what apply would do")));
  for (const command of [
    adding("apply", "plan, and apply that when it is approved"),
    adding("destroy", "plan to destroy what is recorded, and do that when it is approved"),
  ]) {
    addParallelism(addWindow(addSelection(addAllow(command))))
      .option("--allow-partial", "apply the rest although some resources are blocked")
      .option("--auto-approve", "apply without approval what the consents of --allow cover");
  }
  adding("drift", "compare what is recorded with what is there");
}

function addApprove(program: Command, shell: Shell, done: Done): void {
  const approve = program
    .command("approve")
    .argument("<run>", "id of a run, or the beginning of it")
    .description("let a run apply the plan that it waits with");
  addAllow(addCommon(approve))
    .option("--plan <sum>", "the plan that was shown, by the sum shown with it", planSumWord)
    .option("--watch", "show what becomes of it, until it ends")
    .action(
      action<ApproveFlags>(
        shell,
        done,
        async (run, flags, [id = ""]) => {
          const { runApprove } = await import("./answer/approve.ts");
          return runApprove(shell, run, flags, id);
        },
        "stream",
      ),
    );
}

function addDecline(program: Command, shell: Shell, done: Done): void {
  const decline = program
    .command("decline")
    .argument("<run>", "id of a run, or the beginning of it")
    .description("say no to the plan that a run waits with, which ends it");
  addCommon(decline)
    .option("--plan <sum>", "the plan that was shown, by the sum shown with it", planSumWord)
    .action(
      action<DeclineFlags>(shell, done, async (run, flags, [id = ""]) => {
        const { runDecline } = await import("./answer/decline.ts");
        return runDecline(run, flags, id);
      }),
    );
}

function addCancel(program: Command, shell: Shell, done: Done): void {
  const cancel = program
    .command("cancel")
    .argument("<run>", "id of a run, or the beginning of it")
    .description("take back a run that waits for a worker");
  addCommon(cancel).action(
    action<CommonOptions>(shell, done, async (run, flags, [id = ""]) => {
      const { runCancel } = await import("./answer/cancel.ts");
      return runCancel(run, flags, id);
    }),
  );
}

function planSumWord(word: string): string {
  if (/^[0-9a-f]{12,64}$/.test(word)) return word;
  throw new InvalidArgumentError("It has 12 to 64 hexadecimal digits, as the run shows it.");
}

function addSchedule(program: Command, shell: Shell, done: Done): void {
  const schedule = program.command("schedule").description("what workers do by the clock");
  const drift = schedule
    .command("drift")
    .argument("<state>", "name of the recorded state")
    .argument("<cron>", 'when, such as "*/15 * * * *"')
    .description("look for drift again and again; replaces what was scheduled for the state");
  addVariables(addCommon(drift))
    .option("--zone <zone>", "time zone of it, such as Europe/Berlin (that of this machine)")
    .action(
      action<ScheduleFlags>(shell, done, async (run, flags, words) => {
        const { runScheduleDrift } = await import("./schedule.ts");
        return runScheduleDrift(shell, run, flags, words);
      }),
    );
  addCommon(schedule.command("list").description("what is scheduled")).action(
    action<CommonOptions>(shell, done, async (run, flags) => {
      const { runScheduleList } = await import("./schedule.ts");
      return runScheduleList(run, flags);
    }),
  );
  addCommon(schedule.command("delete").argument("<state>").description("look no more")).action(
    action<CommonOptions>(shell, done, async (run, flags, words) => {
      const { runScheduleDelete } = await import("./schedule.ts");
      return runScheduleDelete(run, flags, words);
    }),
  );
}
