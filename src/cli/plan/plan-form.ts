/** The form in which a plan is shown: `--format` and `--max-bytes`, of `plan` and `show`. */

import type { Command, OptionValues } from "commander";
import { CommandError } from "../../commands/environment.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { planMarkdown } from "../../render/plan/plan-markdown.ts";
import { type FlagsOf, markdownBytes } from "../options.ts";
import type { Shell } from "../run.ts";
import type { View } from "../terminal/view.ts";

const formats = ["text", "markdown"] as const;

type CompactFlag = FlagsOf<typeof addCompact<[], {}>>;
export type PlanFormFlags = FlagsOf<typeof addPlanForm<[], {}>>;

type FormFlags = PlanFormFlags & { readonly json?: boolean; readonly requests?: boolean };

export function addCompact<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command.option(
    "--compact",
    "show each change on one line, like ones of instances together",
  );
}

export function addPlanForm<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return addCompact(command)
    .option("--explain <address>", "why one object is planned as it is, in place of the plan")
    .addOption(command.createOption("--format <format>", "form of the plan").choices(formats))
    .option(
      "--max-bytes <n>",
      "cut Markdown to fit, with a count of what is left out",
      markdownBytes,
    );
}

/** What would be ignored is refused. */
export function refuseForms(flags: FormFlags): void {
  const markdown = flags.format === "markdown";
  const beside =
    flags.json === true ? "--json" : flags.requests === true ? "--requests" : undefined;
  if (markdown && beside !== undefined) {
    throw new CommandError(
      `--format markdown and ${beside} exclude each other.`,
      undefined,
      "usage",
    );
  }
  refuseCompact(flags, markdown ? "--format markdown" : "--json", markdown || flags.json === true);
  refuseExplain(flags);
  if (!markdown && flags.maxBytes !== undefined) {
    throw new CommandError("--max-bytes is for --format markdown.", undefined, "usage");
  }
}

/** What has a form of its own is not made shorter by it. */
function refuseCompact({ compact }: CompactFlag, beside: string, isBeside: boolean): void {
  if (compact !== true || !isBeside) return;
  throw new CommandError(`--compact and ${beside} exclude each other.`, undefined, "usage");
}

/** It is text, or data, of its own. */
function refuseExplain({ explain, format, requests, compact }: FormFlags): void {
  if (explain === undefined) return;
  const beside = Object.entries({
    "--format": format,
    "--requests": requests,
    "--compact": compact,
  })
    .flatMap(([name, value]) => (value === undefined || value === false ? [] : [name]))
    .join(", ");
  if (beside === "") return;
  throw new CommandError(`--explain and ${beside} exclude each other.`, undefined, "usage");
}

/** Markdown has standard output for itself, and is never wrapped. */
export function writeMarkdown(
  { terminal }: Shell,
  view: View,
  plan: Plan,
  { maxBytes }: PlanFormFlags,
): void {
  const limit = maxBytes === undefined ? {} : { maxBytes };
  terminal.write(`${planMarkdown(plan, { types: view.options.types, ...limit })}\n`);
}
