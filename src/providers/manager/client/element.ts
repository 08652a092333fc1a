/**
 * Elements of SOAP messages: made for requests, read from replies. Requests are strict: children
 * stand in the order of the service's own description, those of a base type first (wire facts D.3).
 */

import { attributeOf, childrenOf, textOf, type XmlElement } from "../../../lib/xml/xml.ts";
import { booleanOf } from "../../kit/narrow.ts";
import type { ManagedRef } from "./client.ts";

const vimNamespace = "urn:vim25";
export const instanceNamespace = "http://www.w3.org/2001/XMLSchema-instance";

type Children = XmlElement["children"];

/** An element of a request; with `type`, of one of several types that may stand there. */
export function node(local: string, children: Children = [], type?: string): XmlElement {
  return {
    namespace: vimNamespace,
    local,
    attributes:
      type === undefined ? [] : [{ namespace: instanceNamespace, local: "type", value: type }],
    children,
  };
}

export function textNode(local: string, value: string | number | bigint | boolean): XmlElement {
  const text = String(value);
  return node(local, text === "" ? [] : [text]);
}

/** A reference to a managed object: `<entity type="Folder">group-d1</entity>`. */
export function refNode(local: string, { type, id }: ManagedRef): XmlElement {
  return {
    namespace: vimNamespace,
    local,
    attributes: [{ namespace: "", local: "type", value: type }],
    children: [id],
  };
}

/** Children of a name, in the namespace of their parent. */
export function listIn(element: XmlElement | undefined, local: string): readonly XmlElement[] {
  return element === undefined ? [] : childrenOf(element, element.namespace, local);
}

/** The first child of a name. */
export function childIn(element: XmlElement | undefined, local: string): XmlElement | undefined {
  return listIn(element, local)[0];
}

/** Text of the first child of a name, trimmed; undefined where there is none. */
export function textIn(element: XmlElement | undefined, local: string): string | undefined {
  const child = childIn(element, local);
  return child === undefined ? undefined : textOf(child).trim();
}

/** The object that an element refers to; undefined for an element without type or id. */
export function refOf(element: XmlElement | undefined): ManagedRef | undefined {
  if (element === undefined) return undefined;
  const type = attributeOf(element, "type");
  const id = textOf(element).trim();
  return type === undefined || type === "" || id === "" ? undefined : { type, id };
}

/** Ids of the objects that a property lists. */
export function refsIn(value: XmlElement | undefined): readonly string[] {
  return listIn(value, "ManagedObjectReference").flatMap((element) => refOf(element)?.id ?? []);
}

/** Name of the type that an element says it has, without prefix. */
export function typeOf(element: XmlElement | undefined): string | undefined {
  const written = element && attributeOf(element, "type", instanceNamespace);
  return written?.slice(written.indexOf(":") + 1);
}

export function booleanIn(element: XmlElement | undefined): boolean | undefined {
  return element && booleanOf(textOf(element));
}

/** Milliseconds of a time with an offset, as all times of the server are. */
export function instantOf(text: string | undefined): number | undefined {
  const written = text?.trim() ?? "";
  if (!/^\d{4}-\d{2}-\d{2}T.+(Z|[+-]\d{2}:?\d{2})$/i.test(written)) return undefined;
  const ms = Date.parse(written);
  return Number.isNaN(ms) ? undefined : ms;
}
