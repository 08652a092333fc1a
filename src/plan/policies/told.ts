/** How findings of policies are told: each policy once for each verdict, with what it concerns. */

import { zonedTimeText } from "../../lib/time/zoned-time.ts";
import type { PolicyFinding } from "../../model/plan/policy.ts";
import type { Diagnostic, SourcePosition } from "../../model/said/diagnostic.ts";
import type { At } from "../../model/said/problem.ts";
import type { Address } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import { problem, warning } from "../codes.ts";

const codes: ReadonlySet<string> = new Set([
  ...["PLN060", "PLN061", "PLN062", "PLN063", "PLN064", "PLN065"],
]);

/** Whether it tells of policies, and is told anew when the plan is judged anew. */
export function isToldHere({ code }: Diagnostic): boolean {
  return codes.has(code);
}

/** Of what somebody has allowed by name nothing is told. `isOwed`: power that is to come back. */
export function tellFindings(
  findings: readonly PolicyFinding[],
  sources: ReadonlyMap<string, SourcePosition | undefined>,
  isOwed: (finding: PolicyFinding) => boolean = () => false,
): readonly Diagnostic[] {
  const groups = new Map<string, PolicyFinding[]>();
  for (const finding of findings) {
    if (finding.allowed === true) continue;
    const key = `${finding.policy} ${finding.verdict} ${finding.why ?? ""}`;
    const group = groups.get(key) ?? [];
    group.push(finding);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const owed = group.filter(isOwed).flatMap(({ address }) => address ?? []);
    return [tell(first, group, sources.get(first.policy), [...new Set(owed)])];
  });
}

function tell(
  first: PolicyFinding,
  group: readonly PolicyFinding[],
  source: SourcePosition | undefined,
  owed: readonly Address[],
): Diagnostic {
  const addresses = new Set(group.flatMap(({ address }) => address ?? []));
  const at: At = { source, ...(addresses.size === 1 ? { address: [...addresses][0] } : {}) };
  const said = `The policy ${first.policy}`;
  const concerned = concernedText(group);
  const message = sentence(first.message);
  switch (first.verdict) {
    case "violated":
      return tellViolated(first, at, { said, concerned: `${concerned}${owedText(owed)}`, message });
    case "outside":
      return warning(at, "PLN065", {
        detail: `${said} keeps this for later: ${message}${concerned} ${opensText(group)}`,
        fix: wayIn(first),
      });
    case "unknown":
      return tellUnknown(first, at, { said, concerned, message });
    case "faulty": {
      const detail = `${said} cannot be told: ${sentence(first.why ?? "")}${concerned}`;
      const fix = "Correct the policy; when narrows what it is asked of.";
      return (first.level === "warn" ? warning : problem)(at, "PLN064", { detail, fix });
    }
  }
}

type Words = { readonly said: string; readonly concerned: string; readonly message: string };

function tellViolated(
  { level, policy }: PolicyFinding,
  at: At,
  { said, concerned, message }: Words,
): Diagnostic {
  if (level === "warn") {
    return warning(at, "PLN061", { detail: `${said} warns: ${message}${concerned}` });
  }
  if (level === "needs_consent") {
    return warning(at, "PLN062", {
      detail: `${said} needs consent: ${message}${concerned}`,
      fix: `If that is what you want, add: --allow policy:${policy}`,
    });
  }
  return problem(at, "PLN060", {
    detail: `${said} denies this: ${message}${concerned}`,
    fix: "Change what is wanted, or leave it out with --exclude.",
  });
}

/** What is unknown is never allowed silently. */
function tellUnknown(
  { level, policy, operation, address, what }: PolicyFinding,
  at: At,
  { said, concerned, message }: Words,
): Diagnostic {
  if (level === "needs_consent") {
    return warning(at, "PLN062", {
      detail: `${said} may need consent, known only while applying: ${message}${concerned}`,
      fix: `If you agree whatever comes out, add: --allow policy:${policy}`,
    });
  }
  const isLate = operation !== undefined || (address !== undefined && what !== "read");
  if (level === "deny" && !isLate) {
    return problem(at, "PLN063", {
      detail: `${said} cannot be told before anything is done: ${message}${concerned}`,
      fix: "Apply first what it waits for, with --target.",
    });
  }
  const when = isLate
    ? "It is judged during apply, before anything of it is sent."
    : "It is judged by the next plan.";
  const detail = `${said} needs values known only while applying: ${message}${concerned} ${when}`;
  return warning(at, "PLN063", { detail });
}

function owedText(owed: readonly Address[]): string {
  if (owed.length === 0) return "";
  return ` It keeps back the power that an interrupted run still owes: ${addressesText(owed)}.`;
}

const namesMax = 8;

function concernedText(group: readonly PolicyFinding[]): string {
  const texts = new Map<string, string[]>();
  for (const { address, what } of group) {
    if (address === undefined) continue;
    const words = texts.get(address) ?? [];
    if (what !== undefined && !words.includes(what)) words.push(what);
    texts.set(address, words);
  }
  if (texts.size === 0) return "";
  const named = [...texts].slice(0, namesMax);
  const list = named.map(([address, words]) =>
    words.length === 0 ? address : `${address} (${words.join(", ")})`,
  );
  const more = texts.size > namesMax ? ` and ${texts.size - namesMax} more` : "";
  return ` Concerned: ${list.join(", ")}${more}.`;
}

function opensText(group: readonly PolicyFinding[]): string {
  const opens = group.flatMap(({ opensMs, zone }) =>
    opensMs === undefined || zone === undefined ? [] : [{ opensMs, zone }],
  );
  const [next] = opens.toSorted((a, b) => a.opensMs - b.opensMs);
  if (next === undefined) return "No time within eight days is known at which it may begin.";
  return `It may begin on ${zonedTimeText(next.opensMs, next.zone)}.`;
}

function wayIn({ level, policy }: PolicyFinding): string {
  const wait = "apply --window wait begins it then; --window skip leaves it for a later apply.";
  return level === "needs_consent" ? `${wait} To do it now: --allow policy:${policy}` : wait;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
