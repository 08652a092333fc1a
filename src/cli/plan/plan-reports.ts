/** Files that `vmform plan` writes beside what it shows: a page, and numbers for GitLab. */

import { resolve } from "node:path";
import { type CommandEnvironment, CommandError } from "../../commands/environment.ts";
import {
  checkOutput,
  gitlabPlanKind,
  planPageKind,
  writeOutput,
} from "../../commands/output-file.ts";
import { stringifyJson } from "../../lib/json.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";

export type PlanReportFlags = {
  readonly out?: string;
  readonly html?: string;
  readonly gitlabReport?: string;
};

/** Before the work, so that it is not done for nothing. */
export async function checkReports(
  environment: Pick<CommandEnvironment, "lookAtFile">,
  { out, html, gitlabReport }: PlanReportFlags,
): Promise<void> {
  const named = [out, html, gitlabReport].flatMap((path) => (path === undefined ? [] : [path]));
  if (new Set(named.map((path) => resolve(path))).size < named.length) {
    throw new CommandError("One file is named for two outputs.", "Name one for each.", "usage");
  }
  if (html !== undefined) await checkOutput(environment, html, planPageKind);
  if (gitlabReport !== undefined) await checkOutput(environment, gitlabReport, gitlabPlanKind);
}

/** What few need is loaded when it is asked for. */
export async function writeReports(
  environment: Pick<CommandEnvironment, "lookAtFile" | "writeFile">,
  plan: Plan,
  { html, gitlabReport }: PlanReportFlags,
  { types, version }: { readonly types: SchemaRegistry; readonly version: string },
): Promise<void> {
  if (html !== undefined) {
    const { planPage } = await import("../../render/html/plan-page.ts");
    await writeOutput(environment, html, planPageKind, `${planPage(plan, types, version)}\n`);
  }
  if (gitlabReport !== undefined) {
    const { planGitlab } = await import("../../render/plan/plan-gitlab.ts");
    const text = `${stringifyJson(planGitlab(plan))}\n`;
    await writeOutput(environment, gitlabReport, gitlabPlanKind, text);
  }
}
