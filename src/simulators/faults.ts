/**
 * Fault scripts: which requests go wrong, and how. A script is a list of rules in YAML; the first
 * rule that applies to a request is used, and counts are kept from the moment the script is set.
 */

import { validateHeaderName, validateHeaderValue } from "node:http";
import type { SimulatorRequest } from "./kit/answer.ts";
import type { DocumentSource, Report, Written } from "./kit/document.ts";
import { decodeDocument, readYamlFile, sourceOfData } from "./kit/document.ts";
import type {
  FaultRule as FaultRuleEntry,
  FaultScript as FaultScriptEntry,
  WorldChange,
} from "./kit/generated/documents.ts";
import type { InterfaceName } from "./kit/request-log.ts";
import type { TaskPlan } from "./kit/task.ts";
import { successPlan } from "./kit/task.ts";

/** One rule as written. Exactly one of the actions, or `delay_ms` or `change` alone. */
export type FaultDocument = Written<FaultRuleEntry>;

/** A fault script's content. */
export type FaultScript = Written<FaultScriptEntry>;

export type FaultAction =
  | {
      readonly kind: "reply";
      readonly status: number;
      readonly headers: { readonly [name: string]: string };
      readonly body: string;
      readonly effect: boolean;
    }
  | { readonly kind: "busy" }
  | {
      readonly kind: "refusal";
      readonly status: number;
      readonly message: string;
      readonly code: string | null;
    }
  | { readonly kind: "task"; readonly plan: TaskPlan }
  | { readonly kind: "reset"; readonly when: "before" | "during" | "after" }
  | { readonly kind: "cut"; readonly bytes: number }
  | { readonly kind: "hang"; readonly when: "before" | "after" }
  /** Only the delay or the change of the rule. */
  | { readonly kind: "none" };

export type Fault = {
  readonly name: string;
  readonly delayMs: number;
  readonly change: WorldChange | null;
  readonly action: FaultAction;
};

type FaultRule = Fault & {
  readonly interface: InterfaceName | null;
  readonly method: string;
  readonly path: RegExp;
  readonly query: RegExp | null;
  readonly body: RegExp | null;
  readonly nth: number;
  readonly times: number;
};

/** Rules with their counts. */
export type FaultPlan = {
  readonly rules: readonly { readonly rule: FaultRule; seen: number; used: boolean }[];
};

export const noFaults: FaultPlan = { rules: [] };

/** A plan from a file's path or from data. Throws `SimulatorInputError` with every problem. */
export function readFaults(source: string | FaultScript): FaultPlan {
  return readFaultDocument(
    typeof source === "string" ? readYamlFile(source) : sourceOfData(source, "script"),
  );
}

export function readFaultDocument(document: DocumentSource): FaultPlan {
  return decodeDocument(document, "FaultScript", ({ faults }, report) => ({
    rules: faults.map((rule, index) => ({
      rule: ruleOf(rule, index, report),
      seen: 0,
      used: false,
    })),
  }));
}

/** The fault for a request, if any; counts the request for every rule that fits it. */
export function takeFault(
  plan: FaultPlan,
  { method, path, rawQuery, body }: SimulatorRequest,
  interfaceName: InterfaceName,
): Fault | undefined {
  let taken: Fault | undefined;
  for (const counted of plan.rules) {
    const { rule } = counted;
    if (rule.interface !== null && rule.interface !== interfaceName) continue;
    if (rule.method !== "*" && rule.method !== method) continue;
    if (!rule.path.test(path) || rule.body?.test(body) === false) continue;
    if (rule.query?.test(rawQuery) === false) continue;
    counted.seen += 1;
    const applies = counted.seen >= rule.nth && counted.seen < rule.nth + rule.times;
    if (!applies || taken !== undefined) continue;
    counted.used = true;
    taken = rule;
  }
  return taken;
}

/** A rule, and whether it was used for any request so far. */
export type FaultUse = { readonly name: string; readonly used: boolean };

export function usesOfFaults({ rules }: FaultPlan): readonly FaultUse[] {
  return rules.map(({ rule: { name }, used }) => ({ name, used }));
}

const actionNames = [
  ...(["reply", "foreign", "busy", "refusal"] as const),
  ...(["task", "reset", "cut", "hang"] as const),
];

function ruleOf(rule: FaultRuleEntry, index: number, report: Report): FaultRule {
  const path = ["faults", index];
  const actions = actionNames.filter((name) => rule[name] !== undefined);
  if (actions.length > 1) {
    report(path, `only one of ${actions.join(", ")} may stand in a rule`);
  }
  if (actions.length === 0 && rule.delay_ms === 0 && rule.change === undefined) {
    const expected = [...actionNames, "delay_ms", "change"].join(", ");
    report(path, `a rule needs one of ${expected}`);
  }
  for (const [name, value] of Object.entries(rule.reply?.headers ?? {})) {
    const problem = headerProblem(name, value);
    if (problem !== undefined) report([...path, "reply", "headers", name], problem);
  }
  const [method = "", target = ""] = rule.on.split(" ");
  return {
    name: rule.name ?? `fault ${index + 1}`,
    interface: rule.interface ?? null,
    method,
    path: pathPattern(target),
    query: rule.query === undefined ? null : patternOf(rule.query, true),
    body: rule.body === undefined ? null : patternOf(rule.body, true),
    nth: rule.nth,
    times: typeof rule.times === "string" ? Infinity : rule.times,
    delayMs: rule.delay_ms,
    change: rule.change ?? null,
    action: actionOf(rule),
  };
}

function actionOf(rule: FaultRuleEntry): FaultAction {
  const { reply, foreign, busy, refusal, task, reset, cut, hang } = rule;
  if (reply !== undefined) return { kind: "reply", ...reply };
  if (foreign !== undefined) {
    return {
      kind: "reply",
      ...foreign,
      headers: { "content-type": "text/html; charset=utf-8" },
      body: "<!DOCTYPE html>\n<html><body><h1>Sign in</h1></body></html>\n",
    };
  }
  if (busy !== undefined) return { kind: "busy" };
  if (refusal !== undefined) {
    const { status, message, minor_code: code = null } = refusal;
    return { kind: "refusal", status, message, code };
  }
  if (task !== undefined) return { kind: "task", plan: taskPlanOf(task) };
  if (reset !== undefined) return { kind: "reset", when: reset };
  if (cut !== undefined) return { kind: "cut", bytes: cut };
  if (hang !== undefined) return { kind: "hang", when: hang };
  return { kind: "none" };
}

function taskPlanOf(task: Required<FaultRuleEntry>["task"]): TaskPlan {
  const { end, message, minor_code: kind = null, meanwhile = null, lost } = task;
  return {
    end,
    error: end === "error" || message !== "" ? { kind, message } : null,
    effect: task.effect ?? end === successPlan.end,
    meanwhile,
    lost,
  };
}

/** What Node.js would refuse to send. */
function headerProblem(name: string, value: string): string | undefined {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return undefined;
}

/** What a path of a rule stands for. */
export function pathPattern(pattern: string): RegExp {
  return patternOf(pattern, false);
}

/** `*` stays within a path segment unless `anything`; `**` goes across. */
function patternOf(pattern: string, anything: boolean): RegExp {
  const source = pattern
    .split(/(\*+)/)
    .map((part) => {
      if (part === "") return "";
      if (!part.startsWith("*")) return part.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
      return anything || part.length > 1 ? "[^]*" : "[^/]*";
    })
    .join("");
  return new RegExp(`^${source}$`);
}
