/**
 * One entry of the `resources` block or of the `data` block, read by the schema of its type. A data
 * source is like a resource in what it says and how it refers to others; nothing is made of it.
 */

import type { RootReference } from "../../expressions/evaluate/references.ts";
import { fits } from "../../lib/schema/schema.ts";
import { parseDurationMs } from "../../lib/time/duration.ts";
import { memberNode } from "../../lib/yaml/yaml.ts";
import type { LifecycleBlock, TimeoutsBlock } from "../../model/generated/config.ts";
import type { ConditionKind } from "../../model/operation/condition.ts";
import type { Lifecycle } from "../../model/plan/desired.ts";
import { limitGroups } from "../../model/provider/limit-groups.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import { type AddressParts, qualifiedType } from "../../model/value/address.ts";
import { type BlockEntry, entryContext } from "../read/blocks.ts";
import { blockCheck, dataShapeOf, metaArguments, resourceShapeOf } from "../read/form/schemas.ts";
import type { Shape } from "../read/form/shape.ts";
import { didYouMean } from "../read/form/spelling.ts";
import { nameProblem } from "../read/names.ts";
import { readMembers } from "../read/read.ts";
import {
  type ConfigTemplate,
  type ConfigValue,
  mapOf,
  membersOf,
  templatesOf,
} from "../read/value.ts";
import { textsOf, type WrittenText } from "../read/written-text.ts";
import type { Place, Report } from "../report.ts";
import { type Condition, conditionsOf, templatesOfCondition } from "./condition.ts";

export type Mode = AddressParts["mode"];

/** What a configuration needs of a type. A data source has no identity. */
export type ConfiguredType = Pick<ResourceType, "name" | "schema" | "check"> &
  Partial<
    Pick<
      ResourceType,
      | "identityOf"
      | "parseIdentity"
      | "ownership"
      | "recordOnly"
      | "power"
      | "tasks"
      | "wordRequestLimitMs"
    >
  >;

export type ConfiguredTypes = { readonly [type: string]: ConfiguredType };

export type ObjectCondition = Condition & { readonly kind: ConditionKind };

export type Resource = {
  /** `type.name` as written, with `data.` before it for a data source. */
  readonly key: string;
  readonly mode: Mode;
  readonly name: string;
  readonly type: ConfiguredType;
  readonly shape: Shape;
  /** Where the key stands. */
  readonly place: Place;
  /** Provider with alias, as written or by the type's first word. */
  readonly provider: string;
  readonly providerPlace: Place;
  /** What the configuration says of the type's own attributes. */
  readonly attributes: ReadonlyMap<string, ConfigValue>;
  /** Of the attributes. */
  readonly templates: readonly ConfigTemplate[];
  /** What these templates refer to. */
  readonly references: readonly RootReference[];
  readonly conditions: readonly ObjectCondition[];
  /** How instances are made, even where `count` or `for_each` could not be read. */
  readonly instancing: "single" | "list" | "map";
  readonly count: ConfigValue | undefined;
  readonly forEach: ConfigValue | undefined;
  readonly dependsOn: readonly WrittenText[];
  readonly triggers: readonly WrittenText[];
  readonly lifecycle: Lifecycle;
  /** `prevent_destroy`, where an expression says it. */
  readonly protection: ConfigTemplate | undefined;
  readonly timeoutsMs: { readonly [verb: string]: number };
  /** Something could not be read: it has no instances, and nothing that refers to it is judged. */
  readonly broken: boolean;
};

/** All that it says but `count` and `for_each`. */
export function templatesIn({ templates, conditions }: Resource): readonly ConfigTemplate[] {
  if (conditions.length === 0) return templates;
  return [...templates, ...conditions.flatMap(templatesOfCondition)];
}

/** What says which instances a resource or a call of a module has; undefined for a single one. */
export function writtenInstances({
  forEach,
  count,
}: Pick<Resource, "forEach" | "count">): ConfigValue | undefined {
  return forEach ?? count;
}

/** The provider a type belongs to: its name up to the first underscore. */
export function providerOfType(type: string): string {
  const end = type.indexOf("_");
  return end === -1 ? type : type.slice(0, end);
}

/** The kind of a provider: its name without alias. */
export function providerOfName(provider: string): string {
  return provider.split(".", 1)[0] ?? provider;
}

