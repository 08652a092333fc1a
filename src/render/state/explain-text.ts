/** What `vmform explain` says, for people and as data. */

import type { Explanation } from "../../model/said/explanation.ts";
import type { AttributeSchema, ResourceSchema } from "../../model/value/resource-schema.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { publicMembers } from "../text/public-json.ts";
import type { RenderOptions } from "../text/render-options.ts";
import {
  joinSections,
  line,
  renderLines,
  type StyledLine,
  span,
  textLine,
} from "../text/styled-line.ts";
import { inlineValue } from "../text/value/value-text.ts";

export function codeText(code: string, entry: Explanation, options: RenderOptions): string {
  const { summary, explanation, fix } = entry;
  const sections = [
    [line([span(code, "strong"), `: ${summary}`], 2)],
    [textLine(explanation, undefined, 0)],
    fix === undefined ? [] : [textLine(fix, undefined, 0)],
  ];
  return renderLines(joinSections(sections), options);
}

export type SchemaText = {
  readonly name: string;
  readonly of: "resource" | "data" | "provider";
  readonly schema: ResourceSchema;
  readonly actions: readonly string[];
};

/** The description, then what can be set, then what can be referred to. */
export function schemaText(
  { name, of, schema, actions }: SchemaText,
  options: RenderOptions,
): string {
  const all = Object.values(schema.attributes);
  const given = all.filter(({ computed }) => !computed);
  const computed = all.filter((attribute) => attribute.computed);
  const columns = Math.max(0, ...all.map((attribute) => attribute.name.length + 2));
  const list = (title: string, items: readonly AttributeSchema[]): readonly StyledLine[] =>
    items.length === 0
      ? []
      : [textLine(title, "strong"), ...items.map((item) => attributeLine(item, columns))];
  const sections = [
    [textLine(name, "strong")],
    [textLine(schema.description, undefined, 0)],
    list(givenTitles[of], given),
    list("Attributes you can refer to", computed),
    actions.length === 0 ? [] : [textLine(`Actions: ${actions.join(", ")}`, undefined, 2)],
    [textLine(`More of one: vmform explain ${name}.ATTRIBUTE`, "muted", 2)],
  ];
  return renderLines(joinSections(sections), options);
}

const givenTitles = {
  resource: "Attributes you set",
  data: "Arguments",
  provider: "Settings",
} as const;

function attributeLine(attribute: AttributeSchema, columns: number): StyledLine {
  const required = attribute.required ? " (required)" : "";
  const text = `${kindText(attribute)}${required}`;
  return line([`  ${attribute.name.padEnd(columns)}`, span(text, "muted")], columns + 2);
}

/** What goes into it: words, or the type. */
function kindText({ values, type }: AttributeSchema): string {
  if (values !== undefined) return values.join(", ");
  return typeNames[type];
}

const typeNames: { readonly [type in AttributeSchema["type"]]: string } = {
  string: "text",
  integer: "integer",
  number: "number",
  boolean: "true or false",
  list: "list",
  map: "map",
  any: "anything",
};

export type AttributeText = {
  readonly of: string;
  readonly attribute: AttributeSchema;
  readonly limits: { readonly [word: string]: string | number | undefined };
};

export function attributeText(
  { of, attribute, limits }: AttributeText,
  options: RenderOptions,
): string {
  const { name, description, default: preset } = attribute;
  const facts = [
    `It takes: ${kindText(attribute)}.`,
    ...(preset === undefined ? [] : [`Default: ${inlineValue(preset)}.`]),
    ...limitTexts(limits),
    ...markTexts(attribute),
  ];
  const sections = [
    [textLine(`${of}.${name}`, "strong")],
    [textLine(description, undefined, 0)],
    facts.map((text) => textLine(`- ${text}`, undefined, 2)),
  ];
  return renderLines(joinSections(sections), options);
}

function limitTexts(limits: AttributeText["limits"]): readonly string[] {
  const words: { readonly [word: string]: string } = {
    minimum: "At least",
    maximum: "At most",
    exclusiveMinimum: "More than",
    minLength: "Characters, at least",
    maxLength: "Characters, at most",
    pattern: "As the pattern",
  };
  return Object.entries(limits).flatMap(([word, value]) =>
    value === undefined ? [] : [`${words[word] ?? word}: ${value}`],
  );
}

/** What the marks of a schema mean for whoever sets or reads the attribute. */
function markTexts(attribute: AttributeSchema): readonly string[] {
  const marks: readonly (readonly [boolean, string])[] = [
    [attribute.required, "It is required."],
    [attribute.computed, "It is set by the remote side, and can be read in expressions."],
    [attribute.key, "It is part of the key: no two objects have the same."],
    [attribute.lookup, "It finds an object that exists, and counts until one is recorded."],
    [attribute.forceNew, "A new value replaces the object."],
    [attribute.planTime, "It must be known while planning."],
    [attribute.growsOnly === true, "It is never made smaller."],
    [attribute.unreadable, "The interface never gives it back, so drift cannot be seen."],
    [attribute.volatile, "It changes by itself, and is never drift."],
    [attribute.local, "It steers vmform only, and is never sent."],
    [attribute.sensitive, "It is secret: never shown, and recorded only as a reference."],
  ];
  return marks.flatMap(([holds, text]) => (holds ? [text] : []));
}

export function attributeJson({ attribute, limits }: Omit<AttributeText, "of">): ValueMap {
  const { type, values, default: preset, follows, ...rest } = attribute;
  return publicMembers({ ...rest, type, ...limits, values, default: preset, follows });
}
