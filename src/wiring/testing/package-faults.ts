/**
 * What goes wrong between vmform and the worlds that provider packages simulate: rules of
 * `package_faults` of a test. A package has no wire whose replies could be spoiled, so a rule says
 * what its caller is told: a refusal, or nothing, before the change is done or after it.
 */

import { CommandError } from "../../commands/environment.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import { isList, isMap, type Value, type ValueMap } from "../../model/value/value.ts";
import { type FaultUse, pathPattern } from "../../simulators/faults.ts";

type Fault = {
  readonly name: string;
  readonly delayMs: number;
  /** The other side says no, and has done nothing. */
  readonly refuse: string | undefined;
  /** `request`: it never arrives. `reply`: it is done, and nobody hears of it. */
  readonly lose: "request" | "reply" | undefined;
};

type Rule = Fault & {
  readonly method: string;
  readonly path: RegExp;
  readonly nth: number;
  readonly times: number;
};

export type PackageFaults = {
  /** By provider, checked against their schema; undefined: nothing goes wrong. */
  readonly set: (rules: ValueMap | undefined) => void;
  readonly uses: () => readonly FaultUse[];
  /** The first rule that applies; counts for every one that fits. */
  readonly take: (provider: string, method: string, path: string) => Fault | undefined;
};

/** The method by which rules name looking at objects and asking data sources. */
export const readMethod = "READ";

/** `set` throws `CommandError` for a rule that says nothing, or too much. */
export function createPackageFaults(): PackageFaults {
  let counted: { readonly provider: string; readonly rule: Rule; seen: number; used: boolean }[];
  counted = [];
  return {
    set: (rules = {}) => {
      counted = Object.entries(rules).flatMap(([provider, list]) =>
        (isList(list) ? list : []).map((rule, index) => ({
          provider,
          rule: ruleOf(rule, `fault ${index + 1} of ${provider}`),
          seen: 0,
          used: false,
        })),
      );
    },
    uses: () => counted.map(({ rule: { name }, used }) => ({ name, used })),
    take: (provider, method, path) => {
      let taken: Fault | undefined;
      for (const one of counted) {
        const { rule } = one;
        if (one.provider !== provider || !rule.path.test(path)) continue;
        // Any change: who means that something cannot be looked at says so.
        const fits = rule.method === "*" ? method !== readMethod : rule.method === method;
        if (!fits) continue;
        one.seen += 1;
        const applies = one.seen >= rule.nth && one.seen < rule.nth + rule.times;
        if (!applies || taken !== undefined) continue;
        one.used = true;
        taken = rule;
      }
      return taken;
    },
  };
}

/** What the caller hears of it; undefined where only time passes. */
export function faultError({ name, refuse, lose }: Fault): RemoteError | undefined {
  if (refuse !== undefined) {
    return new RemoteError({ kind: "precondition", effect: "none", message: refuse });
  }
  if (lose === undefined) return undefined;
  const message = `the ${lose} was lost, as ${name} of the test says`;
  return new RemoteError({ kind: "unavailable", effect: "unknown", message });
}

function ruleOf(value: Value, usualName: string): Rule {
  const rule = isMap(value) ? value : {};
  const name = textOf(rule["name"]) ?? usualName;
  const [method = "", path = ""] = (textOf(rule["on"]) ?? "").split(" ");
  const refuse = textOf(rule["refuse"]);
  const lost = textOf(rule["lose"]);
  const lose = lost === "request" || lost === "reply" ? lost : undefined;
  const delayMs = Number(rule["delay_ms"] ?? 0);
  if (refuse !== undefined && lose !== undefined) {
    throw new CommandError(`Only one of refuse and lose may stand in ${name}.`);
  }
  if (refuse === undefined && lose === undefined && delayMs === 0) {
    throw new CommandError(`${name} needs one of refuse, lose and delay_ms.`);
  }
  const times = rule["times"] === "always" ? Infinity : Number(rule["times"] ?? 1);
  const nth = Number(rule["nth"] ?? 1);
  return { name, method, path: pathPattern(path), nth, times, delayMs, refuse, lose };
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