/** Undefined when the key names no type, after a problem was reported. */
export function readResource(
  entry: BlockEntry,
  mode: Mode,
  types: ConfiguredTypes,
  report: Report,
): Resource | undefined {
  const found = resourceType(entry, mode, types, report);
  if (found === undefined) return undefined;
  const { type, name } = found;
  const before = report.errorCount();
  const shape = mode === "data" ? dataShapeOf(type.schema) : resourceShapeOf(type.schema);
  const members = readBody(entry, type, shape, report);
  const attributes = new Map<string, ConfigValue>();
  for (const [attribute, value] of members) {
    if (value !== undefined && !metaArguments.has(attribute)) attributes.set(attribute, value);
  }
  const provider = constantText(members.get("provider"));
  const [count, forEach] = [members.get("count"), members.get("for_each")];
  if (members.has("count") && members.has("for_each")) {
    const detail = `A ${modeWords[mode]} takes count or for_each, not both.`;
    report.add("CFG032", { detail, fix: "Remove one of them.", place: entry.place });
  }
  const templates = [...attributes.values()].flatMap(templatesOf);
  return {
    key: resourceKey({ mode, type: type.name, name }),
    mode,
    name,
    type,
    shape,
    place: entry.place,
    provider: provider ?? providerOfType(type.name),
    providerPlace: members.get("provider")?.place ?? entry.place,
    attributes,
    templates,
    references: templates.flatMap(({ references }) => references),
    instancing: members.has("for_each") ? "map" : members.has("count") ? "list" : "single",
    count,
    forEach,
    dependsOn: textsOf(memberNode(entry.node, "depends_on"), entry.file),
    triggers: textsOf(
      memberNode(memberNode(entry.node, "lifecycle"), "replace_triggered_by"),
      entry.file,
    ),
    conditions: readConditions(members.get("lifecycle")),
    protection: templateOf(membersOf(members.get("lifecycle")).get("prevent_destroy")),
    lifecycle: readLifecycle(members.get("lifecycle"), entry, type, report),
    timeoutsMs: readTimeouts(entry, members.get("timeouts"), type, report),
    broken: report.errorCount() > before,
  };
}

const modeWords: { readonly [mode in Mode]: string } = {
  managed: "resource",
  data: "data source",
};

/** `type.name`, or `data.type.name`: how expressions and addresses name it, without instance. */
export function resourceKey(parts: Pick<AddressParts, "mode" | "type" | "name">): string {
  return `${qualifiedType(parts)}.${parts.name}`;
}

function resourceType(
  entry: BlockEntry,
  mode: Mode,
  types: ConfiguredTypes,
  report: Report,
): { readonly type: ConfiguredType; readonly name: string } | undefined {
  const [typeName = "", name, ...rest] = entry.name.split(".");
  const { place } = entry;
  if (name === undefined || rest.length > 0 || nameProblem(name) !== undefined) {
    const shaped = name !== undefined && rest.length === 0;
    const detail = shaped
      ? `${JSON.stringify(name)} cannot be a name: ${nameProblem(name)}.`
      : `${JSON.stringify(entry.name)} is not a ${modeWords[mode]} key of the form type.name.`;
    const example = Object.hasOwn(types, typeName) ? typeName : Object.keys(types)[0];
    const named = mode === "data" ? "all" : "web";
    const inner = entry.node.kind === "map" ? entry.node.entries : [];
    const [first] = inner.filter(({ value }) => value.kind === "map");
    const isNested = name === undefined && first !== undefined && example === typeName;
    const fix = isNested
      ? `Write one key for each: ${typeName}.${first.key.text}.`
      : `Write it like ${example}.${named}.`;
    report.add("CFG014", { detail, fix, place });
    return undefined;
  }
  const type = Object.hasOwn(types, typeName) ? types[typeName] : undefined;
  if (type !== undefined) return { type, name };
  const what = mode === "data" ? "type of data sources" : "resource type";
  const detail = `There is no ${what} ${JSON.stringify(typeName)}.`;
  const names = Object.keys(types);
  const fix = didYouMean(typeName, names) ?? `The types are ${names.join(", ")}.`;
  report.add(mode === "data" ? "CFG044" : "CFG021", { detail, fix, place });
  return undefined;
}

function readBody(
  entry: BlockEntry,
  type: ConfiguredType,
  shape: Shape,
  report: Report,
): ReadonlyMap<string, ConfigValue | undefined> {
  const { node, place } = entry;
  const context = entryContext(entry, type.name, report);
  if (node.kind === "map") return readMembers(node, shape, context);
  if (node.kind === "scalar" && node.plain && node.text === "") {
    const empty = { kind: "map", entries: [], start: node.start, end: node.end } as const;
    return readMembers(empty, shape, context);
  }
  const detail = `${entry.name} takes a map: one line for each attribute.`;
  const glued = node.kind === "scalar" && /^\w+:\S/.test(node.text);
  report.add("CFG012", { detail, fix: glued ? "Put a space after the colon." : undefined, place });
  return new Map();
}

