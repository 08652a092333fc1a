/** `vmform state …`, `show`, `output` and `force-unlock` on the command line. */

import { CommandError } from "../../commands/environment.ts";
import { shownPlanFile } from "../../commands/plan/saved/saved-plan.ts";
import {
  forceUnlockCommand,
  nothingRecordedAt,
  readStateCommand,
  removeCommand,
  resolveCommand,
} from "../../commands/state/state.ts";
import { stringifyJson } from "../../lib/json.ts";
import { toAddress } from "../../model/value/address.ts";
import { explanationText } from "../../render/plan/explain/explanation-text.ts";
import { planJson } from "../../render/plan/plan-json.ts";
import { planText } from "../../render/plan/plan-text.ts";
import { explanationJson } from "../../render/run/explanation-json.ts";
import { outputsJson, outputsText } from "../../render/state/outputs.ts";
import { recordedJson, stateJson } from "../../render/state/state-json.ts";
import { stateListText, stateShowText } from "../../render/state/state-text.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type CommonOptions, workspaceOptions } from "../options.ts";
import { explained } from "../plan/explained.ts";
import { type PlanFormFlags, refuseForms, writeMarkdown } from "../plan/plan-form.ts";
import type { Run, Shell } from "../run.ts";

export async function runStateList(run: Run, flags: CommonOptions): Promise<ExitCode> {
  const state = await readStateCommand(run.environment, workspaceOptions(flags));
  run.view.text(stateListText(state));
  run.view.document({ addresses: state.objects.map((object) => object.address) });
  return exitCodes.ok;
}

export async function runStateShow(
  run: Run,
  text: string,
  flags: CommonOptions,
): Promise<ExitCode> {
  const state = await readStateCommand(run.environment, workspaceOptions(flags));
  const address = toAddress(text);
  const shown = address === undefined ? undefined : stateShowText(state, address, run.view.options);
  if (shown === undefined) throw nothingRecordedAt(state, text);
  run.view.text(shown);
  const objects = state.objects.filter((object) => object.address === address);
  run.view.document({ objects: objects.map(recordedJson) });
  return exitCodes.ok;
}

export async function runStateRemove(
  run: Run,
  addresses: readonly string[],
  flags: CommonOptions & { readonly lockTimeout?: number },
): Promise<ExitCode> {
  const timeoutMs = flags.lockTimeout ?? 0;
  const options = workspaceOptions(flags);
  const removed = await removeCommand(run.environment, options, addresses, timeoutMs);
  for (const address of removed) run.view.text(`Forgot ${address}; the object itself stays.`);
  run.view.document({ forgotten: removed });
  return exitCodes.ok;
}

export async function runStateResolve(
  run: Run,
  address: string,
  flags: CommonOptions & {
    readonly done?: boolean;
    readonly notDone?: boolean;
    readonly lockTimeout?: number;
  },
): Promise<ExitCode> {
  if ((flags.done === true) === (flags.notDone === true)) {
    const detail = "Say what you found: did the operation take effect or not?";
    throw new CommandError(detail, "Give one of --done and --not-done.");
  }
  const done = flags.done === true;
  const timeoutMs = flags.lockTimeout ?? 0;
  const options = workspaceOptions(flags);
  const text = await resolveCommand(run.environment, options, address, done, timeoutMs);
  run.view.text(text);
  run.view.document({ resolved: address, done });
  return exitCodes.ok;
}

/** One output as JSON is its value alone, as a script takes it. */
export async function runOutput(
  { terminal }: Shell,
  run: Run,
  name: string | undefined,
  flags: CommonOptions & { readonly raw?: boolean },
): Promise<ExitCode> {
  const state = await readStateCommand(run.environment, workspaceOptions(flags));
  const outputs = state.outputs.filter((output) => name === undefined || output.name === name);
  if (name !== undefined && outputs.length === 0) {
    throw new CommandError(`No output named ${name} is recorded.`, "It is recorded by an apply.");
  }
  const [only] = outputs;
  if (name !== undefined && only !== undefined && (flags.raw === true || run.view.json)) {
    if (only.sensitive) {
      throw new CommandError(
        `Output ${only.name} is sensitive: its value is recorded nowhere, so that no file holds ` +
          "a secret, and cannot be shown.",
        "Take it from where its sensitive variables get theirs: the variable file, " +
          "VMFORM_VAR_NAME, or where the secret is kept. If it is none, make the variable not " +
          "sensitive and apply.",
      );
    }
    const { value } = only;
    const raw = flags.raw === true && typeof value === "string";
    terminal.write(`${raw ? value : stringifyJson(value)}\n`);
    return exitCodes.ok;
  }
  const text = outputsText(outputs, run.view.options);
  run.view.text(text === "" ? "No outputs are recorded." : text);
  run.view.values(outputsJson(outputs));
  return exitCodes.ok;
}

/** Recorded state, or a saved plan. */
export async function runShow(
  shell: Shell,
  { view, environment }: Run,
  file: string | undefined,
  flags: CommonOptions & PlanFormFlags,
): Promise<ExitCode> {
  refuseForms(flags);
  if (file === undefined && (flags.format === "markdown" || flags.compact === true)) {
    const form = flags.compact === true ? "a compact form" : "a form as Markdown";
    throw new CommandError(`Only a saved plan has ${form}.`, undefined, "usage");
  }
  if (file === undefined && flags.explain !== undefined) {
    throw new CommandError(
      "Only a plan explains.",
      "Give a saved plan, or use: vmform plan --explain ADDRESS",
      "usage",
    );
  }
  if (file !== undefined) {
    const plan = await shownPlanFile(environment, workspaceOptions(flags), file);
    if (flags.explain !== undefined) {
      const explanation = explained(flags.explain, plan, environment);
      view.text(explanationText(explanation, view.options));
      view.document(explanationJson(explanation));
      return exitCodes.ok;
    }
    if (flags.format === "markdown") {
      writeMarkdown(shell, view, plan, flags);
      return exitCodes.ok;
    }
    view.text(planText(plan, { ...view.options, compact: flags.compact === true }));
    view.document(planJson(plan, environment.types));
    return exitCodes.ok;
  }
  const state = await readStateCommand(environment, workspaceOptions(flags));
  const addresses = [...new Set(state.objects.map((object) => object.address))];
  const shown = addresses.flatMap((address) => stateShowText(state, address, view.options) ?? []);
  view.text(shown.length === 0 ? "Nothing is recorded." : shown.join("\n\n"));
  view.document(stateJson(state));
  return exitCodes.ok;
}

export async function runForceUnlock(
  run: Run,
  lockId: string,
  flags: CommonOptions,
): Promise<ExitCode> {
  await forceUnlockCommand(run.environment, workspaceOptions(flags), lockId);
  run.view.text(`The lock ${lockId} is gone. Make sure that its holder is, too.`);
  run.view.document({ unlocked: lockId });
  return exitCodes.ok;
}
