/** The page of a drift report: what it may hold, how long it may be, what it may never run. */

import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { type DefaultTreeAdapterMap, parse } from "parse5";
import { describe, expect, test } from "vitest";
import { driftPage } from "../../../src/render/html/drift-page.ts";
import { onlyInLongRun } from "../../helpers/amount.ts";
import { driftReport, driftReports, found, type Sample } from "./drift-samples.ts";

type Node = DefaultTreeAdapterMap["node"];
type Element = DefaultTreeAdapterMap["element"];

const canaries = [
  "</script><img src=x onerror=alert(1)>",
  "\"'><svg/onload=alert(1)>",
  "javascript:alert(1)",
  "</style><b>",
  "<!--",
  "a\u202eb\u0000",
];

function elementsOf(html: string): readonly Element[] {
  const elements: Element[] = [];
  const waiting: Node[] = [parse(html)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ("tagName" in node) elements.push(node);
    if ("childNodes" in node) waiting.push(...node.childNodes);
  }
  return elements;
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((item) => item.name === name)?.value;
}

function textOf(element: Element): string {
  return element.childNodes.map((node) => ("value" in node ? node.value : "")).join("");
}

function many(count: number, differing: (index: number) => boolean): Sample {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const hash = createHash("md5").update(String(index)).digest("hex");
      const observed = differing(index) ? `tag-${hash}` : "t";
      const sample = {
        object: { identity: hash, attributes: { tag: "t", power_state: "on" } },
        observation: found({ tag: observed, power_state: "on" }),
        desired: { tag: "t" },
      };
      return [`daemon_vm.machine["site-${index % 7}-host-${index}"]`, sample];
    }),
  );
}

/** As the script unpacks them: address first, verdict fourth. */
function packedOf(html: string): readonly (readonly unknown[])[] {
  const element = elementsOf(html).find((item) => attribute(item, "id") === "packed");
  if (element === undefined) return [];
  const text = gunzipSync(Buffer.from(textOf(element), "base64")).toString();
  const columns = JSON.parse(text) as readonly (readonly unknown[])[];
  return (columns[0] ?? []).map((_, row) => columns.map((column) => column[row]));
}

function rowsOf(html: string): readonly Element[] {
  return elementsOf(html).filter((item) => attribute(item, "data-verdict") !== undefined);
}

describe.each(Object.entries(driftReports))("page of %s", (_name, report) => {
  const html = driftPage(report, "1.2.3");
  const elements = elementsOf(html);

  test("asks nobody for anything, and runs what its policy names by hash alone", () => {
    const policy = elements.find((item) => attribute(item, "http-equiv") !== undefined);
    const content = policy === undefined ? "" : (attribute(policy, "content") ?? "");
    expect(content).toContain("default-src 'none'");
    expect(content).not.toContain("unsafe");
    for (const element of elements) {
      if (element.tagName === "script" || element.tagName === "style") {
        const hash = createHash("sha256").update(textOf(element)).digest("base64");
        expect(content).toContain(`'sha256-${hash}'`);
      }
      for (const { name, value } of element.attrs) {
        expect(name).not.toMatch(/^(on|style$|src$)/);
        if (name === "href") expect(value).toMatch(/^#/);
      }
    }
  });

  test("has a row for every object, its identity beside its address", () => {
    expect(rowsOf(html)).toHaveLength(report.objects.length);
    const texts = elements.filter((item) => attribute(item, "class") === "identity").map(textOf);
    for (const { identity } of report.objects) expect(texts).toContain(identity);
  });
});

test.each(canaries)("%j stays text wherever it stands", (canary) => {
  const sample: Sample = {
    'daemon_vm.a["k"]': {
      object: { identity: canary, provider: canary, attributes: { tag: canary } },
      observation: found({ tag: `${canary}2` }),
      desired: { tag: canary },
    },
    "daemon_vm.b": { observation: { status: "missing", proof: canary } },
  };
  const report = driftReport(sample, {
    discovered: [{ provider: canary, type: "daemon_vm", identity: canary, name: canary }],
    unlisted: [{ provider: canary, reason: canary }],
    diagnostics: [
      { severity: "warning", code: "PLN001", summary: canary, detail: canary, fix: canary },
    ],
  });
  const tame = driftReport({ ...sample, 'daemon_vm.a["k"]': {} });
  const html = driftPage(report, canary);
  const names = new Set(elementsOf(html).map(({ tagName }) => tagName));
  const known = elementsOf(driftPage(tame, "1")).map(({ tagName }) => tagName);
  const tables = ["table", "thead", "tbody", "tr", "th", "td", "ul", "li", "code", "p", "b"];
  for (const name of [...known, ...tables]) names.delete(name);
  expect([...names]).toEqual([]);
  expect(elementsOf(html).filter(({ tagName }) => tagName === "script")).toHaveLength(1);
});

describe("10,000 objects", () => {
  test(
    "of which few differ: all of these are written out, the others packed, in 300 kB",
    onlyInLongRun,
    () => {
      const report = driftReport(
        many(10_000, (index) => index % 250 === 0),
        { discovered: [] },
      );
      const html = driftPage(report, "1.2.3");
      expect(Buffer.byteLength(html)).toBeLessThan(300_000);
      const drifted = rowsOf(html).filter((item) => attribute(item, "data-verdict") === "drifted");
      expect(drifted).toHaveLength(40);
      const packed = packedOf(html);
      expect(rowsOf(html)).toHaveLength(40);
      expect(packed.length).toBeGreaterThan(7000);
      expect(html).toContain(`${packed.length} more objects; none of them differs`);
      const missing = 10_000 - 40 - packed.length;
      if (missing > 0) expect(html).toContain(`too long: ${missing} objects`);
    },
  );

  test("which all differ, each in its own way: says how many are where", onlyInLongRun, () => {
    const report = driftReport(
      many(10_000, () => true),
      { discovered: [] },
    );
    const html = driftPage(report, "1.2.3");
    expect(Buffer.byteLength(html)).toBeLessThan(300_000);
    const [written, packed] = [rowsOf(html).length, packedOf(html).length];
    expect(written).toBeGreaterThan(50);
    expect(html).toContain(`too long: ${10_000 - written - packed} objects`);
    expect(html).toContain(`${packed} more objects; ${10_000 - written} of those not written`);
    expect(html).toContain("vmform drift --json");
  });
});
