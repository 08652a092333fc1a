/**
 * A plan as one page for a browser: the counts, what stands against it or needs consent, each
 * change to be unfolded, and its operations along time.
 */

import { plural } from "../../lib/text.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { planCounts } from "../../model/plan/plan-counts.ts";
import { foreseesFailure, type Rehearsal } from "../../model/plan/rehearsal.ts";
import { resourceOf } from "../../model/value/address.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { differenceSections, scopeSection } from "../plan/change/difference-text.ts";
import { type PlanEntry, sharedEntries } from "../plan/change/grouped-entries.ts";
import { dangerSection } from "../plan/overview.ts";
import { isStopped, planSummaryText } from "../plan/plan-summary.ts";
import {
  blockedSection,
  consentSection,
  dataSection,
  driftSection,
  interruptedSection,
  moveSection,
  notCheckedSection,
  outputSection,
} from "../plan/plan-text.ts";
import { judgedSection } from "../plan/remark/judged-text.ts";
import { limitSection } from "../plan/remark/limit-text.ts";
import { policySection } from "../plan/remark/policy-text.ts";
import { spaceSection } from "../plan/remark/space-text.ts";
import { rehearsalSections, rehearsalSummary } from "../rehearsal/rehearsal-text.ts";
import { renderLines, type StyledLine } from "../text/styled-line.ts";
import { laneDrawing, rehearsedLanes } from "./lanes.ts";
import { element, Markup } from "./markup.ts";
import { pageText } from "./page.ts";
import { code, countList, diagnosticNotes, paragraph, section } from "./parts.ts";
import { waitingGraph } from "./waiting-graph.ts";

/** Bytes of the changes, and of each other list. */
const changesBytes = 110_000;
const listBytes = 8000;
/** Characters of one entry that many changes share. */
const groupBytes = 30_000;
/** Lines of what a rehearsal has shown to fail. */
const failuresMax = 40;

export type PlanPageGiven = {
  readonly types: SchemaRegistry;
  /** Of vmform. */
  readonly version: string;
  readonly rehearsal?: Rehearsal | undefined;
};

/** Ends without a newline. */
export function planPage(plan: Plan, { types, version, rehearsal }: PlanPageGiven): string {
  return pageText({
    kind: "plan",
    title: `vmform plan: ${planSummaryText(plan)}`,
    body: [...head(plan, version), ...planSections(plan, types, rehearsal)],
  });
}

/** So many objects that changed outside are told in full; of more each has a line. */
const driftMax = 10;

/** All of the page but its head. */
export function planSections(
  plan: Plan,
  types: SchemaRegistry,
  rehearsal?: Rehearsal,
): readonly Markup[] {
  return [
    ...notes(dangerSection(plan)),
    ...diagnosticNotes(unlike(plan.diagnostics).slice(0, 50)),
    ...notes(policySection(plan)),
    ...notes(consentSection(plan)),
    ...notes(scopeSection(plan)),
    ...listed("Blocked", blockedSection(plan)),
    ...listed("Left open by an interrupted run", interruptedSection(plan)),
    ...listed("Changed outside of vmform", driftSection(plan, types, plan.drift.length > driftMax)),
    ...section("Changes", ...(isStopped(plan) ? [] : changeRows(plan, types))),
    ...(rehearsal === undefined ? [] : rehearsed(plan, rehearsal, types)),
    ...(isStopped(plan) ? [] : section("Operations along time", ...laneDrawing(plan, types))),
    ...(isStopped(plan) ? [] : section("What waits for what", ...waitingGraph(plan))),
    ...listed("Moves", moveSection(plan)),
    ...listed("Data sources", dataSection(plan)),
    ...listed("Outputs", outputSection(plan)),
    ...listed("Checks", judgedSection(plan)),
    ...listed("Time limits", limitSection(plan)),
    ...listed("Space on datastores", spaceSection(plan)),
    ...listed("Differs and stays so", differenceSections(plan).flat()),
    ...listed("Not checked", notCheckedSection(plan)),
  ];
}

/** How it went in a twin: the text, and the operations at the times that they took there. */
function rehearsed(plan: Plan, rehearsal: Rehearsal, types: SchemaRegistry): readonly Markup[] {
  const tone = foreseesFailure(rehearsal) ? "bad" : "good";
  const { failures, ...others } = rehearsalSections(plan, rehearsal, types);
  const [, ...failing] = failures;
  return section(
    "Rehearsal",
    element("p", { class: `verdict ${tone}` }, rehearsalSummary(rehearsal)),
    ...failing.slice(0, failuresMax).map((line) => {
      return element("p", { class: "told error" }, plainText([line]).trim());
    }),
    ...(failing.length > failuresMax
      ? [paragraph(`${failing.length - failuresMax} more lines of failures: vmform rehearse`)]
      : []),
    ...rehearsedLanes(plan, rehearsal, types),
    ...[others.timeline, others.windows, others.datastores, others.paces, others.unknown].flatMap(
      rehearsedPart,
    ),
  );
}

