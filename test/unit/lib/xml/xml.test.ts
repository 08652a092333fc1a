/** The strict XML layer: what it reads, what it refuses and where, and that writing is the inverse. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { XmlElement } from "../../../../src/lib/xml/xml.ts";
import { attributeOf, childrenOf, textOf } from "../../../../src/lib/xml/xml.ts";
import { parseXml, XmlError } from "../../../../src/lib/xml/xml-reader.ts";
import { writeXml } from "../../../../src/lib/xml/xml-writer.ts";

function element(local: string, ...children: readonly (XmlElement | string)[]): XmlElement {
  return { namespace: "", local, attributes: [], children };
}

function errorOf(text: string, limits = {}): XmlError {
  try {
    parseXml(text, limits);
  } catch (error) {
    if (error instanceof XmlError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

describe("reading", () => {
  test.each<readonly [string, readonly (XmlElement | string)[]]>([
    ["<a/>", []],
    ["<a></a >", []],
    ["<a><!-- c --></a>", []],
    ["<a> 01 </a>", [" 01 "]],
    ["<a>x<!-- c -->y</a>", ["xy"]],
    ["<a> <b/> </a>", [" ", element("b"), " "]],
    ["<a><![CDATA[ x & <y> &amp; ]]></a>", [" x & <y> &amp; "]],
    ["<a>1\n<![CDATA[2]]>\n3</a>", ["1\n2\n3"]],
    ["<a>R&amp;D &#8211; &#x77;eb &#39;1&apos; &lt;&gt;&quot;</a>", ["R&D – web '1' <>\""]],
    ["<a>&amp;lt; &amp;#65; &#38;lt;</a>", ["&lt; &#65; &lt;"]],
    ["<a>a &gt; b > c</a>", ["a > b > c"]],
    ["<a>1\r\n2\r3&#13;</a>", ["1\n2\n3\r"]],
    ["<a><toString/><hasOwnProperty/></a>", [element("toString"), element("hasOwnProperty")]],
    ["\ufeff<?xml version='1.0'?>\n<!-- c --><?pi x?><a>é𝄞</a>\n<!-- c -->", ["é𝄞"]],
  ])("%s", (text, children) => {
    expect(parseXml(text)).toEqual(element("a", ...children));
  });

  test.each([
    ["0123", "0123"],
    ["10e5", "10e5"],
    ["0x1F", "0x1F"],
    ["true", "true"],
    ["1.10", "1.10"],
    ["123456789012345678", "123456789012345678"],
    ["", ""],
    ["  web1 ", "  web1 "],
    ["a\nb\tc", "a b c"],
    ["a&#10;b&#9;c", "a\nb\tc"],
    ["a > b &amp;lt; 'c'", "a > b &lt; 'c'"],
  ])("the attribute value %j is text", (written, value) => {
    expect(attributeOf(parseXml(`<a b = "${written}"/>`), "b")).toBe(value);
  });

  test.each([0, 1, 2, 3])("%i children are a list of as many", (count) => {
    const root = parseXml(`<r xmlns="u">${'<x n="1"/>'.repeat(count)}<y/></r>`);
    expect(childrenOf(root, "u", "x")).toHaveLength(count);
    expect(childrenOf(root, "", "x")).toEqual([]);
  });

  test("names are namespace and local name, whatever the prefix", () => {
    const forms = [
      '<Task xmlns="urn:t" xmlns:o="urn:o" status="x" o:href="1"><o:Link/>t</Task>',
      '<ns6:Task status="x" q:href="1" xmlns:q="urn:o" xmlns:ns6="urn:t"><q:Link/>t</ns6:Task>',
      '<Task xmlns="urn:t" status="x" xmlns:p="urn:o" p:href="1"><Link xmlns="urn:o"/>t</Task>',
    ].map((text) => parseXml(text));
    const [first = element("none")] = forms;
    for (const form of forms) expect(form).toEqual(first);
    expect(attributeOf(first, "href")).toBeUndefined();
    expect(attributeOf(first, "href", "urn:o")).toBe("1");
    expect(textOf(first)).toBe("t");
  });

  test("a default namespace can be taken back, and a prefix redeclared", () => {
    const root = parseXml('<a xmlns="u" xmlns:p="1"><b xmlns=""/><p:c xmlns:p="2"/><p:d/></a>');
    expect(root.children).toMatchObject([
      { namespace: "", local: "b" },
      { namespace: "2", local: "c" },
      { namespace: "1", local: "d" },
    ]);
  });

  test("xml:lang needs no declaration", () => {
    const xml = "http://www.w3.org/XML/1998/namespace";
    expect(attributeOf(parseXml('<a xml:lang="de"/>'), "lang", xml)).toBe("de");
  });
});

describe("refusing", () => {
  test.each([
    ["", "1:1", "no element"],
    ["  \n ", "2:2", "no element"],
    ["not xml", "1:1", "text stands outside"],
    ["<a>", "1:4", "ends inside <a>"],
    ["<a", "1:1", "not well-formed"],
    ["<a></b>", "1:4", "<a> is open"],
    ["<a>\n <b>\n</a>\n</b>", "3:1", "<b> is open"],
    ["</a>", "1:1", "not an end tag"],
    ["<a/><b/>", "1:5", "second root"],
    ["<a/>\nx", "1:5", "text stands outside"],
    ["<a/><![CDATA[x]]>", "1:5", "CDATA stands outside"],
    ["<a/><!", "1:5", "not a tag"],
    ['<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "1:1", "DOCTYPE"],
    ["<!doctype html>\n<html><body></body></html>", "1:1", "DOCTYPE"],
    ["<html><head><meta charset=utf-8></head></html>", "1:13", "not well-formed"],
    ["<html><br><p>x</p></html>", "1:19", "<br> is open"],
    ["<a>&x;</a>", "1:4", "& begins no"],
    ["<a>x & y</a>", "1:6", "& begins no"],
    ["<a>&nbsp;</a>", "1:4", "& begins no"],
    ["<a>&#0;</a>", "1:4", "&#0; names no character"],
    ["<a>&#xD800;</a>", "1:4", "&#xD800; names no character"],
    ["<a>&#x110000;</a>", "1:4", "&#x110000; names no character"],
    ["<a>&#1;</a>", "1:4", "&#1; names no character"],
    ['<a b="&"/>', "1:7", "& begins no"],
    ['<a b="x<y"/>', "1:8", "< stands in"],
    ["<a>]]></a>", "1:4", "]]> stands in text"],
    ["<a>\u0001</a>", "1:4", "U+0001"],
    ['<a b="\ud800"/>', "1:7", "U+D800"],
    ["<a><!-- x -- y --></a>", "1:11", "-- stands in a comment"],
    ["<a><!-- x", "1:4", "comment is not closed"],
    ["<a><![CDATA[ x", "1:4", "CDATA is not closed"],
    ["<a><?xml version='1.0'?></a>", "1:4", "XML declaration stands inside"],
    ["<a><?pi", "1:4", "not a processing instruction"],
    ['<a b="1" b="2"/>', "1:10", "repeated"],
    ['<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>', "1:1", "repeated"],
    ["<a b=1/>", "1:1", "not well-formed"],
    ["<a b/>", "1:1", "not well-formed"],
    ['<a b="1"c="2"/>', "1:1", "not well-formed"],
    ["<1a/>", "1:1", "not a tag"],
    ["<a:b:c xmlns:a='u'/>", "1:1", "not well-formed"],
    ["<p:a/>", "1:1", "prefix p is not declared"],
    ['<a>\n  <b p:c="1"/></a>', "2:3", "prefix p is not declared"],
    ['<a xmlns:p=""/>', "1:1", "empty namespace"],
    ['<a xmlns:xml="u"/>', "1:1", "reserved namespace"],
    ['<a xmlns:xmlns="u"/>', "1:1", "reserved namespace"],
    ["<a><__proto__/></a>", "1:4", "name __proto__"],
    ['<a constructor="1"/>', "1:3", "name constructor"],
  ])("%j at %s: %s", (text, place, cause) => {
    const error = errorOf(text);
    expect(`${error.line}:${error.column}`).toBe(place);
    expect(error.message).toContain(`${place}: `);
    expect(error.message).toContain(cause);
  });

  test("limits of size, depth and number", () => {
    const deep = `${"<a>".repeat(5)}${"</a>".repeat(5)}`;
    expect(() => parseXml(deep, { depth: 5 })).not.toThrow();
    expect(errorOf(deep, { depth: 4 }).message).toMatch(/^1:13: .* more than 4 deep/);
    const many = `<r>${"<a/>".repeat(9)}</r>`;
    expect(() => parseXml(many, { elements: 10 })).not.toThrow();
    expect(errorOf(many, { elements: 9 }).message).toContain("more than 9 elements");
    expect(() => parseXml("<a>12345</a>", { size: 12 })).not.toThrow();
    expect(errorOf("<a>12345</a>", { size: 11 }).message).toContain("at most 11");
    expect(errorOf("<a>".repeat(100_000)).message).toContain("more than 64 deep");
    const attributes = Array.from({ length: 20_000 }, (_, n) => ` a${n}="1"`).join("");
    expect(parseXml(`<r${attributes}/>`).attributes).toHaveLength(20_000);
  });

  test("an excerpt has at most 100 characters and no half of one", () => {
    expect(errorOf(`<a>&${"x".repeat(500)}</a>`).excerpt).toHaveLength(100);
    expect(errorOf(`<a>&${"x".repeat(98)}𝄞</a>`).excerpt).toBe(`&${"x".repeat(98)}`);
    expect(errorOf(`<a>𝄞&</a>`).column).toBe(5);
  });
});

describe("writing", () => {
  test("declares what it uses", () => {
    const inner = { namespace: "urn:b", local: "B", attributes: [], children: ["<&>\r]]>"] };
    const root: XmlElement = {
      namespace: "urn:a",
      local: "A",
      attributes: [
        { namespace: "", local: "x", value: 'a"<\n' },
        { namespace: "urn:a", local: "y", value: "1" },
      ],
      children: [inner],
    };
    expect(writeXml(root)).toBe(
      '<A xmlns="urn:a" xmlns:ns1="urn:b" xmlns:ns2="urn:a" x="a&quot;&lt;&#10;" ns2:y="1">' +
        "<ns1:B>&lt;&amp;&gt;&#13;]]&gt;</ns1:B></A>",
    );
    expect(writeXml(root, { "urn:a": "cloud", "urn:b": "" })).toBe(
      '<cloud:A xmlns:cloud="urn:a" xmlns="urn:b" x="a&quot;&lt;&#10;" cloud:y="1">' +
        "<B>&lt;&amp;&gt;&#13;]]&gt;</B></cloud:A>",
    );
  });

  test.each<readonly [string, Partial<XmlElement>]>([
    ["a name with a space", { local: "a b" }],
    ["a name with a colon", { local: "a:b" }],
    ["a control character", { children: ["\u0000"] }],
    ["a lone surrogate", { attributes: [{ namespace: "", local: "b", value: "\udc00" }] }],
    ["an attribute xmlns", { attributes: [{ namespace: "", local: "xmlns", value: "u" }] }],
  ])("refuses %s", (_name, part) => {
    expect(() => writeXml({ ...element("a"), ...part })).toThrow(RangeError);
  });

  const local = fc.constantFrom("a", "b", "Vm", "x-1", "_", "é", "toString", "valueOf", "ns1");
  const namespace = fc.constantFrom("", "u", "urn:v", "http://x/?a=1&b=2");
  const text = fc
    .string({ unit: "binary", maxLength: 12 })
    .filter((each) => !/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(each));
  const spiced = fc.oneof(text, fc.constantFrom("&lt;", " ", "\r\n", "]]>", "<!--", "0123", '"'));
  const attribute = fc.record({ namespace, local, value: spiced });
  const tree = fc.letrec<{ element: XmlElement; child: XmlElement | string }>((tie) => ({
    child: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      spiced.filter((each) => each !== ""),
      tie("element"),
    ),
    element: fc.record({
      namespace,
      local,
      attributes: fc.uniqueArray(attribute, {
        maxLength: 4,
        selector: (each) => `${each.namespace} ${each.local}`,
      }),
      children: fc
        .array(tie("child"), { maxLength: 4 })
        .filter((all) =>
          all.every((each, n) => typeof each !== "string" || typeof all[n - 1] !== "string"),
        ),
    }),
  }));
  const prefixes = fc.dictionary(namespace, fc.constantFrom("", "p", "ns1"), { maxKeys: 1 });

  test("what is written is read back equal", () => {
    fc.assert(
      fc.property(tree.element, prefixes, (root, wanted) => {
        expect(parseXml(writeXml(root, wanted))).toEqual(root);
      }),
    );
  });
});
