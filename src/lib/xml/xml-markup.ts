/**
 * A pass over the markup of an XML document that finds what the package lets through: several
 * roots, text around the root, `<` and loose `&` in values, unknown references, `]]>` in text,
 * DOCTYPE, characters that are not permitted, too much nesting. It builds nothing. Internal to the
 * XML layer.
 */

import { badReferenceAt, characterName, forbiddenCharacter, ncNameSource } from "./xml-text.ts";

export type MarkupLimits = {
  /** Open elements at any place. */
  readonly depth: number;
  readonly elements: number;
};

export type MarkupFlaw = { readonly offset: number; readonly cause: string };

const qName = `${ncNameSource}(?::${ncNameSource})?`;
const startName = new RegExp(`<(${qName})`, "uy");
const endTag = new RegExp(`</(${qName})[ \\t\\n]*>`, "uy");
const attribute = new RegExp(`[ \\t\\n]+(${qName})[ \\t\\n]*=[ \\t\\n]*("[^"]*"|'[^']*')`, "uy");
const tagEnd = /[ \t\n]*(\/?)>/y;
const blank = /^[ \t\n]*$/;
const declaration = /<\?xml[ \t\n]/y;
const instruction = new RegExp(`<\\?${ncNameSource}(?:[ \\t\\n]|\\?>)`, "uy");

/** Names that the package refuses to hold, since they mean something to the language. */
const reserved: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

type Pass = {
  readonly text: string;
  readonly limits: MarkupLimits;
  at: number;
  /** Names of the open elements. */
  readonly open: string[];
  elements: number;
  rootEnded: boolean;
};

class Flaw extends Error {
  readonly flaw: MarkupFlaw;

  constructor(offset: number, cause: string) {
    super(cause);
    this.flaw = { offset, cause };
  }
}

/**
 * The first flaw of a document whose line ends are `\n` alone, if it has one. Does not compare the
 * names of one element's attributes.
 */
export function findFlaw(text: string, limits: MarkupLimits): MarkupFlaw | undefined {
  const forbidden = forbiddenCharacter.exec(text);
  if (forbidden !== null) {
    const cause = `the character ${characterName(forbidden[0])} is not permitted`;
    return { offset: forbidden.index, cause };
  }
  try {
    checkMarkup({ text, limits, at: 0, open: [], elements: 0, rootEnded: false });
    return undefined;
  } catch (error) {
    if (error instanceof Flaw) return error.flaw;
    throw error;
  }
}

function checkMarkup(pass: Pass): void {
  const { text } = pass;
  while (pass.at < text.length) {
    const next = text.indexOf("<", pass.at);
    const end = next === -1 ? text.length : next;
    checkText(pass, pass.at, end);
    pass.at = end;
    if (next !== -1) checkTag(pass);
  }
  const inner = pass.open.at(-1);
  if (inner !== undefined) throw new Flaw(text.length, `the document ends inside <${inner}>`);
  if (!pass.rootEnded) throw new Flaw(text.length, "there is no element");
}

function checkText(pass: Pass, start: number, end: number): void {
  if (start === end) return;
  const piece = pass.text.slice(start, end);
  if (pass.open.length === 0) {
    if (!blank.test(piece)) throw new Flaw(start, "text stands outside the root element");
    return;
  }
  const close = piece.indexOf("]]>");
  if (close !== -1) throw new Flaw(start + close, "]]> stands in text");
  checkReferences(piece, start);
}

function checkReferences(piece: string, start: number): void {
  const bad = badReferenceAt(piece);
  if (bad === undefined) return;
  const [numeric] = /^&#(?:\d+|x[\da-fA-F]+);/.exec(piece.slice(bad, bad + 12)) ?? [];
  const cause =
    numeric === undefined
      ? "& begins no numeric or predefined reference"
      : `${numeric} names no character that XML may carry`;
  throw new Flaw(start + bad, cause);
}

