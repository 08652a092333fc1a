/** `vmform drift --accept` on the command line. */

import { CommandError } from "../../commands/environment.ts";
import { type Acceptance, acceptDriftCommand } from "../../commands/state/drift-accept.ts";
import { acceptanceJson, acceptanceText } from "../../render/drift/accept-text.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { isConsented } from "../terminal/ask/consent-question.ts";
import type { DriftFlags } from "./drift.ts";

/** What belongs to a report, and means nothing where a value is accepted. */
const others = [
  ...(["target", "exclude", "format", "maxBytes", "out", "html", "junit", "sarif"] as const),
  ...(["gitlab", "metricsFile", "history", "every", "allowEmpty", "settle"] as const),
  "stateFrom" as const,
];

/** Ends with 1 where nothing was written. */
export async function runAccept(shell: Shell, run: Run, flags: DriftFlags): Promise<ExitCode> {
  const { view, environment } = run;
  refuseOthers(flags);
  const { kind, acceptance } = await acceptDriftCommand(environment, {
    ...workspaceOptions(flags),
    accept: flags.accept ?? [],
    writeConfiguration: flags.writeConfig === true,
    lockTimeoutMs: flags.lockTimeout ?? 0,
    review: (shown) => review(shell, run, shown, flags.autoApprove === true),
  });
  view.document(acceptanceJson(acceptance, kind !== "declined"));
  if (kind === "declined") {
    view.text("Nothing was written.");
    return exitCodes.error;
  }
  const { edits, byHand } = acceptance.configuration;
  const recorded = acceptance.values.length === 0 ? "Recorded already." : "Recorded.";
  const written = edits.length === 0 ? "" : " The configuration is written.";
  const left = byHand.length === 0 ? "" : " The configuration still wants something else.";
  view.text(`${recorded}${written}${left} See what a plan makes of it: vmform plan`);
  return exitCodes.ok;
}

async function review(
  shell: Shell,
  { view }: Run,
  shown: Acceptance,
  approved: boolean,
): Promise<boolean> {
  view.text(`${acceptanceText(shown, view.options)}\n`);
  if (!view.json) view.diagnostics(shown.diagnostics);
  if (approved || isDone(shown)) return true;
  if (!view.asks) {
    throw new CommandError(
      "Nobody can be asked here whether to accept it. Nothing was written.",
      "If that is what you want, add: --auto-approve",
      "approval",
    );
  }
  return isConsented(shell, view, false);
}

function isDone({ values, configuration }: Acceptance): boolean {
  return values.length === 0 && configuration.files.length === 0;
}

function refuseOthers(flags: DriftFlags): void {
  const given = others.find((name) => flags[name] !== undefined);
  const without = given ?? (flags.unmanaged === false ? "no-unmanaged" : undefined);
  if (without === undefined) return;
  const name = without.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const detail = `--accept writes no report: --${name} is left out with it.`;
  throw new CommandError(detail, undefined, "usage");
}
