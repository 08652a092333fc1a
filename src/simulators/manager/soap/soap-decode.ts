/**
 * Request parameters as data, read strictly: members in the order of the schema, nothing unknown,
 * nothing required missing, values of their types (wire facts D.3: real servers are strict).
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import { attributeOf, textOf } from "../../../lib/xml/xml.ts";
import type { ManagerFault } from "./fault.ts";
import { invalidRequest, isFault, notSupported } from "./fault.ts";
import type { DataObject, SoapValue } from "./soap-value.ts";
import type { WsdlMember } from "./wsdl.ts";
import { isKindOf, isTextual, membersOf, wsdlType } from "./wsdl.ts";

export const vimNamespace = "urn:vim25";
export const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance";

/** Where a value stands, for messages: the type it is part of. */
type Place = { readonly version: string; readonly of: string };

/**
 * The children of an element as members. Refused with `InvalidRequest`: another order, unknown or
 * missing members, values of other types. `NotSupported`: members that are not simulated.
 */
export function decodeMembers(
  element: XmlElement,
  members: readonly WsdlMember[],
  place: Place,
): { readonly [name: string]: SoapValue } | ManagerFault {
  const children = elementsOf(element);
  if (children === undefined) return invalidRequest(`Unexpected text in ${place.of}`);
  const values: { [name: string]: SoapValue } = {};
  let next = 0;
  for (const member of members) {
    const found: SoapValue[] = [];
    for (let child = children[next]; child !== undefined; child = children[next]) {
      if (child.local !== member.name || child.namespace !== vimNamespace) break;
      const value = decodeValue(child, member, place);
      if (typeof value === "object" && isFault(value)) return value;
      found.push(value);
      next += 1;
      if (member.card !== "many") break;
    }
    const [first] = found;
    if (member.card === "many") values[member.name] = found;
    else if (first !== undefined) values[member.name] = first;
    else if (member.card === "one") return missing(member.name, place, children[next]);
  }
  const left = children[next];
  return left === undefined ? values : unexpected(left, place);
}

function missing(name: string, place: Place, seen: XmlElement | undefined): ManagerFault {
  if (seen !== undefined) return unexpected(seen, place);
  return invalidRequest(
    `Required property ${name} is missing from data object of type ${place.of}`,
  );
}

function unexpected(element: XmlElement, { of }: Place): ManagerFault {
  const tag = JSON.stringify(element.local);
  return invalidRequest(`Unexpected element tag ${tag} seen, while parsing ${of}`);
}

function decodeValue(
  element: XmlElement,
  member: WsdlMember,
  { version, of }: Place,
): SoapValue | ManagerFault {
  if (member.isReference) return decodeReference(element, member, of);
  if (isTextual(member.type)) {
    const text = textOf(element);
    if (element.children.some((child) => typeof child !== "string")) {
      return invalidRequest(`A value is expected in ${member.name} of ${of}`);
    }
    return (
      simpleValue(text, member.type) ??
      invalidRequest(`"${text}" is no ${member.type}, while parsing ${member.name} of ${of}`)
    );
  }
  const type = typeOf(element) ?? member.type;
  const found = wsdlType(type);
  if (found === undefined) return notSupported(`${member.name} (${type}) is not simulated.`);
  if (!isKindOf(type, member.type)) {
    return invalidRequest(`Type ${type} is no ${member.type}, while parsing ${of}`);
  }
  const members = decodeMembers(element, membersOf(type, version), { version, of: type });
  if (isFault(members)) return members;
  const object: DataObject = { ...members, is: type };
  return object;
}

function decodeReference(
  element: XmlElement,
  member: WsdlMember,
  of: string,
): SoapValue | ManagerFault {
  const ref = attributeOf(element, "type");
  const id = textOf(element).trim();
  if (ref === undefined || id === "") {
    return invalidRequest(`A reference is expected in ${member.name} of ${of}`);
  }
  const isFit = member.type === "ManagedObject" || isKindOf(ref, member.type);
  return isFit ? { ref, id } : invalidRequest(`${ref} is no ${member.type}, while parsing ${of}`);
}

/** Local part of `xsi:type`. */
function typeOf(element: XmlElement): string | undefined {
  const written = attributeOf(element, "type", schemaInstance);
  return written?.slice(written.indexOf(":") + 1).trim();
}

function simpleValue(text: string, type: string): SoapValue | undefined {
  switch (type) {
    case "boolean":
      if (/^\s*(true|1)\s*$/.test(text)) return true;
      return /^\s*(false|0)\s*$/.test(text) ? false : undefined;
    case "int":
    case "long":
    case "short":
    case "byte": {
      const number = Number(text);
      return /^\s*[+-]?\d+\s*$/.test(text) && Number.isSafeInteger(number) ? number : undefined;
    }
    case "dateTime":
      return Number.isNaN(Date.parse(text.trim())) ? undefined : text.trim();
    default:
      return text;
  }
}

/** Child elements; undefined when there is text besides white space. */
function elementsOf(element: XmlElement): readonly XmlElement[] | undefined {
  const elements: XmlElement[] = [];
  for (const child of element.children) {
    if (typeof child !== "string") elements.push(child);
    else if (child.trim() !== "") return undefined;
  }
  return elements;
}
