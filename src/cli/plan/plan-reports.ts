/** Files that `vmform plan` writes beside what it shows: a page, and numbers for GitLab. */

import type { CommandEnvironment } from "../../commands/environment.ts";
import {
  gitlabPlanKind,
  type Output,
  planPageKind,
  savedPlanKind,
  writeOutput,
} from "../../commands/output-file.ts";
import { stringifyJson } from "../../lib/json.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Rehearsal } from "../../model/plan/rehearsal.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import type { PlanFlags } from "./plan.ts";

/** Of `plan`. */
export type PlanReportFlags = Pick<PlanFlags, "out" | "html" | "gitlabReport">;

/** The files that a plan will be written to, in each of its forms. */
export function outputsOf({ out, html, gitlabReport }: PlanReportFlags): readonly Output[] {
  return [
    ...(out === undefined ? [] : [{ path: out, kind: savedPlanKind }]),
    ...(html === undefined ? [] : [{ path: html, kind: planPageKind }]),
    ...(gitlabReport === undefined ? [] : [{ path: gitlabReport, kind: gitlabPlanKind }]),
  ];
}

type PageGiven = {
  readonly types: SchemaRegistry;
  readonly version: string;
  /** How it went in a twin; undefined where it was not rehearsed. */
  readonly rehearsal: Rehearsal | undefined;
};

/** What few need is loaded when it is asked for. */
export async function writeReports(
  environment: Pick<CommandEnvironment, "lookAtFile" | "writeFile">,
  plan: Plan,
  { html, gitlabReport }: PlanReportFlags,
  { types, version, rehearsal }: PageGiven,
): Promise<void> {
  if (html !== undefined) {
    const { planPage } = await import("../../render/html/plan-page.ts");
    await writeOutput(
      environment,
      html,
      planPageKind,
      `${planPage(plan, { types, version, rehearsal })}\n`,
    );
  }
  if (gitlabReport !== undefined) {
    const { planGitlab } = await import("../../render/plan/plan-gitlab.ts");
    const text = `${stringifyJson(planGitlab(plan))}\n`;
    await writeOutput(environment, gitlabReport, gitlabPlanKind, text);
  }
}
