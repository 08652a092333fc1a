/**
 * What a plan comes to, above all else: how much of each action, and by name whatever may hurt
 * somebody. The changes themselves name the rest.
 */

import type { Consent, Disruption } from "../../model/operation/disruption.ts";
import { adoptedObjects } from "../../model/plan/adopted.ts";
import type { ChangeAction } from "../../model/plan/change.ts";
import { missingConsent } from "../../model/plan/consent.ts";
import type { ConsentNeed, Plan } from "../../model/plan/plan.ts";
import type { Address } from "../../model/value/address.ts";
import { namesText } from "../text/instance-names.ts";
import { line, type StyledLine, span, type Tone, textLine } from "../text/styled-line.ts";
import { actionWords } from "./change/change-text.ts";
import { isStopped } from "./plan-summary.ts";

/** In the order of the overview; what changes nothing is counted as what joins recorded state. */
const order: readonly ChangeAction[] = ["create", "update", "replace", "delete", "forget"];

/** Actions of which each object is named. */
const named: { readonly [action in ChangeAction]?: Disruption } = {
  replace: "replace",
  delete: "destroy",
};

const disruptionWords: { readonly [disruption in Disruption]: string } = {
  "power-off": "power off",
  "power-cycle": "power off and on again",
  replace: "replace",
  destroy: "destroy",
  reclaim: "reclaim disk space",
  grow: "grow a disk, for good",
  "discard-state": "discard suspended memory",
  "linked-clone": "share disks with a clone",
  readopt: "take another object than the recorded one",
  vanished: "take objects for gone",
  endpoint: "take another endpoint than the recorded one",
  "foreign-task": "cancel a task of somebody else",
};

/** A row of the overview. */
type Row = {
  /** Three columns. */
  readonly symbol: string;
  readonly tone: Tone;
  readonly what: string;
  readonly count: number;
  /** Empty where nobody is hurt. */
  readonly addresses: readonly Address[];
  readonly needsConsent: boolean;
};

/** Which recorded state a plan is about, where there are several: before all else. */
export function workspaceSection({ workspace }: Plan): StyledLine[] {
  return workspace === undefined ? [] : [textLine(`Workspace: ${workspace}`, "strong", 2)];
}

/** The first lines of a plan that does something. */
export function overviewSection(plan: Plan): StyledLine[] {
  const intro = isStopped(plan)
    ? "Nothing will be done. Without the errors below, vmform would perform these actions:"
    : "vmform will perform the following actions:";
  return [textLine(intro, undefined, 2), ...rowsOf(plan).map(rowLine)];
}

/** What may hurt somebody, by name; empty where nothing may. */
export function dangerSection(plan: Plan): StyledLine[] {
  return rowsOf(plan)
    .filter(({ addresses }) => addresses.length > 0)
    .map((row) => textLine(rowText(row), "warning", 4));
}

function rowLine(row: Row): StyledLine {
  return line([span(row.symbol, row.tone), ` ${rowText(row)}`], 6);
}

function rowText({ what, count, addresses, needsConsent }: Row): string {
  const consent = needsConsent ? ", needs consent" : "";
  const names = addresses.length === 0 ? "" : `: ${namesText(addresses)}`;
  return `${what} (${count}${consent})${names}`;
}

function rowsOf(plan: Plan): readonly Row[] {
  const lacking = missingConsent(plan);
  const adopted = adoptedObjects(plan);
  const rows = order.flatMap((action): Row[] => {
    const addresses = plan.changes.flatMap((change) =>
      change.action === action ? [change.address] : [],
    );
    if (addresses.length === 0) return [];
    const { symbol, tone, legend } = actionWords[action];
    const disruption = named[action];
    const needsConsent = lacking.some((need) => need.disruption === disruption);
    const shown = disruption === undefined ? [] : addresses;
    return [
      { symbol, tone, what: legend, count: addresses.length, addresses: shown, needsConsent },
    ];
  });
  for (const by of ["import", "adopt"] as const) {
    const count = [...adopted.values()].filter((one) => one.by === by).length;
    if (count === 0) continue;
    rows.push({
      symbol: "   ",
      tone: "muted",
      what: by,
      count,
      addresses: [],
      needsConsent: false,
    });
  }
  return [...rows, ...disruptionRows(plan, rows, lacking)];
}

/** Without what the rows of actions name already. */
function disruptionRows(
  plan: Plan,
  rows: readonly Row[],
  lacking: readonly ConsentNeed[],
): readonly Row[] {
  const told = new Set(rows.flatMap(({ addresses }) => addresses));
  const hurt = new Map<Consent, Address[]>();
  for (const { address, disruption } of plan.consent) {
    const isTold = disruption === "destroy" || disruption === "replace";
    if (isTold && told.has(address)) continue;
    hurt.set(disruption, [...(hurt.get(disruption) ?? []), address]);
  }
  return [...hurt].map(([disruption, addresses]) => ({
    symbol: "  !",
    tone: "warning",
    what: consentWords(disruption),
    count: addresses.length,
    addresses,
    needsConsent: lacking.some((need) => need.disruption === disruption),
  }));
}

function consentWords(consent: Consent): string {
  if (isPolicy(consent)) return `go against policy ${consent.slice("policy:".length)}`;
  return disruptionWords[consent];
}

function isPolicy(consent: Consent): consent is `policy:${string}` {
  return consent.startsWith("policy:");
}
