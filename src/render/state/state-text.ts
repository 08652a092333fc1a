/** Recorded state for people: the list of addresses, and one object in full. */

import { clockText } from "../../lib/time/clock-text.ts";
import { endpointText } from "../../model/recorded/endpoint.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import type { Attributes } from "../../model/value/value.ts";
import type { RenderOptions } from "../text/render-options.ts";
import { escapeControls } from "../text/safe-text.ts";
import { joinSections, renderLines, type StyledLine, textLine } from "../text/styled-line.ts";
import { isSensitive } from "../text/value/sensitivity.ts";
import { namedValueLines } from "../text/value/value-lines.ts";
import { inlineValue } from "../text/value/value-text.ts";

export type StateTextOptions = RenderOptions & { readonly types: SchemaRegistry };

/**
 * One address per line and nothing else, so that it can be piped; each once, in state's order.
 * Where objects of a type are at several endpoints, a tab and the endpoint follow.
 */
export function stateListText({ objects }: RecordedState): string {
  const endpoints = new Map<string, Set<string>>();
  for (const object of objects) {
    endpoints.set(object.type, (endpoints.get(object.type) ?? new Set()).add(placeOf(object)));
  }
  const lines = objects.map((object) => {
    const several = (endpoints.get(object.type)?.size ?? 0) > 1;
    const parts = several ? [object.address, placeOf(object)] : [object.address];
    return parts.map((part) => escapeControls(part)).join("\t");
  });
  return [...new Set(lines)].join("\n");
}

function placeOf({ provider, endpoint }: RecordedObject): string {
  return endpoint === undefined ? provider : endpointText(endpoint);
}

/** Every object recorded under the address, or undefined when there is none. */
export function stateShowText(
  state: RecordedState,
  address: Address,
  options: StateTextOptions,
): string | undefined {
  const objects = state.objects.filter((object) => object.address === address);
  if (objects.length === 0) return undefined;
  const sections = objects.map((object) => objectLines(object, state, options.types));
  return renderLines(joinSections(sections), options);
}

function objectLines(
  object: RecordedObject,
  state: RecordedState,
  types: SchemaRegistry,
): StyledLine[] {
  const key = object.objectKey === "current" ? "" : ` (${object.objectKey})`;
  const lines = [textLine(`# ${object.address}${key}:`, "strong")];
  const add = (name: string, text: string): void => {
    lines.push(textLine(`${name}: ${text}`));
  };
  add("type", object.type);
  add("provider", object.provider);
  add("identity", inlineValue(object.identity));
  if (object.endpoint !== undefined) add("endpoint", endpointText(object.endpoint));
  add("status", statusText(object));
  const restore = state.restores.find((open) => open.address === object.address);
  if (restore !== undefined && object.objectKey === "current") {
    add("restore", `${restore.power} # power an earlier run still owes`);
  }
  for (const begin of state.open) {
    if (begin.subject.address === object.address && begin.subject.objectKey === object.objectKey) {
      add("open operation", `${begin.id} # begun ${clockText(begin.atMs)}`);
    }
  }
  if (object.container !== undefined) {
    add("container", `${object.container.type} ${inlineValue(object.container.identity)}`);
  }
  if (object.dependencies.length > 0) add("dependencies", object.dependencies.join(", "));
  lines.push(...attributeSection("applied", object.applied, object.type, types));
  lines.push(...attributeSection("attributes", object.attributes, object.type, types));
  return lines;
}

function statusText(object: RecordedObject): string {
  if (object.status === "ready") return "ready";
  const until =
    object.tentativeUntilMs === undefined
      ? ""
      : `, kept until ${clockText(object.tentativeUntilMs)}`;
  return `tentative # a create that was not seen to take effect${until}`;
}

function attributeSection(
  title: string,
  attributes: Attributes | null,
  type: string,
  types: SchemaRegistry,
): StyledLine[] {
  if (attributes === null) return [textLine(`${title}: none # imported, never applied`)];
  const set = Object.entries(attributes).filter(([, value]) => value !== null);
  if (set.length === 0) return [textLine(`${title}: {}`)];
  const lines = set.flatMap(([name, value]) =>
    namedValueLines(name, value, { indent: 2, sensitive: isSensitive(types, type, name) }),
  );
  return [textLine(`${title}:`), ...lines];
}