function checkTag(pass: Pass): void {
  const { text, at } = pass;
  if (text.startsWith("<!--", at)) {
    const end = closing(pass, "--", 4, "a comment is not closed");
    if (text[end] !== ">") throw new Flaw(end - 2, "-- stands in a comment");
    pass.at = end + 1;
  } else if (text.startsWith("<![CDATA[", at)) {
    if (pass.open.length === 0) throw new Flaw(at, "CDATA stands outside the root element");
    pass.at = closing(pass, "]]>", 9, "CDATA is not closed");
  } else if (text.startsWith("<!", at)) {
    const isDocType = text.slice(at, at + 9).toUpperCase() === "<!DOCTYPE";
    throw new Flaw(at, isDocType ? "a DOCTYPE is not accepted" : "not a tag");
  } else if (text.startsWith("<?", at)) {
    checkInstruction(pass);
  } else if (text.startsWith("</", at)) {
    checkEndTag(pass);
  } else {
    checkStartTag(pass);
  }
}

/** Offset behind the next `mark`. */
function closing(pass: Pass, mark: string, skip: number, cause: string): number {
  const found = pass.text.indexOf(mark, pass.at + skip);
  if (found === -1) throw new Flaw(pass.at, cause);
  return found + mark.length;
}

function checkInstruction(pass: Pass): void {
  const { text, at } = pass;
  declaration.lastIndex = at;
  const isDeclaration = declaration.test(text);
  instruction.lastIndex = at;
  if (!isDeclaration && (!instruction.test(text) || /^<\?xml\b/i.test(text.slice(at, at + 6)))) {
    throw new Flaw(at, "not a processing instruction");
  }
  if (isDeclaration && at > 0) throw new Flaw(at, "an XML declaration stands inside the document");
  pass.at = closing(pass, "?>", 2, "a processing instruction is not closed");
}

function checkEndTag(pass: Pass): void {
  const { text, at, open } = pass;
  endTag.lastIndex = at;
  const name = endTag.exec(text)?.[1];
  const expected = open.pop();
  if (name === undefined || expected === undefined) throw new Flaw(at, "not an end tag");
  if (name !== expected) throw new Flaw(at, `<${expected}> is open, and </${name}> closes another`);
  pass.at = endTag.lastIndex;
  pass.rootEnded = open.length === 0;
}

function checkStartTag(pass: Pass): void {
  const { text, at, limits } = pass;
  startName.lastIndex = at;
  const name = startName.exec(text)?.[1];
  if (name === undefined) throw new Flaw(at, "not a tag");
  if (pass.rootEnded) throw new Flaw(at, "there is a second root element");
  checkName(name, at);
  let end = startName.lastIndex;
  for (;;) {
    attribute.lastIndex = end;
    const match = attribute.exec(text);
    if (match === null) break;
    const [, attributeName = "", quoted = ""] = match;
    const valueAt = attribute.lastIndex - quoted.length;
    checkName(attributeName, end);
    const less = quoted.indexOf("<");
    if (less !== -1) throw new Flaw(valueAt + less, "< stands in an attribute's value");
    checkReferences(quoted, valueAt);
    end = attribute.lastIndex;
  }
  tagEnd.lastIndex = end;
  const close = tagEnd.exec(text);
  if (close === null) throw new Flaw(at, `the tag <${name}> is not well-formed`);
  pass.elements += 1;
  if (pass.elements > limits.elements) {
    throw new Flaw(at, `there are more than ${limits.elements} elements`);
  }
  if (pass.open.length >= limits.depth) {
    throw new Flaw(at, `elements are nested more than ${limits.depth} deep`);
  }
  if (close[1] === "/") pass.rootEnded = pass.open.length === 0;
  else pass.open.push(name);
  pass.at = tagEnd.lastIndex;
}

function checkName(name: string, offset: number): void {
  if (reserved.has(name)) throw new Flaw(offset, `the name ${name} is not accepted`);
}
