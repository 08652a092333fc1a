/**
 * XML read strictly. Anything that is not a well-formed document with one root, declared prefixes
 * and without DOCTYPE is an error with its place, never an empty result.
 */

import { XMLParser, XMLValidator } from "fast-xml-parser";
import { indexText, placeAt } from "../text.ts";
import type { XmlAttribute, XmlElement } from "./xml.ts";
import { findFlaw } from "./xml-markup.ts";
import { decodeReferences } from "./xml-text.ts";

export type XmlLimits = {
  /** UTF-16 code units of the whole document; 16 Mi by default. */
  readonly size: number;
  /** Open elements at any place; 64 by default. */
  readonly depth: number;
  /** Elements of the whole document; 200,000 by default. */
  readonly elements: number;
};

const defaultLimits: XmlLimits = { size: 16 * 1024 * 1024, depth: 64, elements: 200_000 };

/** Characters of the document shown with an error. */
const excerptMax = 100;

/** A text that is not acceptable XML. */
export class XmlError extends Error {
  /** From 1. */
  readonly line: number;
  /** From 1, in Unicode code points. */
  readonly column: number;
  /** What stands there, at most 100 characters. */
  readonly excerpt: string;

  constructor(cause: string, place: Pick<XmlError, "line" | "column" | "excerpt">) {
    const near = place.excerpt === "" ? "" : `, at ${JSON.stringify(place.excerpt)}`;
    super(`${place.line}:${place.column}: ${cause}${near}`);
    this.name = "XmlError";
    this.line = place.line;
    this.column = place.column;
    this.excerpt = place.excerpt;
  }
}

/** The root element of a document. Throws `XmlError`. A byte order mark in front is skipped. */
export function parseXml(text: string, limits: Partial<XmlLimits> = {}): XmlElement {
  const all = { ...defaultLimits, ...limits };
  const size = text.length;
  if (size > all.size) {
    const cause = `the document has ${size} characters, at most ${all.size} are accepted`;
    throw new XmlError(cause, { line: 1, column: 1, excerpt: text.slice(0, excerptMax) });
  }
  // Line ends are `\n` to whoever reads XML (specification of XML, 2.11).
  const source = text.replace(/^\ufeff/, "").replaceAll(/\r\n?/g, "\n");
  const flaw = findFlaw(source, all);
  if (flaw !== undefined) throw errorAt(source, flaw.offset, flaw.cause);
  const validity = XMLValidator.validate(source);
  if (validity !== true) {
    const { msg, line, col } = validity.err;
    throw errorAt(source, offsetOf(source, line, col), msg);
  }
  const [root] = parseTree(source, all.depth).filter((node) => tagOf(node) !== undefined);
  if (root === undefined) throw errorAt(source, 0, "there is no element");
  return toElement({ source, node: root, scope: rootScope });
}

const attributesKey = ":@";
const textKey = "#text";
const cdataKey = "#cdata";

/** One node of the package's ordered tree: one key with the content, one with the attributes. */
type TreeNode = { readonly [key: string | symbol]: unknown };

function parseTree(source: string, depthMax: number): readonly TreeNode[] {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    cdataPropName: cdataKey,
    captureMetaData: true,
    maxNestedTags: depthMax + 1,
    onDangerousProperty: (name) => name,
  });
  return parser.parse(source) as readonly TreeNode[];
}

function tagOf(node: TreeNode): string | undefined {
  const key = Object.keys(node).find((each) => each !== attributesKey);
  return key === textKey ? undefined : key;
}

/** Prefix to namespace URI; "" is the default namespace. */
type Scope = ReadonlyMap<string, string>;

const xmlNamespace = "http://www.w3.org/XML/1998/namespace";
const xmlnsNamespace = "http://www.w3.org/2000/xmlns/";
const rootScope: Scope = new Map([["xml", xmlNamespace]]);

type Visit = { readonly source: string; readonly node: TreeNode; readonly scope: Scope };

