/** The command line: commands, their options, and nothing of what they do. */

import { Command, CommanderError } from "commander";
import { CommandError } from "../commands/environment.ts";
import { action, type Done } from "./action.ts";
import { addAction } from "./action-command.ts";
import { type ApplyFlags, runApply } from "./apply.ts";
import { asksForJson, normalizeArguments } from "./argv.ts";
import { addDoctor } from "./doctor.ts";
import { addDriftOptions, runDrift } from "./drift.ts";
import { addEvaluation } from "./evaluation.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { addExplain } from "./explain.ts";
import { addGraph } from "./graph.ts";
import { addImport } from "./import.ts";
import { addInit } from "./init.ts";
import { addLanguage } from "./language.ts";
import {
  addAllow,
  addCommon,
  addDebug,
  addLockTimeout,
  addParallelism,
  addSelection,
  addSettle,
  addVariables,
  type CommonOptions,
} from "./options.ts";
import { type PlanFlags, runPlan, runValidate } from "./plan.ts";
import { addPlanForm, type PlanFormFlags } from "./plan-form.ts";
import { runCommand, type Shell } from "./run.ts";
import { addSimulate } from "./simulate.ts";
import {
  runForceUnlock,
  runOutput,
  runShow,
  runStateList,
  runStateRemove,
  runStateResolve,
  runStateShow,
} from "./state.ts";
import { addStateMove } from "./state-move.ts";
import { addStateTransfer } from "./state-transfer.ts";
import { addTicket } from "./ticket.ts";

/** Runs one command line (without node and script) and gives its exit code. */
export async function runProgram(shell: Shell, words: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const refused: string[] = [];
  const program = createProgram(
    shell,
    (ended) => {
      code = ended;
    },
    (text) => refused.push(text),
  );
  const given = normalizeArguments(words);
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
  let command: Command | undefined = program;
  for (const word of given) {
    command = command.commands.find((item) => item.name() === word);
    if (command === undefined) break;
    path.push(word);
  }
  const suggestion = more.map((line) => line.replace(/^\((.*)\)$/, "$1 ")).join("");
  const detail = `${first.slice(0, 1).toUpperCase()}${first.slice(1)}`;
  const ended = detail.endsWith(".") ? detail : `${detail}.`;
  return new CommandError(ended, `${suggestion}See: ${path.join(" ")} --help`, "usage");
}

function createProgram(shell: Shell, done: Done, refuse: (text: string) => void): Command {
  const program = new Command("vmform")
    .description("Plan, apply and drift reports for virtualization management, from YAML.")
    .exitOverride()
    .configureOutput({ writeOut: shell.terminal.write, writeErr: refuse });
  program.helpOption("-h, --help", "show help");
  program.version(`vmform ${shell.version}`, "-v, --version", "print the version");
  addInit(program, shell, done);
  addPlanning(program, shell, done);
  addInspecting(program, shell, done);
  addState(program, shell, done);
  addImport(program, shell, done);
  addAction(program, shell, done);
  addTicket(program, shell, done);
  addGraph(program, shell, done);
  addLanguage(program, shell, done);
  addEvaluation(program, shell, done);
  addExplain(program, shell, done);
  addDoctor(program, shell, done);
  addSimulate(program, shell, done);
  return program;
}

function addPlanning(program: Command, shell: Shell, done: Done): void {
  const validate = program.command("validate").description("check the configuration, offline");
  addVariables(addCommon(validate)).action(action(shell, done, runValidate));

  const plan = program.command("plan").description("show what apply would do; changes nothing");
  addPlanForm(addSelection(addSettle(addDebug(addAllow(addVariables(addCommon(plan)))))))
    .option("--out <file>", "save the plan, to apply exactly it")
    .option("--destroy", "plan to destroy everything recorded")
    .option("--requests", "show the wire requests of each operation")
    .option("--detailed-exitcode", "exit with 2 when there are changes")
    .action(action<PlanFlags>(shell, done, (run, flags) => runPlan(shell, run, flags), "stream"));

  const apply = program
    .command("apply")
    .argument("[plan]", "a saved plan")
    .description("converge: make the world as the configuration wants it");
  addApplying(apply).action(
    action<ApplyFlags>(
      shell,
      done,
      (run, flags, [file]) => runApply(shell, run, "apply", file, flags),
      "stream",
    ),
  );

  const destroy = program.command("destroy").description("destroy everything that is recorded");
  addApplying(destroy).action(
    action<ApplyFlags>(
      shell,
      done,
      (run, flags) => runApply(shell, run, "destroy", undefined, flags),
      "stream",
    ),
  );
}

