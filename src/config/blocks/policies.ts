/** The `policies` block: what must hold of everything that is planned. */

import { checkDeclared, type DeclaredRoots, rootsUsed } from "../../expressions/check/declared.ts";
import { minutesOf, type TimeWindow } from "../../lib/time/time-window.ts";
import { isTimeZone, type Weekday, weekdays } from "../../lib/time/zoned-time.ts";
import { disruptions } from "../../model/operation/disruption.ts";
import {
  type PolicyLevel,
  type PolicyScope,
  policyLevels,
  policyScopes,
} from "../../model/plan/policy.ts";
import type { DataRegistry, TypeRegistry } from "../../model/provider/provider.ts";
import { isList, isMap, type Value } from "../../model/value/value.ts";
import type { BlockEntry } from "../read/blocks.ts";
import { readEntryMap } from "../read/entry-map.ts";
import { blockShape } from "../read/form/schemas.ts";
import { type ConfigTemplate, type ConfigValue, placeInText, templatesOf } from "../read/value.ts";
import type { Place, Report } from "../report.ts";

/** `window` or `condition`, never both. */
export type Policy = {
  readonly name: string;
  readonly place: Place;
  readonly over: PolicyScope;
  readonly level: PolicyLevel;
  readonly message: string;
  readonly when?: ConfigValue;
  readonly condition?: ConfigValue;
  readonly window?: readonly TimeWindow[];
  /** Where the time decides. */
  readonly zone?: string;
};

export type PolicyTypes = { readonly types: TypeRegistry; readonly dataTypes: DataRegistry };

type Members = ReadonlyMap<string, ConfigValue | undefined>;

/** Those without problems, which are reported. */
export function readPolicies(
  entries: ReadonlyMap<string, BlockEntry>,
  types: PolicyTypes,
  report: Report,
): readonly Policy[] {
  return [...entries.values()].flatMap((entry) => readPolicy(entry, types, report) ?? []);
}

function readPolicy(entry: BlockEntry, types: PolicyTypes, report: Report): Policy | undefined {
  const { name, place } = entry;
  const before = report.errorCount();
  const members = readEntryMap(entry, `policy ${name}`, blockShape("PolicyBlock"), report);
  if (members === undefined || report.errorCount() > before) return undefined;
  const over = policyScopes.find((word) => word === textOf(members, "over"));
  const level = policyLevels.find((word) => word === textOf(members, "level"));
  const message = textOf(members, "message");
  if (over === undefined || level === undefined || message === undefined) return undefined;
  checkParts(name, place, members, over, report);
  const roots = rootsOf(over, types);
  const when = members.get("when");
  const condition = members.get("condition");
  const templates = [when, condition].flatMap((value) => (value ? templatesOf(value) : []));
  for (const template of templates) checkExpression(template, roots, report);
  const isTimed =
    members.has("window") || templates.some((one) => rootsUsed(one.template).has("time"));
  const zone = readZone(name, place, members, isTimed, report);
  if (report.errorCount() > before) return undefined;
  const window = windowsOf(members.get("window"));
  return {
    ...{ name, place, over, level, message },
    ...(when === undefined ? {} : { when }),
    ...(condition === undefined ? {} : { condition }),
    ...(window === undefined ? {} : { window }),
    ...(zone === undefined || !isTimed ? {} : { zone }),
  };
}

function textOf(members: Members, name: string): string | undefined {
  const member = members.get(name);
  return member?.kind === "constant" && typeof member.value === "string" ? member.value : undefined;
}

function checkParts(
  name: string,
  place: Place,
  members: Members,
  over: PolicyScope,
  report: Report,
): void {
  const given = ["condition", "window"].filter((part) => isGiven(members.get(part)));
  if (given.length !== 1) {
    const many = given.length === 0 ? "neither a condition nor a window" : "both";
    const detail = `The policy ${name} has ${many}.`;
    report.add("CFG070", { detail, fix: "Give it one of them; when narrows either.", place });
  }
  const window = members.get("window");
  if (window === undefined) return;
  if (over !== "changes" && over !== "operations") {
    const detail = `A window says when something may begin, which ${over} never does.`;
    const fix = "Write over: operations, or a condition on time.";
    report.add("CFG071", { detail, fix, place: window.place });
  }
}

function isGiven(member: ConfigValue | undefined): boolean {
  return member !== undefined && !(member.kind === "constant" && member.value === null);
}