/** The depth of the recursion is the document's, which has been limited before. */
function toElement(visit: Visit): XmlElement {
  const { source, node } = visit;
  const tag = tagOf(node) ?? "";
  const written = Object.entries((node[attributesKey] ?? {}) as { readonly [k: string]: string });
  const scope = scopeWith(visit, written);
  const names = new Set<string>();
  const attributes: XmlAttribute[] = [];
  for (const [name, value] of written) {
    if (name === "xmlns" || name.startsWith("xmlns:")) continue;
    const expanded = expand({ ...visit, scope }, name, true);
    const key = `${expanded.namespace} ${expanded.local}`;
    if (names.has(key)) throw flawOf(visit, `the attribute ${name} is repeated`);
    names.add(key);
    attributes.push({ ...expanded, value: attributeValue(value) });
  }
  const children: (XmlElement | string)[] = [];
  for (const child of node[tag] as readonly TreeNode[]) {
    const childTag = tagOf(child);
    if (childTag === undefined) pushText(children, decodeReferences(child[textKey] as string));
    else if (childTag === cdataKey) pushText(children, cdataText(child));
    else children.push(toElement({ source, node: child, scope }));
  }
  return { ...expand({ ...visit, scope }, tag, false), attributes, children };
}

/** Written line feeds and tabs count as spaces; references to them do not (XML, 3.3.3). */
function attributeValue(written: string): string {
  return decodeReferences(written.replaceAll(/[\n\t]/g, " "));
}

function cdataText(node: TreeNode): string {
  const parts = node[cdataKey] as readonly TreeNode[];
  return parts.map((part) => part[textKey] as string).join("");
}

function pushText(children: (XmlElement | string)[], text: string): void {
  if (text === "") return;
  const last = children.at(-1);
  if (typeof last === "string") children[children.length - 1] = last + text;
  else children.push(text);
}

function scopeWith(visit: Visit, written: readonly (readonly [string, string])[]): Scope {
  let scope = visit.scope;
  for (const [name, value] of written) {
    if (name !== "xmlns" && !name.startsWith("xmlns:")) continue;
    const prefix = name.slice("xmlns:".length);
    const uri = attributeValue(value);
    const isReserved =
      prefix === "xmlns" || uri === xmlnsNamespace || (prefix === "xml") !== (uri === xmlNamespace);
    if (isReserved) throw flawOf(visit, `${name} declares a reserved namespace`);
    if (prefix !== "" && uri === "") throw flawOf(visit, `${name} declares an empty namespace`);
    scope = new Map(scope).set(prefix, uri);
  }
  return scope;
}

function expand(
  visit: Visit,
  name: string,
  isAttribute: boolean,
): Pick<XmlElement, "namespace" | "local"> {
  const colon = name.indexOf(":");
  const prefix = colon === -1 ? "" : name.slice(0, colon);
  const local = name.slice(colon + 1);
  if (prefix === "") return { namespace: isAttribute ? "" : (visit.scope.get("") ?? ""), local };
  const namespace = visit.scope.get(prefix);
  if (namespace === undefined) throw flawOf(visit, `the prefix ${prefix} is not declared`);
  return { namespace, local };
}

function flawOf({ source, node }: Visit, cause: string): XmlError {
  const key = XMLParser.getMetaDataSymbol() as unknown as symbol;
  const start = node[key] as { readonly startIndex?: number } | undefined;
  return errorAt(source, start?.startIndex ?? 0, cause);
}

function errorAt(source: string, offset: number, cause: string): XmlError {
  const { line, column } = placeAt(indexText(source), offset);
  const excerpt = source.slice(offset, offset + excerptMax).replace(/[\ud800-\udbff]$/, "");
  return new XmlError(cause, { line, column, excerpt });
}

function offsetOf(source: string, line: number, column: number): number {
  const start = indexText(source).lineStarts[line - 1] ?? 0;
  return Math.min(start + Math.max(0, column - 1), source.length);
}
