/** `vmform action` on the command line. */

import type { Command } from "commander";
import { problem } from "../../commands/codes.ts";
import { CommandError } from "../../commands/environment.ts";
import { type ActionOptions, actionCommand } from "../../commands/server/action.ts";
import { shellWord } from "../../lib/shell-word.ts";
import type { Consent } from "../../model/operation/disruption.ts";
import {
  type ActionEnding,
  type ActionOrder,
  cancelTaskAction,
  consentsOf,
  missingConsents,
} from "../../model/provider/action.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import {
  actionEndingMessage,
  actionStepMessage,
  plannedActionMessage,
} from "../../render/run/action-json.ts";
import { actionEndingText, actionOrderText, actionStepText } from "../../render/run/action-text.ts";
import { durationText } from "../../render/text/duration-text.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  addAllow,
  addCommon,
  addDebug,
  addLockTimeout,
  addVariables,
  type FlagsOf,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { isConsented } from "../terminal/ask/consent-question.ts";
import type { View } from "../terminal/view.ts";

type ActionFlags = FlagsOf<typeof declareAction>;

export function addAction(program: Command, shell: Shell, done: Done): void {
  declareAction(program).action(
    action(shell, done, (run, flags, words) => runAction(shell, run, flags, words), "stream"),
  );
}

function declareAction(program: Command) {
  const command = program
    .command("action")
    .argument("<address>", "a recorded object")
    .argument("[action]", "what to do, such as reset; without it, the error lists what there is")
    .description("do something once to a recorded object, such as a reset");
  return addLockTimeout(addDebug(addAllow(addVariables(addCommon(command))))).option(
    "--auto-approve",
    "do not ask; disruptions still need --allow",
  );
}

async function runAction(
  shell: Shell,
  { view, environment }: Run,
  flags: ActionFlags,
  [address, name]: [string, string | undefined],
): Promise<ExitCode> {
  const now = (): number => environment.clock.now();
  const options: ActionOptions = {
    ...workspaceOptions(flags),
    address,
    action: name,
    allowed: flags.allow ?? [],
    lockTimeoutMs: flags.lockTimeout ?? 0,
    show: (order) => {
      view.text(`${actionOrderText(order, options.allowed, view.options)}\n`);
      view.message(plannedActionMessage(order, now()));
    },
    review: (order) => review(shell, view, order, options.allowed, flags.autoApprove === true),
    step: (order, step) => {
      view.text(actionStepText(order, step));
      view.message(actionStepMessage(order, step, now()));
    },
  };
  const result = await actionCommand(environment, options);
  if (result.kind === "declined") {
    view.text("Nothing was done.");
    return exitCodes.error;
  }
  const { order, ending } = result;
  const cancel = cancelCommand(order, options.directory);
  view.text(actionEndingText(order, result, cancel, view.options));
  view.message(actionEndingMessage(order, result, now()));
  view.diagnostics(problemsOf(order, ending, cancel));
  if (ending.status === "left") shell.terminal.exit(exitCodes.interrupted);
  return exitCodeOf(ending);
}

function exitCodeOf({ status }: ActionEnding): ExitCode {
  if (status === "success" || status === "needless") return exitCodes.ok;
  return status === "left" ? exitCodes.interrupted : exitCodes.error;
}

async function review(
  shell: Shell,
  view: View,
  order: ActionOrder,
  allowed: readonly Consent[],
  approved: boolean,
): Promise<"agreed" | "approved" | "declined"> {
  if (approved) return "approved";
  if (!view.asks) {
    const missing = missingConsents(order, allowed);
    const allow = missing.length === 0 ? "" : ` --allow ${missing.join(",")}`;
    throw new CommandError(
      "Nobody can be asked here whether to do this.",
      `If that is what you want, add: --auto-approve${allow}`,
      "approval",
    );
  }
  const yes = await isConsented(shell, view, consentsOf(order).length > 0);
  return yes ? "agreed" : "declined";
}

/** Ends the task that the action began, ready to be pasted; there may be no such command. */
function cancelCommand(order: ActionOrder, directory: string): string | undefined {
  if (!order.cancelable || order.action.name === cancelTaskAction) return undefined;
  const folder = directory === "." ? [] : ["--chdir", directory];
  const words = ["vmform", "action", order.address, cancelTaskAction, ...folder].map(shellWord);
  // The same address in another workspace is another object.
  const { workspace } = order;
  return [...(workspace === undefined ? [] : [`VMFORM_WORKSPACE=${workspace}`]), ...words].join(
    " ",
  );
}

function problemsOf(
  order: ActionOrder,
  ending: ActionEnding,
  cancel: string | undefined,
): readonly Diagnostic[] {
  const failure = failureOf(ending, cancel);
  if (failure === undefined) return [];
  const { address } = order;
  const ended = /[.!?]$/.test(failure.why) ? failure.why : `${failure.why}.`;
  const detail = `${order.action.name} of ${address}: ${ended}`;
  const { fix } = failure;
  return [problem({ address }, "CLI009", { detail, fix })];
}

function failureOf(
  ending: ActionEnding,
  cancel: string | undefined,
): { readonly why: string; readonly fix: string } | undefined {
  const look = "What it has changed, the next plan shows: vmform plan";
  switch (ending.status) {
    case "success":
    case "needless":
    case "left":
      return undefined;
    case "failed":
      return { why: ending.message, fix: look };
    case "vanished":
      return { why: "its remote task is gone, so nobody can tell how it ended", fix: look };
    case "overdue": {
      const why =
        `its remote task is still ${ending.word} after ${durationText(ending.limitMs)}; ` +
        "it goes on at the server, and nobody follows it";
      return { why, fix: cancel === undefined ? look : `${look}. To end it: ${cancel}` };
    }
  }
}