function addApplying(command: Command): Command {
  const planning = addSelection(addDebug(addAllow(addVariables(addCommon(command)))));
  planning.option("--allow-partial", "apply the rest although some resources are blocked");
  return addParallelism(addLockTimeout(planning)).option(
    "--auto-approve",
    "do not ask; disruptions still need --allow",
  );
}

function addInspecting(program: Command, shell: Shell, done: Done): void {
  const drift = program
    .command("drift")
    .description("report what changed outside; exit code 0 none, 2 drift, 1 could not check");
  addDriftOptions(addSettle(addDebug(addVariables(addCommon(drift))))).action(
    action(shell, done, runDrift),
  );

  const show = program
    .command("show")
    .argument("[plan]", "a saved plan; without it, recorded state")
    .description("show recorded state or a saved plan");
  addPlanForm(addCommon(show)).action(
    action<CommonOptions & PlanFormFlags>(shell, done, (run, flags, [file]) =>
      runShow(shell, run, file, flags),
    ),
  );

  const output = program
    .command("output")
    .argument("[name]", "one output")
    .description("show recorded outputs");
  addCommon(output)
    .option("--raw", "the value alone, text without quotes")
    .action(
      action<CommonOptions & { raw?: boolean }>(shell, done, (run, flags, [name]) =>
        runOutput(shell, run, name, flags),
      ),
    );

  program
    .command("version")
    .description("print the version")
    .option("--json", "machine-readable output")
    .action(
      action(shell, done, async ({ view }) => {
        view.text(`vmform ${shell.version}`);
        view.document({ vmform: shell.version });
        return exitCodes.ok;
      }),
    );
}

type ResolveFlags = CommonOptions & {
  readonly done?: boolean;
  readonly notDone?: boolean;
  readonly lockTimeout?: number;
};

function addState(program: Command, shell: Shell, done: Done): void {
  const state = program.command("state").description("look at and mend recorded state");
  addCommon(state.command("list").description("recorded addresses")).action(
    action(shell, done, runStateList),
  );
  addCommon(
    state.command("show").argument("<address>").description("everything recorded of one object"),
  ).action(action(shell, done, (run, flags, [address]) => runStateShow(run, address ?? "", flags)));
  addStateMove(state, shell, done);
  addStateTransfer(state, shell, done);
  addLockTimeout(
    addCommon(
      state
        .command("rm")
        .argument("<address...>")
        .description("forget objects without touching them"),
    ),
  ).action(
    action<CommonOptions & { lockTimeout?: number }>(shell, done, (run, flags, addresses) =>
      runStateRemove(run, addresses, flags),
    ),
  );
  addLockTimeout(
    addCommon(
      state
        .command("resolve")
        .argument("<address>")
        .description("say how an operation ended that nobody saw the end of"),
    ),
  )
    .option("--done", "it took effect")
    .option("--not-done", "it did not, and no longer can")
    .action(
      action<ResolveFlags>(shell, done, (run, flags, [address]) =>
        runStateResolve(run, address ?? "", flags),
      ),
    );
  addCommon(
    program
      .command("force-unlock")
      .argument("<id>")
      .description("remove the lock of a run that is gone"),
  ).action(action(shell, done, (run, flags, [id]) => runForceUnlock(run, id ?? "", flags)));
}
