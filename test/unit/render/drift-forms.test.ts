/** Drift reports in every form, beside the text that was accepted. `vitest -u` accepts. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringifyJson } from "../../../src/lib/json.ts";
import { compileSchema } from "../../../src/lib/schema/schema.ts";
import type { DriftReport } from "../../../src/model/plan/drift-report.ts";
import { driftSummaryText } from "../../../src/render/drift/drift-entries.ts";
import { driftGitlab } from "../../../src/render/drift/drift-gitlab.ts";
import { driftJson } from "../../../src/render/drift/drift-json.ts";
import { driftJunit } from "../../../src/render/drift/drift-junit.ts";
import { driftMarkdown } from "../../../src/render/drift/drift-markdown.ts";
import { driftMetrics } from "../../../src/render/drift/drift-metrics.ts";
import { driftSarif } from "../../../src/render/drift/drift-sarif.ts";
import { driftText } from "../../../src/render/drift/drift-text.ts";
import { driftPage } from "../../../src/render/html/drift-page.ts";
import { markdownBytesMin } from "../../../src/render/text/markdown.ts";
import { driftReport, driftReports, found, type Sample } from "./drift-samples.ts";
import { wrappedColumns } from "./wrapped-columns.ts";

const golden = new URL("../../golden/render/drift/", import.meta.url).pathname;
const schemaUrl = new URL("../../../schemas/drift-report.schema.json", import.meta.url);
const check = compileSchema(JSON.parse(readFileSync(schemaUrl, "utf8")) as object);
/** What a terminal or an eye would not show as it is. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u00a0]/u;

/** A line for each element; without style and script, which are the same on every page. */
function shownPage(html: string): string {
  return html
    .replaceAll(/<(style|script)>[^]*?<\/\1>/g, "<$1></$1>")
    .replaceAll(/sha256-[\w+/=]*/g, "sha256-…")
    .replaceAll("><", ">\n<");
}