/** The first line is its title. */
function rehearsedPart([title, ...lines]: readonly StyledLine[]): readonly Markup[] {
  if (title === undefined) return [];
  const { shown, isWhole } = cutText(lines.map((line) => plainText([line]).slice(2)).join("\n"));
  return [
    element("h3", {}, plainText([title]).replace(/:$/, "")),
    element("pre", {}, Markup.lines(shown)),
    ...(isWhole ? [] : [paragraph("This is cut; the whole of it is in: vmform rehearse")]),
  ];
}

function head(plan: Plan, version: string): readonly Markup[] {
  const { base, createdMs, simulated, workspace } = plan;
  const counts = planCounts(plan);
  const among = workspace === undefined ? "" : `, in the workspace ${workspace}`;
  const where = simulated ? ", of a simulated world" : "";
  const about =
    `Made at ${new Date(createdMs).toISOString()} against recorded state ${base.lineage}, ` +
    `version ${base.serial}${where}${among}; vmform ${version}.`;
  const tone = isStopped(plan) || counts.blocked > 0 || counts.destroy > 0 ? "bad" : "good";
  return [
    element("h1", {}, "vmform plan"),
    element("p", { class: "soft" }, about),
    element("p", { class: `verdict ${tone}` }, planSummaryText(plan)),
    planCountList(plan),
  ];
}

/** Numbers of what it would do. */
export function planCountList(plan: Plan): Markup {
  const counts = planCounts(plan);
  return countList([
    ["to destroy", counts.destroy],
    [counts.powerCycles === 1 ? "power cycle" : "power cycles", counts.powerCycles],
    ["to add", counts.add],
    ["to change", counts.change],
    ["to import", counts.import],
    ["to adopt", counts.adopt],
    ["to move", counts.move],
    ["to forget", counts.forget],
    ["blocked", counts.blocked],
    [plan.operations.length === 1 ? "operation" : "operations", plan.operations.length],
  ]);
}

/** What costs most is told first, as far as the page may be long. */
function changeRows(plan: Plan, types: SchemaRegistry): readonly Markup[] {
  const rows = sharedEntries(plan, types).map((entry) => changeRow(entry));
  const sorted = rows.toSorted((left, right) => left.rank - right.rank);
  const written: Markup[] = [];
  let [bytes, left] = [0, 0];
  for (const { row, count } of sorted) {
    bytes += Buffer.byteLength(row.html);
    if (bytes > changesBytes) left += count;
    else written.push(row);
  }
  if (rows.length === 0) return [];
  const list = element("div", { "data-list": "action" }, ...written);
  if (left === 0) return [list];
  const text = `Not in this page, which would be too long: ${plural(left, "change")}. `;
  return [element("p", { class: "told" }, `${text}All of them: vmform plan`), list];
}

/** One change, or many alike as the text has them. */
function changeRow({ lines, change, count, name }: PlanEntry) {
  const action = change?.action ?? "update";
  const address = change?.address ?? "";
  const shared = change === undefined || count === 1 ? undefined : resourceOf(change.address);
  const [title = "", ...rest] = plainText(lines).split("\n");
  const whole = title.replace(/^ *# /, "").replace(/:$/, "");
  // Their keys stand within, with the rest.
  const words = shared === undefined ? whole : whole.replace(name ?? "", shared);
  const { shown, isWhole } = cutText(rest.join("\n"), count === 1 ? changesBytes : groupBytes);
  const row = element(
    "details",
    {
      ...{ "data-type": change?.type ?? "", "data-verdict": action },
      id: address === "" ? undefined : (shared ?? address),
    },
    element(
      "summary",
      {},
      element("span", { class: `tag ${action}` }, action),
      code(words),
      element("span", { class: "identity" }, shared === undefined ? (change?.identity ?? "") : ""),
    ),
    element("pre", {}, Markup.lines(shown)),
    ...(isWhole ? [] : [paragraph("This is cut; the whole of it is in: vmform plan")]),
  );
  return { row, count, rank: ranks.indexOf(action) };
}

const ranks: readonly string[] = ["delete", "replace", "forget", "update", "create", "no-op"];

/** What says the same of several objects, once. */
function unlike(diagnostics: Plan["diagnostics"]): Plan["diagnostics"] {
  const said = new Map(diagnostics.toReversed().map((one) => [`${one.code} ${one.detail}`, one]));
  return diagnostics.filter((one) => said.get(`${one.code} ${one.detail}`) === one);
}

function notes(lines: readonly StyledLine[]): readonly Markup[] {
  return lines.map((line) => element("p", { class: "told" }, plainText([line]).trim()));
}

function listed(title: string, lines: readonly StyledLine[]): readonly Markup[] {
  if (lines.length === 0) return [];
  const { shown, isWhole } = cutText(plainText(lines));
  const more = isWhole ? [] : [paragraph("This list is cut; the whole of it is in: vmform plan")];
  return section(title, element("pre", {}, Markup.lines(shown)), ...more);
}

function cutText(
  text: string,
  limit = listBytes,
): { readonly shown: string; readonly isWhole: boolean } {
  if (text.length <= limit) return { shown: text, isWhole: true };
  const end = text.lastIndexOf("\n", limit);
  return { shown: text.slice(0, end > limit / 2 ? end : limit), isWhole: false };
}

function plainText(lines: readonly StyledLine[]): string {
  return renderLines(lines, { color: false });
}
