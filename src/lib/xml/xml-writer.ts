/** XML as text: each prefix declared on the root, everything escaped; the inverse of `parseXml`. */

import type { XmlAttribute, XmlElement } from "./xml.ts";
import { escapeAttribute, escapeText, isNcName } from "./xml-text.ts";

const xmlNamespace = "http://www.w3.org/XML/1998/namespace";
const xmlnsNamespace = "http://www.w3.org/2000/xmlns/";

/** Wanted prefixes by namespace URI; "" makes a namespace the default one. */
export type XmlPrefixes = { readonly [namespace: string]: string };

type Names = {
  /** Prefix of elements by namespace URI. */
  readonly elements: ReadonlyMap<string, string>;
  /** Prefix of attributes: never "" for a namespace. */
  readonly attributes: ReadonlyMap<string, string>;
};

/**
 * The document of a root element, without XML declaration. The root's namespace is the default one
 * unless `prefixes` says otherwise; other namespaces are `ns1`, `ns2` … in order of first use.
 * Throws `RangeError` for names that are no names and for characters that XML cannot carry.
 */
export function writeXml(root: XmlElement, prefixes: XmlPrefixes = {}): string {
  const names = namesOf(root, prefixes);
  const declarations = [...names.elements, ...names.attributes]
    .filter(([namespace, prefix]) => namespace !== "" && prefix !== "xml")
    .map(([namespace, prefix]) => {
      const name = prefix === "" ? "xmlns" : `xmlns:${prefix}`;
      return ` ${name}="${escapeAttribute(namespace)}"`;
    });
  return writeElement(root, names, [...new Set(declarations)].join(""));
}

function namesOf(root: XmlElement, wanted: XmlPrefixes): Names {
  const used = { elements: new Set<string>(), attributes: new Set<string>() };
  collect(root, used);
  const taken = new Set(["xml", "xmlns", ...Object.values(wanted)]);
  let count = 0;
  const next = (): string => {
    do count += 1;
    while (taken.has(`ns${count}`));
    return `ns${count}`;
  };
  // An element in no namespace cannot be written where a default namespace holds.
  const mayDefault = !used.elements.has("");
  let isDefaultTaken = false;
  const elements = new Map<string, string>();
  for (const namespace of used.elements) {
    const given = prefixOf(wanted, namespace);
    const wish = given ?? (namespace === root.namespace ? "" : undefined);
    const isDefault = wish === "" && mayDefault && !isDefaultTaken;
    if (isDefault) isDefaultTaken = true;
    elements.set(namespace, isDefault || namespace === "" ? "" : wish || next());
  }
  const attributes = new Map<string, string>();
  for (const namespace of used.attributes) {
    if (namespace === "") continue;
    const same = elements.get(namespace) || prefixOf(wanted, namespace);
    attributes.set(namespace, same || next());
  }
  return { elements, attributes };
}

function prefixOf(wanted: XmlPrefixes, namespace: string): string | undefined {
  if (namespace === xmlNamespace) return "xml";
  const prefix = Object.hasOwn(wanted, namespace) ? wanted[namespace] : undefined;
  if (prefix !== undefined && prefix !== "" && !isNcName(prefix)) {
    throw new RangeError(`${JSON.stringify(prefix)} is no prefix`);
  }
  return prefix;
}

function collect(
  element: XmlElement,
  used: { readonly elements: Set<string>; readonly attributes: Set<string> },
): void {
  used.elements.add(element.namespace);
  for (const { namespace } of element.attributes) used.attributes.add(namespace);
  for (const child of element.children) if (typeof child !== "string") collect(child, used);
}

function writeElement(element: XmlElement, names: Names, declarations: string): string {
  const name = qualified(element, names.elements);
  const attributes = element.attributes.map(
    (each) => ` ${attributeName(each, names)}="${escapeAttribute(each.value)}"`,
  );
  const head = `<${name}${declarations}${attributes.join("")}`;
  if (element.children.length === 0) return `${head}/>`;
  const children = element.children.map((child) =>
    typeof child === "string" ? escapeText(child) : writeElement(child, names, ""),
  );
  return `${head}>${children.join("")}</${name}>`;
}

function attributeName(attribute: XmlAttribute, names: Names): string {
  if (attribute.namespace === "" && attribute.local === "xmlns") {
    throw new RangeError("xmlns is no attribute of its own: prefixes are declared by the writer");
  }
  return qualified(attribute, names.attributes);
}

function qualified(
  { namespace, local }: Pick<XmlElement, "namespace" | "local">,
  prefixes: ReadonlyMap<string, string>,
): string {
  if (!isNcName(local)) throw new RangeError(`${JSON.stringify(local)} is no XML name`);
  if (namespace === xmlnsNamespace) throw new RangeError("the namespace of xmlns is reserved");
  const prefix = prefixes.get(namespace) ?? "";
  return prefix === "" ? local : `${prefix}:${local}`;
}
