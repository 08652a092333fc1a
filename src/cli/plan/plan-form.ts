/** The form in which a plan is shown: `--format` and `--max-bytes`, of `plan` and `show`. */

import { type Command, Option } from "commander";
import { CommandError } from "../../commands/environment.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { planMarkdown } from "../../render/plan/plan-markdown.ts";
import { markdownBytes } from "../options.ts";
import type { Shell } from "../run.ts";
import type { View } from "../terminal/view.ts";

const formats = ["text", "markdown"] as const;

export type PlanFormFlags = {
  readonly format?: (typeof formats)[number];
  readonly maxBytes?: number;
};

export function addPlanForm(command: Command): Command {
  return command
    .addOption(new Option("--format <format>", "form of the plan").choices(formats))
    .option(
      "--max-bytes <n>",
      "cut Markdown to fit, with a count of what is left out",
      markdownBytes,
    );
}

/** What would be ignored is refused. */
export function refuseForms(
  flags: PlanFormFlags & { readonly json?: boolean; readonly requests?: boolean },
): void {
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
  if (!markdown && flags.maxBytes !== undefined) {
    throw new CommandError("--max-bytes is for --format markdown.", undefined, "usage");
  }
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
