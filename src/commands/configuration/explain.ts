/**
 * `vmform explain`: what a diagnostic code, a type, a provider or one attribute means. Reads
 * nothing but what is built in.
 */

import { configurationCodes } from "../../config/codes.ts";
import { runCodes } from "../../engine/codes.ts";
import { closestName } from "../../lib/text.ts";
import { packageCodes } from "../../model/provider/package-codes.ts";
import type { Explanation, Explanations } from "../../model/said/explanation.ts";
import type { AttributeSchema, ResourceSchema } from "../../model/value/resource-schema.ts";
import { planCodes } from "../../plan/codes.ts";
import { storeCodes } from "../../state/codes.ts";
import { commandCodes } from "../codes.ts";
import { type CommandEnvironment, CommandError } from "../environment.ts";

type Known = Pick<CommandEnvironment, "types" | "dataTypes" | "providerSettings" | "providerCodes">;

/** What a schema is of. */
export type SchemaKind = "resource" | "data" | "provider";

export type Explained =
  | ({ readonly kind: "code"; readonly code: string } & Explanation)
  | {
      readonly kind: "schema";
      readonly of: SchemaKind;
      readonly name: string;
      readonly ownership?: "owned" | "attached";
      readonly schema: ResourceSchema;
      /** Names of what can be done with `vmform action`. */
      readonly actions: readonly string[];
    }
  | {
      readonly kind: "attribute";
      /** As in an expression, such as `data.cloud_vm`. */
      readonly of: string;
      readonly attribute: AttributeSchema;
      /** Words of its own JSON Schema that the attribute does not hold. */
      readonly limits: AttributeLimits;
    };

export type AttributeLimits = {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
};

/** Every code of this build. */
export function allCodes({ providerCodes }: Pick<Known, "providerCodes">): Explanations {
  return {
    ...configurationCodes,
    ...planCodes,
    ...runCodes,
    ...storeCodes,
    ...commandCodes,
    ...packageCodes,
    ...providerCodes(),
  };
}

/** A code in any letter case; `TYPE`, `data.TYPE` or `PROVIDER`, each also with `.ATTRIBUTE`. */
export function explainCommand(known: Known, subject: string): Explained {
  return explainedCode(known, subject) ?? explainedName(known, subject);
}

function explainedCode(known: Known, subject: string): Explained | undefined {
  const code = subject.toUpperCase();
  if (!/^[A-Z]{3}\d+$/.test(code)) return undefined;
  const codes = allCodes(known);
  const found = Object.hasOwn(codes, code) ? codes[code] : undefined;
  if (found !== undefined) return { kind: "code", code, ...found };
  const closest = closestName(code, Object.keys(codes));
  throw new CommandError(
    `There is no diagnostic with the code ${code}.`,
    closest === undefined
      ? "A diagnostic shows its code in parentheses, such as CFG013."
      : `Did you mean ${closest}?`,
    "usage",
  );
}

type Entry = Extract<Explained, { readonly kind: "schema" }>;

function entriesOf({ types, dataTypes, providerSettings }: Known): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  const add = (name: string, entry: Omit<Entry, "kind" | "name">): void => {
    entries.set(name, { kind: "schema", name, ...entry });
  };
  for (const [name, { schema, ownership, actions = [] }] of Object.entries(types)) {
    add(name, { of: "resource", ownership, schema, actions: actions.map((item) => item.name) });
  }
  for (const [name, { schema }] of Object.entries(dataTypes)) {
    add(`data.${name}`, { of: "data", schema, actions: [] });
  }
  for (const [name, schema] of Object.entries(providerSettings)) {
    add(name, { of: "provider", schema, actions: [] });
  }
  return entries;
}

function explainedName(known: Known, subject: string): Explained {
  const entries = entriesOf(known);
  const whole = entries.get(subject);
  if (whole !== undefined) return whole;
  const [name, attribute] = splitLast(subject);
  const entry = entries.get(name);
  if (entry === undefined || attribute === undefined) {
    throw unknownName(subject, attribute === undefined || !subject.includes("_") ? subject : name, [
      ...entries.keys(),
    ]);
  }
  return explainedAttribute(entry, attribute);
}

function splitLast(subject: string): readonly [string, string | undefined] {
  const at = subject.lastIndexOf(".");
  return at === -1 ? [subject, undefined] : [subject.slice(0, at), subject.slice(at + 1)];
}

function explainedAttribute({ name, schema }: Entry, attribute: string): Explained {
  const { attributes } = schema;
  const found = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
  if (found !== undefined) {
    return { kind: "attribute", of: name, attribute: found, limits: limitsOf(schema, attribute) };
  }
  const names = Object.keys(attributes);
  const closest = closestName(attribute, names);
  throw new CommandError(
    `${name} has no attribute ${attribute}.`,
    closest === undefined ? `It has: ${names.join(", ")}.` : `Did you mean ${name}.${closest}?`,
    "usage",
  );
}

function unknownName(subject: string, name: string, names: readonly string[]): CommandError {
  const closest = closestName(name, names);
  return new CommandError(
    `There is nothing to explain by the name of ${subject}.`,
    closest === undefined
      ? `Name a code such as CFG013, or one of: ${names.join(", ")}.`
      : `Did you mean ${closest}?`,
    "usage",
  );
}

const numbers = ["minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength"] as const;

function limitsOf({ json }: ResourceSchema, name: string): AttributeLimits {
  const property = member(member(json, "properties"), name);
  const pattern = member(property, "pattern");
  const limits = numbers.flatMap((word) => {
    const value = member(property, word);
    return typeof value === "number" ? [[word, value] as const] : [];
  });
  return {
    ...Object.fromEntries(limits),
    ...(typeof pattern === "string" ? { pattern } : {}),
  };
}

function member(value: unknown, name: string): unknown {
  if (value === null || typeof value !== "object") return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
