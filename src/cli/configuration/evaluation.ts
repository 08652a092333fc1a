/** `vmform eval` and `vmform console` on the command line. */

import type { Command } from "commander";
import { type Evaluator, openEvaluator } from "../../commands/configuration/eval.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import { isKnown } from "../../model/value/value.ts";
import { valueText } from "../../render/text/value-lines.ts";
import { sensitiveLiteral } from "../../render/text/value-text.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addCommon, addVariables, type CommonOptions, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";
import type { View } from "../terminal/view.ts";

export function addEvaluation(program: Command, shell: Shell, done: Done): void {
  const evaluate = program
    .command("eval")
    .argument("<expression>", "such as 'daemon_vm.web.ip_address', or a text with ${…}")
    .description("evaluate an expression against the configuration and recorded state");
  addVariables(addCommon(evaluate)).action(action(shell, done, runEval));

  const prompt = program
    .command("console")
    .description("evaluate expressions, one on each line, also from a pipe");
  addVariables(addCommon(prompt)).action(
    action<CommonOptions>(shell, done, (run, flags) => runConsole(shell, run, flags)),
  );
}

async function runEval(
  run: Run,
  flags: CommonOptions,
  [expression = ""]: readonly string[],
): Promise<ExitCode> {
  const evaluate = await evaluator(run, flags);
  return showValue(run.view, evaluate, expression) ? exitCodes.ok : exitCodes.error;
}

function evaluator({ environment }: Run, flags: CommonOptions): Promise<Evaluator> {
  return openEvaluator(environment, workspaceOptions(flags));
}

/** Whether the expression could be evaluated. */
function showValue(view: View, evaluate: Evaluator, expression: string): boolean {
  const { value, sensitive, diagnostics } = evaluate(expression);
  if (hasErrors(diagnostics)) {
    view.diagnostics(diagnostics);
    return false;
  }
  view.text(sensitive ? sensitiveLiteral : valueText(value, view.options));
  const known = isKnown(value);
  view.document({ known, sensitive, ...(known && !sensitive ? { value } : {}) });
  return true;
}

const endings: readonly string[] = ["exit", "quit"];

/**
 * A person at the terminal has a prompt, and is told of each mistake. From a pipe every line is
 * evaluated, and one that cannot be makes the exit code 1.
 */
async function runConsole({ terminal }: Shell, run: Run, flags: CommonOptions): Promise<ExitCode> {
  const { view } = run;
  const evaluate = await evaluator(run, flags);
  const asks = terminal.interactive && !view.json;
  if (asks) view.text("One expression on each line; exit, or Ctrl-D, ends.");
  let failed = false;
  for await (const written of terminal.lines(asks ? "> " : undefined)) {
    const expression = written.trim();
    if (expression === "") continue;
    if (endings.includes(expression)) break;
    if (!showValue(view, evaluate, expression)) failed = true;
  }
  return failed && !asks ? exitCodes.error : exitCodes.ok;
}
