/**
 * A plan as text, in the manner people know: what changed outside, what will be done and why, what
 * could not be looked at, what needs consent, and the counts in the last line.
 */

import type { Consent } from "../../model/operation/disruption.ts";
import { missingConsent } from "../../model/plan/consent.ts";
import { movesIn } from "../../model/plan/moved.ts";
import type { ConsentNeed, DriftNotice, Plan, PlannedOutput } from "../../model/plan/plan.ts";
import { type Address, parseAddress } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import { writtenTemplate } from "../../model/value/expression.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { equalValues } from "../../model/value/value.ts";
import { diagnosticsText } from "../text/diagnostic-text.ts";
import { namesText } from "../text/instance-names.ts";
import type { RenderOptions } from "../text/render-options.ts";
import {
  emptyLine,
  joinSections,
  line,
  renderLines,
  type StyledLine,
  span,
  textLine,
} from "../text/styled-line.ts";
import { editLines, editOf } from "../text/value/attribute-text.ts";
import { isSensitive } from "../text/value/sensitivity.ts";
import { shownChanges } from "./change/change-entries.ts";
import { compactDrift, compactEntries } from "./change/compact-text.ts";
import { differenceSections, scopeSection } from "./change/difference-text.ts";
import { planEntries } from "./change/grouped-entries.ts";
import { powerSteps } from "./change/power-steps.ts";
import { type ExpectedWith, expectedSection } from "./expected-duration.ts";
import { overviewSection, workspaceSection } from "./overview.ts";
import { isStopped, planSummaryText } from "./plan-summary.ts";
import { judgedSection } from "./remark/judged-text.ts";
import { limitSection } from "./remark/limit-text.ts";
import { policySection } from "./remark/policy-text.ts";
import { spaceSection } from "./remark/space-text.ts";

export type PlanTextOptions = RenderOptions & {
  /** Says which attributes are secret. */
  readonly types: SchemaRegistry;
  /** A person is asked about it, whose yes is the consent. */
  readonly asks?: boolean;
  /** A line for each change. */
  readonly compact?: boolean;
  /** How long such work took before. Absent: nobody asks. */
  readonly expected?: ExpectedWith;
};

