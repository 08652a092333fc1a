/**
 * Fault scripts: which requests go wrong, and how. A script is a list of rules in YAML; the first
 * rule that applies to a request is used, and counts are kept from the moment the script is set.
 */

import { validateHeaderName, validateHeaderValue } from "node:http";
import type { SimulatorRequest } from "./answer.ts";
import type { Cursor, DocumentSource } from "./decode.ts";
import {
  decodeDocument,
  isAbsent,
  readChoice,
  readCount,
  readFlag,
  readItems,
  readMembers,
  readText,
  readTexts,
  sourceOfData,
} from "./decode.ts";
import type { ChangeDocument, WorldChange } from "./outside-change.ts";
import { readChange } from "./outside-change.ts";
import type { InterfaceName } from "./request-log.ts";
import { interfaceNames } from "./request-log.ts";
import type { TaskPlan } from "./task-plan.ts";
import { successPlan } from "./task-plan.ts";
import { emptyAsAbsent, readYamlFile } from "./world.ts";

/** One rule as written. Exactly one of the actions, or `delay_ms` or `change` alone. */
export type FaultDocument = {
  /** Shown in the request log; the rule's position by default. */
  readonly name?: string;
  /** Only requests to this interface; by default those to any, since paths differ mostly. */
  readonly interface?: InterfaceName;
  /** Method (or `*`) and path pattern: `*` is any text without slash, `**` any text at all. */
  readonly on: string;
  /** Pattern of the whole query, the text behind the `?` as sent; `*` is any text. */
  readonly query?: string;
  /** Pattern of the whole request body. */
  readonly body?: string;
  /** The first matching request to apply to, from 1 (default). */
  readonly nth?: number;
  /** How many matching requests from there on; 1 by default. */
  readonly times?: number | "always";
  /** Waited before anything else happens, simulated milliseconds. */
  readonly delay_ms?: number;
  /** An outside change made before the request is handled. */
  readonly change?: ChangeDocument;
  /** Another answer; with `effect` the request is carried out first. */
  readonly reply?: {
    readonly status: number;
    readonly headers?: { readonly [name: string]: string };
    readonly body?: string;
    readonly effect?: boolean;
  };
  /** An HTML page, as a proxy or another server would send; 200 by default. */
  readonly foreign?: { readonly status?: number; readonly effect?: boolean };
  /** The interface's refusal of a busy object, without effect. */
  readonly busy?: boolean;
  /**
   * A refusal in the interface's form, without effect. The minor code is the cloud's, or the type
   * of the manager's fault.
   */
  readonly refusal?: {
    readonly status: number;
    readonly message?: string;
    readonly minor_code?: string;
  };
  /** How the task ends that the request begins; without meaning for requests that begin none. */
  readonly task?: {
    /** Status at the end: any word; success by default. */
    readonly end?: string;
    /** Error of the task at the end. */
    readonly message?: string;
    readonly minor_code?: string;
    /** What the task was to do is done; by default when it ends with success. */
    readonly effect?: boolean;
    /** Status shown instead of `running`. */
    readonly meanwhile?: string;
    /** The task is gone at its end. */
    readonly lost?: boolean;
  };
  /**
   * The connection is reset: before the request has any effect, once work that takes time has
   * begun (it goes on), or after all of it, instead of the reply.
   */
  readonly reset?: "before" | "during" | "after";
  /** The connection is cut after so many bytes of the reply's body; the head announces all. */
  readonly cut?: number;
  /** No reply ever, before or after the effect; the connection stays open. */
  readonly hang?: "before" | "after";
};

/** A fault script's content. */
export type FaultScript = { readonly faults: readonly FaultDocument[] };

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
export type FaultPlan = { readonly rules: readonly { readonly rule: FaultRule; seen: number }[] };

export const noFaults: FaultPlan = { rules: [] };

/** A plan from a file's path or from data. Throws `SimulatorInputError` with every problem. */
export function readFaults(source: string | FaultScript, seed: number): FaultPlan {
  return readFaultDocument(
    typeof source === "string" ? readYamlFile(source) : sourceOfData(source, "script"),
    seed,
  );
}

export function readFaultDocument(document: DocumentSource, seed: number): FaultPlan {
  const rules = decodeDocument(document, (root) => {
    const member = readMembers(emptyAsAbsent(root), ["faults"]);
    return readItems(member("faults")).map((item, index) => readRule(item, index + 1, seed));
  });
  return { rules: rules.map((rule) => ({ rule, seen: 0 })) };
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
    if (counted.seen >= rule.nth && counted.seen < rule.nth + rule.times) taken ??= rule;
  }
  return taken;
}

const actionNames = ["reply", "foreign", "busy", "refusal", "task", "reset", "cut", "hang"];