const conditionLists: { readonly [kind in ConditionKind]: string } = {
  precondition: "preconditions",
  postcondition: "postconditions",
};

function readConditions(lifecycle: ConfigValue | undefined): readonly ObjectCondition[] {
  const members = membersOf(lifecycle);
  return (["precondition", "postcondition"] as const).flatMap((kind) =>
    conditionsOf(members.get(conditionLists[kind])).map((one) => ({ ...one, kind })),
  );
}

function templateOf(value: ConfigValue | undefined): ConfigTemplate | undefined {
  return value?.kind === "template" ? value : undefined;
}

/** The rest of it holds no expressions, but for `prevent_destroy`. */
function withoutConditions(lifecycle: ConfigValue | undefined): ConfigValue | undefined {
  if (lifecycle === undefined) return undefined;
  const rest = [...membersOf(lifecycle)].flatMap(([name, member]) =>
    member.kind === "constant" && !Object.values(conditionLists).includes(name)
      ? [[name, member.value] as const]
      : [],
  );
  return { kind: "constant", value: mapOf(rest), place: lifecycle.place };
}

function readLifecycle(
  value: ConfigValue | undefined,
  { node, file }: BlockEntry,
  type: ConfiguredType,
  report: Report,
): Lifecycle {
  const block = constantBlock<LifecycleBlock>("LifecycleBlock", withoutConditions(value)) ?? {};
  const ignored = block.ignore_changes ?? [];
  const ignoreChanges = typeof ignored === "string" ? inputsOf(type) : ignored;
  const written = textsOf(memberNode(memberNode(node, "lifecycle"), "ignore_changes"), file);
  for (const name of ignoreChanges) {
    if (Object.hasOwn(type.schema.attributes, name)) continue;
    const detail = `${type.name} has no attribute ${JSON.stringify(name)} to ignore.`;
    const known = Object.keys(type.schema.attributes);
    const fix = name === "*" ? "Write ignore_changes: all" : didYouMean(name, known);
    const item = written.find(({ text }) => text === name);
    report.add("CFG013", { detail, fix, place: item?.place ?? value?.place });
  }
  return {
    preventDestroy: block.prevent_destroy ?? false,
    createBeforeDestroy: block.create_before_destroy ?? false,
    ignoreChanges,
  };
}

/** All that a configuration can say of it. */
function inputsOf({ schema }: ConfiguredType): readonly string[] {
  const inputs = Object.values(schema.attributes).filter(({ computed }) => !computed);
  return inputs.map(({ name }) => name);
}

function readTimeouts(
  { node, file }: BlockEntry,
  value: ConfigValue | undefined,
  type: ConfiguredType,
  report: Report,
): { readonly [verb: string]: number } {
  const block = constantBlock<TimeoutsBlock>("TimeoutsBlock", value) ?? {};
  const { ownership, ...others } = type;
  // Without it, it is a type of tests, or a data source.
  const groups = ownership === undefined ? undefined : limitGroups({ ...others, ownership });
  const written = memberNode(node, "timeouts");
  for (const verb of Object.keys(block)) {
    if (groups === undefined || groups.includes(verb)) continue;
    const detail = `A ${type.name} has no operation of the group ${verb}.`;
    const key =
      written?.kind === "map" ? written.entries.find((it) => it.key.text === verb)?.key : undefined;
    const place = key === undefined ? value?.place : { file, start: key.start, end: key.end };
    report.add("CFG056", { detail, fix: `It has limits of ${groups.join(", ")}.`, place });
  }
  return Object.fromEntries(
    Object.entries(block).flatMap(([verb, text]) => {
      const limitMs = parseDurationMs(text);
      return limitMs === undefined ? [] : [[verb, limitMs]];
    }),
  );
}

/** What fits the block of that name; undefined also where there is none, which needs no check. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
function constantBlock<T>(name: string, value: ConfigValue | undefined): T | undefined {
  if (value?.kind !== "constant") return undefined;
  return fits<T>(blockCheck(name), value.value) ? value.value : undefined;
}

function constantText(value: ConfigValue | undefined): string | undefined {
  return value?.kind === "constant" && typeof value.value === "string" ? value.value : undefined;
}
