/** What is told of a name: what it is by its schema and declaration, and what is recorded of it. */

import { stringifyJson } from "../lib/json.ts";
import { memberNode } from "../lib/yaml/yaml.ts";
import { currentByAddress } from "../model/recorded/current.ts";
import type { RecordedState } from "../model/recorded/recorded.ts";
import { type Address, parseAddress, resourceOf } from "../model/value/address.ts";
import { isKnown, type PlannedAttributes, type Value } from "../model/value/value.ts";
import type { FolderModel, Unread } from "./folder-model.ts";
import type { Meaning } from "./meaning.ts";

const instancesMax = 10;
const valueLengthMax = 200;

/** Markdown. Secrets are never in it. */
export async function hoverText(meaning: Meaning, model: FolderModel): Promise<string> {
  const { kind, name, declared, type } = meaning;
  if (type !== undefined) return resourceText(meaning, type, model);
  const description = memberNode(declared.value, "description");
  const said = description?.kind === "scalar" ? `\n\n${escaped(description.text)}` : "";
  const isSensitive = ["sensitive", "ephemeral"].some((mark) => {
    const node = memberNode(declared.value, mark);
    return node?.kind === "scalar" && node.text !== "false";
  });
  const value = isSensitive ? "\n\nIts value is sensitive." : valueText(kind, declared.value);
  return `**${escaped(name)}** (${kind})${said}${value}`;
}

function valueText(kind: Meaning["kind"], node: Meaning["declared"]["value"]): string {
  const shown =
    kind === "local" ? node : memberNode(node, kind === "variable" ? "default" : "value");
  if (shown?.kind !== "scalar" || shown.text === "") return "";
  const label = kind === "variable" ? "Default: " : "";
  return `\n\n${label}${code(cut(shown.text))}`;
}

const unreadTexts: { readonly [why in Unread]: string } = {
  "on a server": "What is recorded of it is on a server: `vmform state show` asks there.",
  unreadable: "What is recorded of it cannot be read now.",
};

async function resourceText(
  { kind, name, attribute, key }: Meaning,
  type: string,
  model: FolderModel,
): Promise<string> {
  const schema = model.schema(type);
  const own = attribute === undefined ? undefined : schema?.attributes[attribute];
  const at = `${name}${key === undefined ? "" : `[${JSON.stringify(key)}]`}`;
  const head = attribute === undefined ? at : `${at}.${attribute}`;
  const said = attribute === undefined ? schema?.description : own?.description;
  const parts = [`**${escaped(head)}** (${kind})`, escaped(said ?? "")];
  if (type.startsWith("data.")) return [...parts, "Asked while planning."].join("\n\n");
  const read = await model.recorded();
  const state = typeof read === "string" ? undefined : read;
  const all = (state?.objects ?? []).filter(
    (object) => object.objectKey === "current" && isMeant(object.address, name, key),
  );
  const wanted = await wantedText({ name, key, attribute }, state, model);
  if (wanted !== "") parts.push(wanted);
  if (typeof read === "string") return [...parts, unreadTexts[read]].join("\n\n");
  if (all.length === 0) return [...parts, "Nothing is recorded of it."].join("\n\n");
  const lines = all.map((object) => valueLines(object, object.attributes, attribute, model));
  return [...parts, "Recorded:", listed(lines)].filter((one) => one !== "").join("\n\n");
}

function listed(all: readonly (readonly string[])[]): string {
  const more = all.length > instancesMax ? [`- and ${all.length - instancesMax} more`] : [];
  return [...all.slice(0, instancesMax).flat(), ...more].join("\n");
}

type Meant = {
  readonly name: string;
  readonly key: string | undefined;
  readonly attribute: string | undefined;
};

/** What the configuration wants, with what is recorded of others; empty when it is broken. */
async function wantedText(
  { name, key, attribute }: Meant,
  state: RecordedState | undefined,
  model: FolderModel,
): Promise<string> {
  const meant = (await model.wanted()).filter(({ address }) => isMeant(address, name, key));
  const known = currentByAddress(state?.objects ?? []);
  const lines = meant.slice(0, instancesMax + 1).flatMap((instance) => {
    const { attributes, diagnostics } = instance.resolve(
      (address) => known.get(address)?.attributes,
    );
    // A value that may not stand there may be a secret.
    if (diagnostics.length > 0) return [];
    if (attribute !== undefined && !(attribute in attributes)) return [];
    return [valueLines(instance, attributes, attribute, model)];
  });
  return lines.length === 0 ? "" : `Wanted:\n\n${listed(lines)}`;
}

function isMeant(address: Address, name: string, key: string | undefined): boolean {
  if (key === undefined) return resourceOf(address) === name;
  return resourceOf(address) === name && String(parseAddress(address)?.key) === key;
}

function valueLines(
  { address, type }: { readonly address: Address; readonly type: string },
  attributes: PlannedAttributes,
  attribute: string | undefined,
  { schema }: FolderModel,
): readonly string[] {
  const known = schema(type)?.attributes ?? {};
  const shown = (name: string): string => {
    // What nobody describes may be a secret.
    if (known[name]?.sensitive !== false) return "(sensitive value)";
    const value = attributes[name] ?? null;
    return isKnown(value) ? code(cut(textOf(value))) : "(known after apply)";
  };
  if (attribute !== undefined) return [`- ${code(address)}: ${shown(attribute)}`];
  const names = Object.keys(attributes).filter((name) => attributes[name] !== null);
  return [`- ${code(address)}`, ...names.map((name) => `  - ${escaped(name)}: ${shown(name)}`)];
}

function textOf(value: Value): string {
  return typeof value === "string" ? value : stringifyJson(value);
}

function cut(text: string): string {
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text;
}

/** What an editor would take for its own marks is shown as it is. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#]/g, String.raw`\$&`);
}

function code(text: string): string {
  const plain = text.replaceAll(/\s+/g, " ");
  return plain.includes("`") ? `\`\` ${plain} \`\`` : `\`${plain}\``;
}