function readRule(cursor: Cursor, position: number, seed: number): FaultRule {
  const member = readMembers(cursor, [
    "name",
    "interface",
    "on",
    "query",
    "body",
    "nth",
    "times",
    "delay_ms",
    "change",
    ...actionNames,
  ]);
  const actions = actionNames.filter((name) => !isAbsent(member(name)));
  if (actions.length > 1) {
    cursor.report(cursor.path, `only one of ${actions.join(", ")} may stand in a rule`);
  }
  if (actions.length === 0 && isAbsent(member("delay_ms")) && isAbsent(member("change"))) {
    const expected = [...actionNames, "delay_ms", "change"].join(", ");
    cursor.report(cursor.path, `a rule needs one of ${expected}`);
  }
  const query = member("query");
  const body = member("body");
  const times = member("times");
  const change = member("change");
  return {
    name: readText(member("name"), `fault ${position}`),
    interface: isAbsent(member("interface"))
      ? null
      : readChoice(member("interface"), interfaceNames),
    ...readTarget(member("on")),
    query: isAbsent(query) ? null : patternOf(readText(query), true),
    body: isAbsent(body) ? null : patternOf(readText(body), true),
    nth: readCount(member("nth"), 1, 1),
    times: times.value === "always" ? Infinity : readCount(times, 1, 1),
    delayMs: readCount(member("delay_ms"), 0, 0),
    change: isAbsent(change) ? null : readChange(change, seed),
    action: readAction(actions[0], member),
  };
}

function readTarget(cursor: Cursor): { readonly method: string; readonly path: RegExp } {
  const text = readText(cursor);
  const match = /^(\*|[A-Z]+) (\S+)$/.exec(text);
  if (match === null && typeof cursor.value === "string") {
    cursor.report(cursor.path, 'a method and a path are expected, such as "POST /api/vms"');
  }
  return { method: match?.[1] ?? "", path: patternOf(match?.[2] ?? "", false) };
}

function readAction(name: string | undefined, member: (name: string) => Cursor): FaultAction {
  switch (name) {
    case "reply": {
      const reply = readMembers(member("reply"), ["status", "headers", "body", "effect"]);
      return {
        kind: "reply",
        status: readStatus(reply("status")),
        headers: readHeaders(reply("headers")),
        body: readText(reply("body"), ""),
        effect: readFlag(reply("effect"), false),
      };
    }
    case "foreign": {
      const foreign = readMembers(member("foreign"), ["status", "effect"]);
      return {
        kind: "reply",
        status: readStatus(foreign("status"), 200),
        headers: { "content-type": "text/html; charset=utf-8" },
        body: "<!DOCTYPE html>\n<html><body><h1>Sign in</h1></body></html>\n",
        effect: readFlag(foreign("effect"), false),
      };
    }
    case "busy":
      if (member("busy").value !== true) {
        member("busy").report(member("busy").path, "true is expected, or no such key");
      }
      return { kind: "busy" };
    case "refusal":
      return readRefusal(member("refusal"));
    case "task":
      return { kind: "task", plan: readTaskPlan(member("task")) };
    case "reset":
      return { kind: "reset", when: readChoice(member("reset"), ["before", "during", "after"]) };
    case "cut":
      return { kind: "cut", bytes: readCount(member("cut"), 0) };
    case "hang":
      return { kind: "hang", when: readChoice(member("hang"), ["before", "after"]) };
    default:
      return { kind: "none" };
  }
}

function readRefusal(cursor: Cursor): FaultAction {
  const member = readMembers(cursor, ["status", "message", "minor_code"]);
  return {
    kind: "refusal",
    status: readStatus(member("status")),
    message: readText(member("message"), "Refused by a fault script."),
    code: optionalText(member("minor_code")),
  };
}

function readTaskPlan(cursor: Cursor): TaskPlan {
  const member = readMembers(cursor, [
    "end",
    "message",
    "minor_code",
    "effect",
    "meanwhile",
    "lost",
  ]);
  const end = readText(member("end"), successPlan.end);
  const kind = optionalText(member("minor_code"));
  const message = isAbsent(member("message")) ? "" : readText(member("message"));
  const hasError = end === "error" || message !== "";
  return {
    end,
    error: hasError ? { kind, message } : null,
    effect: readFlag(member("effect"), end === successPlan.end),
    meanwhile: isAbsent(member("meanwhile")) ? null : readText(member("meanwhile")),
    lost: readFlag(member("lost"), false),
  };
}

function optionalText(cursor: Cursor): string | null {
  return isAbsent(cursor) ? null : readText(cursor);
}

function readHeaders(cursor: Cursor): { readonly [name: string]: string } {
  const headers = readTexts(cursor);
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      cursor.report([...cursor.path, name], error instanceof Error ? error.message : String(error));
    }
  }
  return headers;
}

function readStatus(cursor: Cursor, fallback?: number): number {
  const status = readCount(cursor, 200, fallback);
  if (status > 599) cursor.report(cursor.path, "a status is between 200 and 599");
  return status;
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
