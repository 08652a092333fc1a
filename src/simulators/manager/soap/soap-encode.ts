/** Values as XML text, by the schema: members in its order, `xsi:type` where types differ. */

import { escapeAttribute, escapeText } from "../../../lib/xml/xml-text.ts";
import type { DataObject, Reference, SoapValue } from "./soap-value.ts";
import { isList, isObject, isReference, textIn } from "./soap-value.ts";
import type { WsdlMember } from "./wsdl.ts";
import { isSchemaType, membersOf } from "./wsdl.ts";

/** What the writer must know: the version decides which members there are. */
export type EncodeOptions = { readonly version: string };

/** Type of an object that holds its element as text already, in `xml`. */
export const encodedType = "Encoded";

type MemberType = Pick<WsdlMember, "type" | "isReference">;

/** Elements of a member: none when undefined, several for a list. */
export function encodeMember(
  name: string,
  type: MemberType,
  value: SoapValue | undefined,
  options: EncodeOptions,
): string {
  if (value === undefined) return "";
  if (isList(value)) {
    return value.map((item) => encodeMember(name, type, item, options)).join("");
  }
  if (isReference(value)) {
    const any = type.type === "anyType" ? ' xsi:type="ManagedObjectReference"' : "";
    return referenceElement(name, value, any);
  }
  if (isObject(value)) {
    // Written before, where its type was known.
    if (value.is === encodedType) return textIn(value, "xml") ?? "";
    const declared = value.is === type.type ? "" : ` xsi:type="${value.is}"`;
    return encodeObject(name, value, declared, options);
  }
  return textElement(name, value, type.type === "anyType" ? simpleTypeOf(value) : "");
}

/**
 * A value of any type: with `xsi:type` always, and a list as one element of an array type, whose
 * items have the name of theirs.
 */
export function encodeAny(
  name: string,
  member: Pick<WsdlMember, "type" | "isReference" | "card">,
  value: SoapValue,
  options: EncodeOptions,
): string {
  const { type, isReference: isRef } = member;
  const item = isRef ? "ManagedObjectReference" : type;
  if (isList(value)) {
    const array = `ArrayOf${item[0]?.toUpperCase() ?? ""}${item.slice(1)}`;
    const items = value.map((each) =>
      encodeMember(item, { type, isReference: isRef }, each, options),
    );
    return `<${name} xsi:type="${array}">${items.join("")}</${name}>`;
  }
  if (isReference(value)) {
    return referenceElement(name, value, ' xsi:type="ManagedObjectReference"');
  }
  if (isObject(value)) return encodeObject(name, value, ` xsi:type="${value.is}"`, options);
  return textElement(name, value, ` xsi:type="${isSchemaType(type) ? "xsd:" : ""}${type}"`);
}

function encodeObject(
  name: string,
  object: DataObject,
  declared: string,
  options: EncodeOptions,
): string {
  if (object.is.startsWith("ArrayOf")) {
    const type = object.is.slice("ArrayOf".length);
    const items = encodeMember(type, { type, isReference: false }, object["items"], options);
    return `<${name}${declared}>${items}</${name}>`;
  }
  const members = membersOf(object.is, options.version).map((member) =>
    encodeMember(member.name, member, object[member.name], options),
  );
  return `<${name}${declared}>${members.join("")}</${name}>`;
}

function referenceElement(name: string, { ref, id }: Reference, declared: string): string {
  return `<${name} type="${escapeAttribute(ref)}"${declared}>${escapeText(id)}</${name}>`;
}

function textElement(name: string, value: string | number | boolean, declared: string): string {
  return `<${name}${declared}>${escapeText(String(value))}</${name}>`;
}

function simpleTypeOf(value: string | number | boolean): string {
  if (typeof value === "string") return ' xsi:type="xsd:string"';
  return typeof value === "boolean" ? ' xsi:type="xsd:boolean"' : ' xsi:type="xsd:int"';
}