describe.each(Object.entries(driftReports))("report %s", (name, report) => {
  const forms: readonly (readonly [string, string])[] = [
    ["drift.txt", driftText(report, { color: false })],
    ["drift-80.txt", driftText(report, { color: false, width: 80 })],
    ["drift-40.txt", driftText(report, { color: false, width: 40 })],
    ["drift-markdown.txt", driftMarkdown(report)],
    ["drift-markdown-cut.txt", driftMarkdown(report, { maxBytes: markdownBytesMin })],
    ["drift.json", stringifyJson(driftJson(report), { indent: 2 })],
    ["drift.prom", driftMetrics(report)],
    ["drift.junit.xml", driftJunit(report)],
    ["drift.sarif", stringifyJson(driftSarif(report, "1.2.3"), { indent: 2 })],
    ["drift.gitlab.json", stringifyJson(driftGitlab(report), { indent: 2 })],
    ["drift.html", shownPage(driftPage(report, "1.2.3"))],
  ];

  test.each(forms)("%s", async (file, text) => {
    await expect(`${text}\n`).toMatchFileSnapshot(`${golden}${name}/${file}`);
  });

  test.each(forms)("%s holds no secret and nothing that moves a cursor", (_file, text) => {
    expect(text).not.toContain("s3cr");
    expect(text.replaceAll("\n", "")).not.toMatch(unsafe);
  });

  test("its data fit the schema", () => {
    expect(check(driftJson(report))).toEqual([]);
  });

  test.each([80, 40, 12])("at %i columns no line is longer but by what is pasted", (width) => {
    for (const line of driftText(report, { color: false, width }).split("\n")) {
      expect(wrappedColumns(line)).toBeLessThanOrEqual(width);
    }
  });

  test("colour changes nothing but the colour", () => {
    const colored = driftText(report, { color: true, width: 40 });
    expect(colored.replaceAll(/\u001b\[\d+m/g, "")).toBe(
      driftText(report, { color: false, width: 40 }),
    );
  });
});

const quiet = { discovered: [] };

test.each<readonly [string, DriftReport]>([
  [
    "No drift. 1 object in sync.",
    driftReport(
      { "daemon_vm.a": { object: { attributes: { tag: "t" } }, observation: found({ tag: "t" }) } },
      quiet,
    ),
  ],
  [
    "No drift. 0 objects in sync, 1 not checked, 1 unmanaged.",
    driftReport({
      "daemon_vm.a": { observation: { status: "unreadable", rule: "by rule", reason: "off" } },
    }),
  ],
  [
    "No drift found: 0 objects in sync, 1 could not be checked. The report is incomplete.",
    driftReport({ "daemon_vm.a": {} }, quiet),
  ],
  [
    "Drift: 1 drifted, 0 missing, 0 in sync. The report is incomplete.",
    driftReport(
      {
        "daemon_vm.a": {
          object: { attributes: { tag: "t" } },
          observation: found({ tag: "u" }, { name: "failed" }),
        },
      },
      quiet,
    ),
  ],
])("%s", (summary, report) => {
  expect(driftSummaryText(report)).toBe(summary);
});

test("what people call an unmanaged object stands before its identity", () => {
  const discovered = [
    { provider: "cloud", type: "cloud_vm", identity: "/api/vApp/vm-1", name: "shop/w\u202eeb" },
    { provider: "daemon", type: "daemon_vm", identity: "web" },
  ];
  const report = driftReport({}, { discovered });
  expect(driftText(report, { color: false })).toContain(
    ['  cloud_vm "shop/w\\u202eeb" "/api/vApp/vm-1" (cloud)', '  daemon_vm "web" (daemon)'].join(
      "\n",
    ),
  );
  expect(driftMarkdown(report)).toMatch(/`cloud_vm shop\/w.+eb \/api\/vApp\/vm-1` \(cloud\)/);
  expect(driftMarkdown(report).replaceAll("\n", "")).not.toMatch(unsafe);
  expect(driftJson(report).unmanaged).toMatchObject([{ name: "shop/w\u202eeb" }, {}]);
  expect(check(driftJson(report))).toEqual([]);
});

test.each([
  [20, 20, undefined],
  [21, 20, "and 1 more of cloud_vm (in full: vmform drift --json)"],
  [65, 20, "and 45 more of cloud_vm (in full: vmform drift --json)"],
])("of %d unmanaged VMs %d are listed, and none of others is buried", (count, listed, more) => {
  const vms = Array.from({ length: count }, (_, index) => ({
    ...{ provider: "cloud", type: "cloud_vm", identity: `/api/vApp/vm-${index}` },
  }));
  const discovered = [...vms, { provider: "daemon", type: "daemon_vm", identity: "web" }];
  const report = driftReport({}, { discovered });
  for (const text of [driftText(report, { color: false }), driftMarkdown(report)]) {
    expect(text.split("/api/vApp/vm-")).toHaveLength(1 + listed);
    expect(text).toContain("web");
    if (more === undefined) expect(text).not.toContain("more of");
    else expect(text).toContain(more);
  }
  expect(driftJson(report).unmanaged).toHaveLength(count + 1);
});

describe("Markdown", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.constantFrom("</details>", "`", "``|``", "a|b", "\n\n# x", "<!--", "@all", " ", ""),
  );
  const sample = fc.array(fc.tuple(text, text, text), { maxLength: 12 }).map((rows): Sample => {
    const entries = rows.map(([key, recorded, observed], index) => [
      `daemon_vm.v[${JSON.stringify(`${index}${key}`)}]`,
      {
        object: { attributes: { tag: recorded } },
        observation: found({ tag: observed }),
        desired: { tag: key },
      },
    ]);
    return Object.fromEntries(entries) as Sample;
  });

  test("is never longer than the limit, and tells what it leaves out", () => {
    fc.assert(
      fc.property(sample, fc.integer({ min: markdownBytesMin, max: 20_000 }), (given, maxBytes) => {
        const report = driftReport(given);
        const whole = driftMarkdown(report);
        const cut = driftMarkdown(report, { maxBytes });
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        expect(cut).toContain(driftSummaryText(report));
        if (cut === whole) return;
        const missing = Number(/^_(\d+) more section/m.exec(cut)?.[1]);
        const sections = (of: string): number => of.split("<details>").length - 1;
        expect(sections(whole) - sections(cut)).toBe(missing);
      }),
    );
  });

  test("values stay in their cells, and open or close no element", () => {
    fc.assert(
      fc.property(sample, (given) => {
        const lines = driftMarkdown(driftReport(given)).split("\n");
        const opened = lines.filter((line) => line.startsWith("<details><summary>")).length;
        expect(lines.filter((line) => line === "</details>")).toHaveLength(opened);
        for (const line of lines) {
          if (!line.startsWith("| `tag`")) continue;
          // Bars that are not escaped divide the cells.
          expect(line.match(/(?<!\\)\|/g)).toHaveLength(7);
        }
        for (const line of lines.filter((one) => one.startsWith("<details>"))) {
          expect(line.replaceAll(/<\/?(?:details|summary|code)>/g, "")).not.toMatch(/[<>]/);
        }
      }),
    );
  });
});