/** The zone of a policy is said, never guessed: where it runs may be anywhere. */
function readZone(
  name: string,
  place: Place,
  members: Members,
  isTimed: boolean,
  report: Report,
): string | undefined {
  const member = members.get("time_zone");
  const zone = textOf(members, "time_zone");
  const fix = "Write a name of the IANA database, such as time_zone: Europe/Berlin, or UTC.";
  if (zone === undefined) {
    const detail = `The time decides the policy ${name}, and it does not say in which zone.`;
    if (isTimed) report.add("CFG072", { detail, fix, place });
    return undefined;
  }
  if (isTimeZone(zone)) return zone;
  const detail = `There is no time zone ${JSON.stringify(zone)}.`;
  report.add("CFG072", { detail, fix, place: member?.place ?? place });
  return undefined;
}

function checkExpression(leaf: ConfigTemplate, roots: DeclaredRoots, report: Report): void {
  const { template, place } = leaf;
  for (const { message, fix, offset, end } of checkDeclared(template, roots)) {
    const at = placeInText(place, template.text, offset, end);
    report.add("CFG073", { detail: message, fix, place: at });
  }
}

function windowsOf(member: ConfigValue | undefined): readonly TimeWindow[] | undefined {
  if (member?.kind !== "constant" || !isList(member.value)) return undefined;
  return member.value.map((value) => {
    const { days, from, to } = isMap(value) ? value : {};
    return { days: daysOf(days), from: minutesIn(from), to: minutesIn(to) };
  });
}

function daysOf(value: Value | undefined): ReadonlySet<Weekday> {
  const named = Array.isArray(value) ? weekdays.filter((day) => value.includes(day)) : weekdays;
  return new Set(named);
}

/** The schema has seen to its form. */
function minutesIn(value: Value | undefined): number {
  const minutes = typeof value === "string" ? minutesOf(value) : undefined;
  if (minutes === undefined) throw new Error("a window without times");
  return minutes;
}

const rootsByTypes = new WeakMap<TypeRegistry, Map<PolicyScope, DeclaredRoots>>();

/** What expressions may name, by what the policy is asked of. One object each, for its checks. */
function rootsOf(over: PolicyScope, { types, dataTypes }: PolicyTypes): DeclaredRoots {
  const known = rootsByTypes.get(types) ?? new Map<PolicyScope, DeclaredRoots>();
  rootsByTypes.set(types, known);
  const roots = known.get(over) ?? makeRoots(over, Object.keys(types), Object.keys(dataTypes));
  known.set(over, roots);
  return roots;
}

function makeRoots(
  over: PolicyScope,
  types: readonly string[],
  dataTypes: readonly string[],
): DeclaredRoots {
  const common = { plan: planRoot, time: timeRoot };
  const type = { type: "string", words: types } as const;
  switch (over) {
    case "plan":
      return common;
    case "data":
      return { data: { ...dataRoot, type: { type: "string", words: dataTypes } }, ...common };
    case "changes":
      return { change: { ...changeRoot, type }, ...common };
    case "operations":
      return {
        operation: { ...operationRoot, type },
        change: { ...changeRoot, type },
        ...common,
      };
  }
}

const text = { type: "string" } as const;
const list = { type: "list" } as const;
const map = { type: "map" } as const;
const integer = { type: "int" } as const;
const disrupts = { type: "list", words: disruptions } as const;

const changeRoot = {
  ...{ address: text, name: text, type: text, provider: text, identity: text, object_key: text },
  action: {
    type: "string",
    words: ["no-op", "create", "update", "replace", "delete", "forget"],
  },
  ...{ reason: text, disrupts, changed: list, before: map, after: map },
} as const;

const operationRoot = {
  ...{ id: text, address: text, name: text, type: text, provider: text, identity: text },
  ...{ object_key: text, verb: text, summary: text, inputs: map, disrupts },
  kind: { type: "string", words: ["create", "update", "delete", "power", "wait", "action"] },
} as const;

const dataRoot = {
  address: text,
  name: text,
  type: text,
  provider: text,
  attributes: map,
} as const;

/** A plan as conditions see it; tests name it as well. */
export const planRoot = {
  mode: { type: "string", words: ["apply", "destroy", "refresh"] },
  ...{ changes: list, operations: list, data: list, counts: map },
} as const;

const timeRoot = {
  ...{ year: integer, month: integer, day: integer, hour: integer, minute: integer },
  weekday: { type: "string", words: weekdays },
  ...{ date: text, clock: text, zone: text },
} as const;
