/**
 * Pages of the object browser: the form of a method, and the page that tells what became of it.
 * They are made for people and differ between builds, so they are read by what they say, not by
 * where it stands (wire facts D.1). Pure.
 */

import { type DefaultTreeAdapterTypes, parse, defaultTreeAdapter as tree } from "parse5";
import { excerpt } from "../../../http/reply.ts";
import type { SoapFault } from "../client/client.ts";
import { nonceField } from "./browser-request.ts";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** What the page of a method offers. */
export type MethodPage =
  | { readonly kind: "form"; readonly nonce: string }
  /** A form that asks who one is, instead of the browser. */
  | { readonly kind: "login" }
  | { readonly kind: "fault"; readonly fault: SoapFault }
  /** A page without the hidden field that every form of the browser has. */
  | { readonly kind: "other"; readonly words: string };

/** What the page after the form was sent tells. */
export type ResultPage =
  | { readonly kind: "task"; readonly task: string }
  /** It ended with something that is no task, such as `void`. */
  | { readonly kind: "value"; readonly type: string }
  | { readonly kind: "fault"; readonly fault: SoapFault }
  /** The form was not taken for one of the browser's own. */
  | { readonly kind: "forgery"; readonly words: string }
  | { readonly kind: "login" }
  | { readonly kind: "other"; readonly words: string };

/** What is shown of a property: its type as the page writes it, and its value as text. */
type Row = { readonly name: string; readonly type: string; readonly value: string };

const resultWords = /method\s+invocation\s+result\s*:?\s*/i;
/** `void`, `ServiceContent`, `ManagedObjectReference:Task`, `vim.fault.NoPermission`. */
const typeWord = /^[a-z][\w.]*(?::[a-z][\w.]*)?/i;
const taskId = /^[\w.-]+$/;

export function readMethodPage(html: string): MethodPage {
  const page = readPage(html);
  const nonce = page.inputs.find((input) => attribute(input, "name") === nonceField);
  const value = nonce === undefined ? undefined : attribute(nonce, "value")?.trim();
  if (value !== undefined && value !== "") return { kind: "form", nonce: value };
  if (asksForLogin(page)) return { kind: "login" };
  const fault = faultOf(page, undefined);
  return fault === undefined
    ? { kind: "other", words: excerpt(page.text) }
    : { kind: "fault", fault };
}

/**
 * Success is the literal with the type of a task and a link to it. A fault may stand in a page of
 * status 200, with the literal or without it.
 */
export function readResultPage(html: string): ResultPage {
  const page = readPage(html);
  const literal = resultWords.exec(page.text);
  const words = excerpt(page.text);
  if (literal === null) {
    const fault = faultOf(page, undefined);
    if (fault !== undefined) return { kind: "fault", fault };
    if (/csrf|cross[\s-]?site|session[\s-]?nonce/i.test(page.text)) {
      return { kind: "forgery", words };
    }
    return asksForLogin(page) ? { kind: "login" } : { kind: "other", words };
  }
  const from = literal.index + literal[0].length;
  const type = typeWord.exec(page.text.slice(from))?.[0] ?? "";
  if (/(^|[:.])Task$/.test(type)) {
    const task = taskAfter(page, from);
    return task === undefined ? { kind: "other", words } : { kind: "task", task };
  }
  const fault = faultOf(page, type);
  if (fault !== undefined) return { kind: "fault", fault };
  return type === "" ? { kind: "other", words } : { kind: "value", type };
}

type Page = {
  /** All that is shown, with spaces between blocks. */
  readonly text: string;
  /** Links with the place in the text where they begin. */
  readonly links: readonly { readonly at: number; readonly href: string; readonly text: string }[];
  readonly inputs: readonly Element[];
  readonly rows: readonly Row[];
};

/** Elements around which no space is meant. */
const inline = new Set(["a", "b", "code", "em", "font", "i", "small", "span", "strong", "tt", "u"]);
/** Elements whose content is not shown. */
const hidden = new Set(["head", "script", "style", "template", "textarea"]);

