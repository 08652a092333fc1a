/**
 * A plan as Markdown, for merge requests and issues: the counts first, then what stands against it
 * or needs consent, then each change, folded. Within a limit of bytes, what does not fit is only
 * counted.
 */

import type { Plan } from "../../model/plan/plan.ts";
import {
  codeBlock,
  codeSpan,
  diagnosticQuotes,
  fitBlocks,
  folded,
  htmlCode,
} from "../text/markdown.ts";
import { renderLines, type StyledLine } from "../text/styled-line.ts";
import { differenceSections, scopeSection } from "./change/difference-text.ts";
import { planEntries } from "./change/grouped-entries.ts";
import { dangerSection } from "./overview.ts";
import { isStopped, planSummaryText } from "./plan-summary.ts";
import {
  blockedSection,
  consentSection,
  dataSection,
  driftSection,
  interruptedSection,
  moveSection,
  notCheckedSection,
  outputSection,
  type PlanTextOptions,
} from "./plan-text.ts";
import { judgedSection } from "./remark/judged-text.ts";
import { limitSection } from "./remark/limit-text.ts";
import { policySection } from "./remark/policy-text.ts";
import { spaceSection } from "./remark/space-text.ts";

export type PlanMarkdownOptions = Pick<PlanTextOptions, "types"> & {
  /** UTF-8 bytes; at least `markdownBytesMin`. Unlimited when left out. */
  readonly maxBytes?: number;
};

/** Ends without a newline. Holds no secret and no control character. */
export function planMarkdown(plan: Plan, options: PlanMarkdownOptions): string {
  const { types, ...limit } = options;
  const { workspace } = plan;
  const where = workspace === undefined ? [] : [`Workspace: ${codeSpan(workspace)}`];
  const head = ["## vmform plan", ...where, `**${planSummaryText(plan)}**`];
  const changes = isStopped(plan) ? [] : planEntries(plan, types);
  const blocks = [
    ...quote(dangerSection(plan)),
    ...diagnosticQuotes(plan.diagnostics),
    ...quote(policySection(plan)),
    ...quote(consentSection(plan)),
    ...quote(scopeSection(plan)),
    ...titled(blockedSection(plan)),
    ...titled(interruptedSection(plan)),
    ...titled(driftSection(plan, types)),
    ...changes.flatMap(titled),
    ...titledAs("Moves", moveSection(plan)),
    ...titledAs("Data sources", dataSection(plan)),
    ...titled(outputSection(plan)),
    ...titled(judgedSection(plan)),
    ...titled(limitSection(plan)),
    ...titled(spaceSection(plan)),
    ...differenceSections(plan).flatMap(titled),
    ...titled(notCheckedSection(plan)),
  ];
  return fitBlocks(head, blocks, { ...limit, noun: "section", all: "vmform plan" });
}

/** The first line is what is seen before the rest is unfolded. */
function titled([title, ...lines]: readonly StyledLine[]): readonly string[] {
  if (title === undefined) return [];
  const text = plainText([title]).replace(/^ *# /, "").replace(/:$/, "");
  if (lines.length === 0) return [htmlCode(text)];
  return [folded(htmlCode(text), codeBlock(plainText(lines).split("\n"), "text"))];
}

function titledAs(title: string, lines: readonly StyledLine[]): readonly string[] {
  if (lines.length === 0) return [];
  return [folded(`${title} (${lines.length})`, codeBlock(plainText(lines).split("\n"), "text"))];
}

function quote(lines: readonly StyledLine[]): readonly string[] {
  return lines.map((line) => `> ${codeSpan(plainText([line]))}`);
}

function plainText(lines: readonly StyledLine[]): string {
  return renderLines(lines, { color: false });
}
