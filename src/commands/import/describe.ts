/** What was read of an object as configuration would say it: values, remarks, never a secret. */

import { checkValue, isJsonSchema, shapeOf } from "../../config/read/form/shape.ts";
import { listWords } from "../../config/read/form/spelling.ts";
import { isPowerState } from "../../model/operation/power.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import { formatAddress } from "../../model/value/address.ts";
import type { AttributeSchema } from "../../model/value/resource-schema.ts";
import type { Attributes, Value } from "../../model/value/value.ts";

export type FoundObject = {
  readonly type: ResourceType;
  readonly provider: string;
  readonly identity: string;
  readonly observation: Observation;
};

export type DescribedObject = Omit<FoundObject, "observation"> & {
  /** What people call it; names and keys are made of it. */
  readonly label: string;
  /** What was read and may be configured. */
  readonly attributes: Attributes;
  /** All that was read and is no secret, for references to it. */
  readonly read: Attributes;
  /** Sensitive attributes that have to be given by variables. */
  readonly secrets: readonly string[];
  /** What a reader of the configuration should know, without a full stop. */
  readonly remarks: readonly string[];
};

export type Described =
  | { readonly ok: true; readonly object: DescribedObject }
  /** Why it cannot be described. */
  | { readonly ok: false; readonly reason: string };

/** Pure. */
export function describe({ observation, ...found }: FoundObject): Described {
  if (observation.status === "missing") return { ok: false, reason: "it is gone meanwhile" };
  if (observation.status === "unreadable") return { ok: false, reason: observation.reason };
  const { type, identity } = found;
  const other = type.otherKind?.(observation.attributes);
  if (other !== undefined) return { ok: false, reason: other };
  const kept: { [name: string]: Value } = {};
  const remarks = new Map<string, string[]>();
  const secrets: string[] = [];
  for (const attribute of Object.values(type.schema.attributes)) {
    if (attribute.computed) continue;
    const told = tell(type, attribute, observation);
    if (told.kind === "value") kept[attribute.name] = told.value;
    else if (told.kind === "secret") secrets.push(attribute.name);
    else if (attribute.required) return { ok: false, reason: `its ${attribute.name} ${told.why}` };
    else if (told.kind === "remark") {
      remarks.set(told.why, [...(remarks.get(told.why) ?? []), attribute.name]);
    }
  }
  const fitting = withoutContradiction(type, kept);
  if (typeof fitting === "string") return { ok: false, reason: fitting };
  const attributes = withoutIdentity(type, fitting.attributes, identity);
  const object = {
    ...found,
    label: nameOf(type, attributes) ?? identity,
    attributes,
    read: shownOf(type, observation.attributes),
    secrets,
    remarks: [
      ...[...remarks].map(([why, names]) => `${listWords(names, "and")} ${why}`),
      ...fitting.remarks,
    ],
  };
  return { ok: true, object };
}

/** What was read without its secrets. */
export function shownOf(type: ResourceType, read: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(read).filter(([name]) => type.schema.attributes[name]?.sensitive !== true),
  );
}

type Told =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "secret" }
  | { readonly kind: "remark" | "unset"; readonly why: string };

function tell(
  type: ResourceType,
  attribute: AttributeSchema,
  { attributes: read, unreadable, reasons }: Extract<Observation, { status: "found" }>,
): Told {
  const { name, sensitive, required } = attribute;
  const value = name === type.power?.wanted ? powerOf(type, read) : (read[name] ?? null);
  if (sensitive) {
    // Whether an optional one is set is known only where something came back.
    return required || value !== null ? { kind: "secret" } : { kind: "unset", why: "" };
  }
  if (value !== null) {
    const [problem] = problemsOf(type, name, value);
    if (problem === undefined) return { kind: "value", value };
    const why = `is ${JSON.stringify(shown(value))}, which a configuration cannot say: ${problem}`;
    return { kind: "remark", why: withoutStop(why) };
  }
  const power = name === type.power?.wanted ? (read[type.power.observed] ?? null) : null;
  if (power !== null) {
    return { kind: "remark", why: `is ${JSON.stringify(shown(power))}, which nobody can ask for` };
  }
  if (!Object.hasOwn(unreadable, name)) return { kind: "unset", why: "could not be read" };
  const reason = reasons?.[name];
  return {
    kind: "remark",
    why: reason === undefined ? "could not be read" : withoutStop(`could not be read: ${reason}`),
  };
}

/** An interface may give back what nobody may ask of it, such as an empty word. */
function problemsOf({ schema }: ResourceType, name: string, value: Value): readonly string[] {
  const { json } = schema;
  if (!isJsonSchema(json) || !isJsonSchema(json.properties)) return [];
  const own = json.properties[name];
  return isJsonSchema(own) ? checkValue(value, shapeOf(own, json, false)) : [];
}

type Fitting = { readonly attributes: Attributes; readonly remarks: readonly string[] };

/** Of attributes that exclude each other, the one without which the rest may stand is left out. */
function withoutContradiction(type: ResourceType, all: Attributes): Fitting | string {
  const problem = contradiction(type, all);
  if (problem === undefined) return { attributes: all, remarks: [] };
  for (const name of Object.keys(all).toReversed()) {
    if (type.schema.attributes[name]?.required !== false) continue;
    const { [name]: value = null, ...attributes } = all;
    if (contradiction(type, attributes) !== undefined) continue;
    const remark = `${name} is ${JSON.stringify(shown(value))} and left out: ${problem}`;
    return { attributes, remarks: [withoutStop(remark)] };
  }
  return withoutStop(problem);
}

function contradiction(type: ResourceType, attributes: Attributes): string | undefined {
  const address = formatAddress({ modules: [], mode: "managed", type: type.name, name: "x" });
  return type.check?.(attributes, address).find((one) => hasErrors([one]))?.detail;
}

/** Nothing while it changes, or is what nobody can want: whatever it is stays. */
function powerOf(type: ResourceType, read: Attributes): Value {
  const power = read[type.power?.observed ?? ""];
  const words = type.schema.attributes[type.power?.wanted ?? ""]?.values;
  return isPowerState(power) && words?.includes(power) !== false ? power : null;
}

/** What people call an object that is found by its name; other keys are names already. */
function nameOf(type: ResourceType, { name }: Attributes): string | undefined {
  const finds = type.ownership === "attached" && type.schema.attributes.name?.lookup === true;
  return finds && typeof name === "string" && name !== "" ? name : undefined;
}

/** The import says which object it is; a link beside its name would only repeat it. */
function withoutIdentity(type: ResourceType, attributes: Attributes, identity: string): Attributes {
  if (nameOf(type, attributes) === undefined) return attributes;
  const entries = Object.entries(attributes).filter(
    ([name, value]) => type.schema.attributes[name]?.lookup !== true || value !== identity,
  );
  return Object.fromEntries(entries);
}

/** Bigints have no JSON. */
function shown(value: Value): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, "");
}
