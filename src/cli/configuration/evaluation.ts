/** `vmform eval` and `vmform console` on the command line. */

import type { Command } from "commander";
import {
  type Evaluation,
  type Evaluator,
  openEvaluator,
} from "../../commands/configuration/eval.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import { isKnown } from "../../model/value/value.ts";
import { valueText } from "../../render/text/value/value-lines.ts";
import { sensitiveLiteral } from "../../render/text/value/value-text.ts";
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
    action(shell, done, (run, flags) => runConsole(shell, run, flags)),
  );
}

async function runEval(run: Run, flags: CommonOptions, [expression]: [string]): Promise<ExitCode> {
  const { evaluate } = await evaluator(run, flags);
  return showValue(run.view, evaluate, expression) ? exitCodes.ok : exitCodes.error;
}

function evaluator({ environment }: Run, flags: CommonOptions): Promise<Evaluation> {
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

const helpText = [
  "One expression on each line, as inside ${…} of a configuration: vars.size, locals.names,",
  "daemon_vm.web.ip_address, size(locals.names). Tab completes names; the arrow keys bring back",
  "what was written before. Nothing is sent: objects have the values that are recorded of them.",
  "All functions, with examples: docs/functions.md. To end: exit, or Ctrl-D.",
].join("\n");

/** Names that the word at the end of a line may become, and that word: what readline asks. */
export function completionsOf(
  line: string,
  names: readonly string[],
): readonly [readonly string[], string] {
  const word = /[\w.]*$/.exec(line)?.[0] ?? "";
  return [word === "" ? [] : names.filter((name) => name.startsWith(word)), word];
}

/**
 * A person at the terminal has a prompt, and is told of each mistake. From a pipe every line is
 * evaluated, and one that cannot be makes the exit code 1.
 */
async function runConsole({ terminal }: Shell, run: Run, flags: CommonOptions): Promise<ExitCode> {
  const { view } = run;
  const { evaluate, names } = await evaluator(run, flags);
  const { asks } = view;
  if (asks) view.text("One expression on each line; help tells more, exit or Ctrl-D ends.");
  let failed = false;
  const prompt = { text: "> ", complete: (line: string) => completionsOf(line, names) };
  for await (const written of terminal.lines(asks ? prompt : undefined)) {
    const expression = written.trim();
    if (expression === "") continue;
    if (endings.includes(expression)) break;
    if (asks && expression === "help") {
      view.text(helpText);
      continue;
    }
    if (!showValue(view, evaluate, expression)) failed = true;
  }
  return failed && !asks ? exitCodes.error : exitCodes.ok;
}