function readPage(html: string): Page {
  const parts: string[] = [];
  let length = 0;
  const links: Page["links"][number][] = [];
  const inputs: Element[] = [];
  const rows: Row[] = [];
  const add = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  // Not by recursion: pages nest as deep as they like.
  const stack: (Node | string)[] = [parse(html)];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === "string") add(node);
    else if (tree.isTextNode(node)) add(node.value);
    else if (!tree.isElementNode(node)) {
      if ("childNodes" in node) stack.push(...node.childNodes.toReversed());
    } else if (!hidden.has(node.tagName)) {
      const href = node.tagName === "a" ? attribute(node, "href") : undefined;
      if (href !== undefined) links.push({ at: length, href, text: textOf(node) });
      if (node.tagName === "input") inputs.push(node);
      if (node.tagName === "tr") rows.push(...rowOf(node));
      const space = inline.has(node.tagName) ? [] : [" "];
      stack.push(...space, ...node.childNodes.toReversed(), ...space);
    }
  }
  return { text: parts.join(""), links, inputs, rows };
}

/** A property stands in three cells; a table within a cell has rows of its own. */
function rowOf(row: Element): readonly Row[] {
  const [name, type, value] = row.childNodes
    .filter((cell) => tree.isElementNode(cell))
    .map((cell) => textOf(cell));
  if (name === undefined || type === undefined || value === undefined) return [];
  if (/^name type value$/i.test(`${name} ${type} ${value}`)) return [];
  return [{ name, type, value: value.replace(/^"([^]*)"$/, "$1") }];
}

function textOf(element: Element): string {
  const parts: string[] = [];
  const stack: Node[] = [element];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (tree.isTextNode(node)) parts.push(node.value);
    else if ("childNodes" in node) stack.push(...node.childNodes.toReversed());
  }
  return parts.join("").replaceAll(/\s+/g, " ").trim();
}

function attribute({ attrs }: Element, name: string): string | undefined {
  return attrs.find((each) => each.name === name)?.value;
}

function asksForLogin({ inputs }: Page): boolean {
  return inputs.some((input) => attribute(input, "type")?.toLowerCase() === "password");
}

/** The first link after the literal that names an object; its hyphens may be written as `%2d`. */
function taskAfter({ links, text }: Page, from: number): string | undefined {
  for (const { at, href } of links) {
    if (at < from) continue;
    const query = href.slice(href.indexOf("?") + 1);
    const id = new URLSearchParams(query).get("moid") ?? "";
    if (taskId.test(id)) return id;
  }
  return /\b(?:task|haTask)-[\w.-]*\w/.exec(text.slice(from))?.[0];
}

/** Rows that every fault has, and no other object. */
const faultRows = new Set(["faultcause", "faultmessage", "localizedmessage"]);
const unset = new Set(["", "unset", "null"]);

/** A field that one fault alone has names the fault where the page does not. */
const typesByField: readonly (readonly [field: string, type: string])[] = [
  ["task", "TaskInProgress"],
  ["privilegeid", "NoPermission"],
  ["requestedstate", "InvalidPowerState"],
  ["diskid", "ShrinkDiskFault"],
  ["obj", "ManagedObjectNotFound"],
];

/**
 * A fault is a table like that of any other object. Its type is the one of the result, or stands in
 * a row or a heading.
 */
function faultOf({ rows, text }: Page, type: string | undefined): SoapFault | undefined {
  const isFault =
    rows.some(({ name }) => faultRows.has(name.toLowerCase())) || (type ?? "").endsWith("Fault");
  if (!isFault) return undefined;
  const row = (name: string): Row | undefined =>
    rows.find((each) => each.name.toLowerCase() === name && !unset.has(each.value.toLowerCase()));
  const named = /\bfault\s*:\s*([a-z][\w.:]*)/i.exec(text)?.[1];
  const field = typesByField.find(([name]) => row(name) !== undefined)?.[1];
  const written = [type, row("fault")?.type, named, field].find((each) => (each ?? "") !== "");
  const told = ["localizedmessage", "msg", "reason", "faultmessage"].flatMap(
    (name) => row(name)?.value ?? [],
  );
  const fields = ["privilegeid", "requestedstate", "existingstate", "diskid", "obj", "name"]
    .flatMap((name) => row(name) ?? [])
    .map(({ name, value }) => `${name} ${value}`);
  const message = [...new Set(told)].join(" ");
  return {
    type: (written ?? "").replace(/^.*[.:]/, ""),
    message: excerpt(fields.length === 0 ? message : `${message} (${fields.join(", ")})`),
  };
}
