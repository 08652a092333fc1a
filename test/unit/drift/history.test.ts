/** Drift over time: what is new, still there and fixed, and the file it is kept in. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type DriftHistoryEntry,
  entryLine,
  nextEntry,
  readHistory,
} from "../../../src/drift/history.ts";
import { compileSchema } from "../../../src/lib/schema/schema.ts";
import type { DriftReport } from "../../../src/model/plan/drift-report.ts";
import { driftJson } from "../../../src/render/drift/drift-json.ts";
import { driftText } from "../../../src/render/drift/drift-text.ts";
import { driftPage } from "../../../src/render/html/drift-page.ts";
import { address as toAddress } from "../../helpers/recorded-builder.ts";
import { driftReport, found, type Sample } from "../render/drift-samples.ts";

function schemaOf(name: string): ReturnType<typeof compileSchema> {
  const url = new URL(`../../../schemas/${name}.schema.json`, import.meta.url);
  return compileSchema(JSON.parse(readFileSync(url, "utf8")) as object);
}

const object = { attributes: { tag: "t" } };
const same = { object, observation: found({ tag: "t" }) };
const other = { object, observation: found({ tag: "u" }) };
const unread = {
  object,
  observation: { status: "unreadable", rule: "failed", reason: "no route" },
} as const;

function report(sample: Sample, nowMs: number): DriftReport {
  return driftReport(sample, { nowMs, discovered: [] });
}

function inTime(samples: readonly Sample[]): {
  readonly entries: readonly DriftHistoryEntry[];
  readonly last: DriftReport;
} {
  let entries: readonly DriftHistoryEntry[] = [];
  let last = report({}, 0);
  for (const [index, sample] of samples.entries()) {
    const current = report(sample, (index + 1) * 60_000);
    const { entry, since } = nextEntry(current, entries);
    entries = readHistory([...entries, entry].map(entryLine).join("")) ?? [];
    last = since === undefined ? current : { ...current, since };
  }
  return { entries, last };
}

describe("since the last report", () => {
  test("the first one has nothing to compare with", () => {
    expect(inTime([{ "daemon_vm.a": other }]).last.since).toBeUndefined();
  });

  test("what is new, still there and fixed, with the time it was told of first", () => {
    const { last } = inTime([
      { "daemon_vm.a": other, "daemon_vm.b": other, "daemon_vm.c": same },
      { "daemon_vm.a": other, "daemon_vm.b": same, "daemon_vm.c": other },
    ]);
    const names = (items: readonly { address: string; sinceMs: number }[] = []) =>
      items.map(({ address, sinceMs }) => [address, sinceMs]);
    expect(names(last.since?.fresh)).toEqual([["daemon_vm.c", 120_000]]);
    expect(names(last.since?.still)).toEqual([["daemon_vm.a", 60_000]]);
    expect(names(last.since?.fixed)).toEqual([["daemon_vm.b", 60_000]]);
    expect(driftText(last, { color: false })).toContain(
      "Since 1970-01-01 00:01 UTC: 1 new, 1 still, 1 fixed (daemon_vm.b).",
    );
    expect(schemaOf("drift-report")(driftJson(last))).toEqual([]);
  });

  test("what could not be looked at is not fixed, and no news when it is seen again", () => {
    const { last: dark } = inTime([{ "daemon_vm.a": other }, { "daemon_vm.a": unread }]);
    expect(dark.since).toMatchObject({ fresh: [], still: [], fixed: [] });
    const { last } = inTime([
      { "daemon_vm.a": other },
      { "daemon_vm.a": unread },
      { "daemon_vm.a": other },
    ]);
    expect(last.since).toMatchObject({ fresh: [], still: [{ sinceMs: 60_000 }], fixed: [] });
  });

  test("nor is what could not be read of an object that differs elsewhere", () => {
    const both = { attributes: { tag: "t", name: "n" } };
    const failed = found({ name: "m" }, { tag: "failed" });
    const { last } = inTime([
      { "daemon_vm.a": { object: both, observation: found({ tag: "u", name: "n" }) } },
      { "daemon_vm.a": { object: both, observation: failed } },
    ]);
    expect(last.objects[0]?.verdict).toBe("drifted");
    expect(last.since?.fixed).toEqual([]);
  });

  test("nor is what stands otherwise than a configuration that cannot be read", () => {
    const before = nextEntry(report({ "daemon_vm.a": other }, 1), []).entry;
    const configuration = { status: "unreadable", errors: 1 } as const;
    const dark = driftReport({ "daemon_vm.a": same }, { configuration, discovered: [] });
    const { since, entry } = nextEntry(dark, [before]);
    expect(since?.fixed).toEqual([]);
    expect(entry.findings).toHaveLength(1);
  });

  test("nor is what a rule ignores, which is no news when the rule has expired", () => {
    const before = nextEntry(report({ "daemon_vm.a": other }, 1), []).entry;
    const selector = toAddress("daemon_vm.a");
    const source = { file: "main.vmform.yaml", line: 1, column: 1, text: "" };
    const rule = { selector, owner: "o", reason: "r", until: "2026-01-02", endMs: 3, source };
    const calm = { ...driftReport({ "daemon_vm.a": other }, { ignore: [rule] }), createdMs: 2 };
    const { since, entry } = nextEntry(calm, [before]);
    expect(calm.counts).toMatchObject({ drifted: 0, ignored: 1 });
    expect(since).toMatchObject({ fresh: [], still: [], fixed: [] });
    const after = nextEntry(report({ "daemon_vm.a": other }, 4), [before, entry]).since;
    expect(after).toMatchObject({ fresh: [], still: [{ sinceMs: 1 }], fixed: [] });
  });

  test("another recorded state in the same file is none of its business", () => {
    const { entries } = inTime([{ "daemon_vm.a": other }]);
    const foreign = entries.map((entry) => ({ ...entry, lineage: "another" }));
    expect(nextEntry(report({ "daemon_vm.a": other }, 1), foreign).since).toBeUndefined();
  });
});

test("a page marks what is new and draws the reports", () => {
  const { last, entries } = inTime([{ "daemon_vm.a": same }, { "daemon_vm.a": other }]);
  const html = driftPage(last, "1", entries);
  expect(html).toContain('<span class="tag new">new</span>');
  expect(html.match(/<circle /g)).toHaveLength(2);
});

test("each line fits the schema", () => {
  const { entries } = inTime([{ "daemon_vm.a": other }, { "daemon_vm.a": same }]);
  const check = schemaOf("drift-history");
  for (const entry of entries) expect(check(JSON.parse(entryLine(entry)))).toEqual([]);
});

test.each(["createdMs", "sinceMs"])("a %s that no calendar knows makes it no history", (name) => {
  const { entries } = inTime([{ "daemon_vm.a": other }]);
  const key = name === "createdMs" ? "created_ms" : "since_ms";
  const text = entries.map(entryLine).join("");
  expect(readHistory(text)).toHaveLength(1);
  expect(readHistory(text.replaceAll(new RegExp(`"${key}":\\d+`, "g"), `"${key}":1e20`))).toBe(
    undefined,
  );
});

test.each(["x", "{}", "[]", '{"format_version":"2.0"}', '{"format_version":"1.0","lineage":"a"}'])(
  "%s is no history",
  (text) => {
    expect(readHistory(text)).toBeUndefined();
  },
);

test("a line that was cut off is passed over, and what comes after it counts", () => {
  const { entries } = inTime([{ "daemon_vm.a": other }, { "daemon_vm.a": same }]);
  const lines = entries.map(entryLine);
  for (let length = 40; length < (lines[0] ?? "").length - 1; length += 7) {
    const text = `${lines[0]?.slice(0, length)}\n${lines[1]}`;
    expect(readHistory(text)).toEqual([entries[1]]);
  }
});