/** Ends with the summary line, without a newline. Holds no secret and no control character. */
export function planText(plan: Plan, options: PlanTextOptions): string {
  const found = [
    workspaceSection(plan),
    ...(isChanged(plan) ? [overviewSection(plan)] : []),
    interruptedSection(plan),
    driftSection(plan, options.types, options.compact),
    ...changeSections(plan, options),
    dataSection(plan),
    moveSection(plan),
    outputSection(plan),
    judgedSection(plan),
    limitSection(plan),
    spaceSection(plan),
    ...differenceSections(plan),
    notCheckedSection(plan),
  ];
  const outcome = [
    blockedSection(plan),
    policySection(plan),
    consentSection(plan, options.asks === true),
    scopeSection(plan),
    isStopped(plan) ? [] : expectedSection(plan, options.expected),
    [textLine(planSummaryText(plan), "strong", 2)],
  ];
  const parts = [
    renderLines(joinSections(found), options),
    diagnosticsText(plan.diagnostics, options),
    renderLines(joinSections(outcome), options),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Something is shown of which the overview tells how much it is. */
function isChanged(plan: Plan): boolean {
  return shownChanges(plan).length > 0 || powerSteps(plan).size > 0;
}

export function interruptedSection(plan: Plan): StyledLine[] {
  if (plan.interrupted.length === 0) return [];
  return [
    textLine(
      "An earlier run was interrupted. The next apply settles what it has left open; until then " +
        "no plan can be saved:",
      "warning",
      2,
    ),
    ...plan.interrupted.map((id) => textLine(`  ${id}`)),
  ];
}

export function driftSection(plan: Plan, types: SchemaRegistry, compact = false): StyledLine[] {
  if (plan.drift.length === 0) return [];
  return [
    textLine("Changed outside of vmform since the last run:", "strong", 2),
    ...(compact ? compactDrift(plan.drift, types) : driftNotices(plan.drift, types)),
  ];
}

/** Deleted objects that are told one by one; more of them share a sentence. */
const deletedMax = 10;

function driftNotices(drift: readonly DriftNotice[], types: SchemaRegistry): StyledLine[] {
  const deleted = drift.filter(({ status, another }) => status === "missing" && another !== true);
  const single =
    deleted.length > deletedMax ? drift.filter((item) => !deleted.includes(item)) : drift;
  const lines = single.flatMap((notice) => [emptyLine, ...driftLines(notice, types)]);
  if (single.length === drift.length) return lines;
  const addresses = addressesText(deleted.map(({ address }) => address));
  return [
    ...lines,
    emptyLine,
    textLine(`  # ${deleted.length} objects have been deleted`, "strong"),
    line([span("  -", "delete"), ` ${addresses}`]),
  ];
}

function driftLines(notice: DriftNotice, types: SchemaRegistry): StyledLine[] {
  if (notice.status === "missing") {
    const what = notice.another === true ? "is another object now" : "has been deleted";
    return [
      textLine(`  # ${notice.address} ${what}`, "strong"),
      line([span("  -", "delete"), ` ${notice.address}`]),
    ];
  }
  const type = parseAddress(notice.address)?.type ?? "";
  const edits = notice.attributes.map(({ attribute, recorded, observed }) => {
    const edit = editOf(recorded, observed, attribute);
    return { ...edit, sensitive: isSensitive(types, type, attribute) };
  });
  return [
    textLine(`  # ${notice.address} has changed`, "strong"),
    line([span("  ~", "change"), ` ${notice.address}:`]),
    ...edits.flatMap((edit) => editLines(edit, { indent: 6, nameColumns: 0 })),
  ];
}

/** The title tells changes from what has changed outside, where that stands above them. */
function changeSections(plan: Plan, { types, compact }: PlanTextOptions): StyledLine[][] {
  if (isStopped(plan)) return [];
  const sections = compact === true ? [compactEntries(plan, types)] : planEntries(plan, types);
  if (sections.every(({ length }) => length === 0) || plan.drift.length === 0) return sections;
  return [[textLine("Changes:", "strong", 2)], ...sections];
}

/** Data sources that have to wait; what others answered stands in the values made of it. */
export function dataSection(plan: Plan): StyledLine[] {
  return plan.data.flatMap(({ address, attributes, waitsFor }) => {
    if (attributes !== undefined) return [];
    const text = ` ${address} will be read during apply, after ${addressesText(waitsFor)}`;
    return [line([span(" <=", "muted"), text], 4)];
  });
}

export function moveSection(plan: Plan): StyledLine[] {
  return movesIn(plan.notes).map(({ from, to }) =>
    textLine(`  # ${from} has moved to ${to}`, "strong"),
  );
}

export function outputSection(plan: Plan): StyledLine[] {
  const changed = plan.outputs.filter(({ before, after }) => !equalValues(before, after));
  if (changed.length === 0) return [];
  const lines = changed.flatMap((output) => editLines(outputEdit(output), outputPlace));
  return [textLine("Changes to outputs:", undefined, 2), ...lines];
}

const outputPlace = { indent: 2, nameColumns: 0 };

function outputEdit(output: PlannedOutput): Parameters<typeof editLines>[0] {
  const { deferred } = output;
  const template = deferred === undefined ? undefined : writtenTemplate(deferred);
  return {
    ...editOf(output.before, output.after, output.name),
    sensitive: output.sensitive,
    ...(template === undefined ? {} : { template }),
  };
}

/** Without what is blocked: there an error tells the same. */
export function notCheckedSection(plan: Plan): StyledLine[] {
  const blocked = new Set(plan.blocked);
  const byReason = new Map<string, Address[]>();
  for (const { address, reason } of plan.notChecked) {
    if (blocked.has(address)) continue;
    const addresses = byReason.get(reason) ?? [];
    addresses.push(address);
    byReason.set(reason, addresses);
  }
  if (byReason.size === 0) return [];
  return [
    textLine("Not checked, so the recorded values stand:", undefined, 2),
    ...[...byReason].map(([reason, addresses]) =>
      textLine(`  ${addressesText(addresses)}: ${reason}`),
    ),
  ];
}

/** Blocked resources that have a line; the rest is counted. */
const blockedMax = 20;

export function blockedSection(plan: Plan): StyledLine[] {
  const { blocked } = plan;
  if (blocked.length === 0) return [];
  const more = blocked.length - blockedMax;
  return [
    textLine("Blocked, because they or what they depend on cannot be planned:", "error", 2),
    ...blocked.slice(0, blockedMax).map((address) => textLine(`  ${address}`)),
    ...(more > 0 ? [textLine(`  and ${more} more`)] : []),
  ];
}

/** A power cycle that is refused while planning is named beside what apply would ask for. */
export function consentSection(plan: Plan, asks = false): StyledLine[] {
  const cycles = plan.diagnostics.flatMap(({ code, address }) =>
    code === powerCycleCode && address !== undefined
      ? [{ address, disruption: "power-cycle" } as const]
      : [],
  );
  const lacking = [...cycles, ...missingConsent(plan)];
  const given = byDisruption(plan.consent.filter((need) => plan.allowed.includes(need.disruption)));
  const lines = given.map((need) => textLine(`Consent given: ${consentText(need)}.`, undefined, 2));
  if (lacking.length === 0) return lines;
  const missing = byDisruption(lacking);
  const words = missing.map(([disruption]) => disruption).join(",");
  const needed = missing.map(consentText).join("; ");
  const isAsked = asks && cycles.length === 0;
  const text = `This plan needs consent: ${needed}.${isAsked ? "" : ` Add --allow ${words}`}`;
  return [...lines, textLine(text, "warning", 2)];
}

/** "A power cycle is needed", of the planner. */
const powerCycleCode = "PLN011";

type DisruptedAddresses = readonly [Consent, ReadonlySet<Address>];

function byDisruption(needs: readonly ConsentNeed[]): readonly DisruptedAddresses[] {
  const groups = new Map<Consent, Set<Address>>();
  for (const { address, disruption } of needs) {
    const addresses = groups.get(disruption) ?? new Set<Address>();
    groups.set(disruption, addresses.add(address));
  }
  return [...groups];
}

function consentText([disruption, addresses]: DisruptedAddresses): string {
  return `${disruption}: ${namesText(addresses)}`;
}
