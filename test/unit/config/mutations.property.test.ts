/**
 * Configurations with anything done to them: whatever is read, it ends, throws nothing, and either
 * gives a configuration or says in words what is wrong. `VMFORM_MUTATIONS` sets how many are tried.
 */

import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Configuration } from "../../../src/config/load.ts";
import type { Diagnostic } from "../../../src/model/said/diagnostic.ts";
import { hasErrors } from "../../../src/model/said/diagnostic.ts";
import type { PlannedAttributes } from "../../../src/model/value/value.ts";
import { diagnosticsText } from "../../../src/render/text/diagnostic-text.ts";
import { amount } from "../../helpers/amount.ts";
import { loadConfig } from "../../helpers/load-config.ts";
import { foldersOf } from "../../helpers/module-folders.ts";

const golden = new URL("../../golden/config/", import.meta.url);

type Files = { readonly [path: string]: string };

const corpus: readonly Files[] = readdirSync(golden).flatMap((name) => {
  const folder = new URL(`${name}/`, golden);
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = paths
    .filter((path) => path.endsWith(".vmform.yaml"))
    .map((path) => [path, readFileSync(new URL(path, folder), "latin1")] as const);
  return files.length === 0 ? [] : [Object.fromEntries(files)];
});

/** What configurations are made of, and what they must not trip over. */
const pieces = [
  ..."{}[]:,-?&*!|>%@`'\"#\\.$()<=+~^/\t\r\n\0\u0085\u00a0\u00ff\u00c3\u0028".split(""),
  ...["${", "}", "$${", "${}", "${${", ": ", "- ", "\n- ", "\n  ", "---\n", "...\n", "%YAML 1.1\n"],
  ...["&a ", "*a", "<<: *a", "!!binary ", "!!set ", "? ", "|+2\n", ">-\n", "{a: ", "[a, ", "\n\n"],
  ...["null", "~", "on", "yes", "0x1F", "0o7", ".inf", "-.nan", "1e999", "9007199254740993", "-0"],
  ...["count: ", "for_each: ", "depends_on: ", "provider: ", "lifecycle: ", "source: ", "inputs: "],
  ...[
    "vars.",
    "locals.",
    "module.",
    "data.",
    "each.key",
    "each.value",
    "count.index",
    "self.",
    "path.",
  ],
  ...[
    ".map(x, x)",
    ".filter(x, true)",
    "[0]",
    "['a']",
    "['",
    "has(",
    "size(",
    "try(",
    "range(9)",
    " ? ",
    " : ",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "a".repeat(300),
    "../../..",
    "./modules/a",
  ],
  ...[
    "'daemon_vm.a'",
    "daemon_vm.a.id",
    "daemon_vm.a: ",
    "trial_item.",
    "modules: ",
    "moved: ",
    "imports: ",
  ],
];

type Mutation = {
  readonly kind: "delete" | "insert" | "double" | "swap" | "graft" | "repeat" | "byte";
  /** Where, as parts of the text. */
  readonly at: number;
  readonly to: number;
  readonly file: number;
  readonly piece: string;
  readonly donor: number;
  readonly times: number;
};

const part = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom("delete", "insert", "double", "swap", "graft", "repeat", "byte"),
  at: part,
  to: part,
  file: fc.nat(7),
  piece: fc.constantFrom(...pieces),
  donor: fc.nat(corpus.length - 1),
  times: fc.integer({ min: 2, max: 40 }),
});

function mutated(files: Files, mutations: readonly Mutation[]): Files {
  const texts: { [path: string]: string } = { ...files };
  for (const one of mutations) {
    const paths = Object.keys(texts);
    const path = paths[one.file % paths.length] ?? "main.vmform.yaml";
    texts[path] = mutatedText(texts[path] ?? "", one);
  }
  return texts;
}

/** Stretches are short: a text that is no YAML any more shows little. */
function mutatedText(text: string, { kind, at, to, piece, donor, times }: Mutation): string {
  const start = Math.floor(at * (text.length + 1));
  const end = Math.min(text.length, start + 1 + Math.floor(to * to * 30));
  const [before, own, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
  switch (kind) {
    case "delete":
      return before + after;
    case "insert":
      return before + piece + own + after;
    case "double":
      return before + own + own + after;
    case "swap": {
      const other = Math.floor(to * after.length);
      return before + after.slice(0, other) + own + after.slice(other);
    }
    case "graft": {
      const graft = Object.values(corpus[donor] ?? {})[0] ?? "";
      const from = Math.floor(to * graft.length);
      return before + graft.slice(from, from + times * 3) + own + after;
    }
    case "repeat":
      return before + own.repeat(times) + after;
    case "byte":
      return before + String.fromCharCode(Math.floor(to * 256)) + own.slice(1) + after;
  }
}

/** Of the files of the root folder, as bytes: what was mutated may be no UTF-8. */
function loaded(files: Files): ReturnType<typeof loadConfig> {
  const bytes = Object.entries(files).map(
    ([path, text]) => [path, new Uint8Array(Buffer.from(text, "latin1"))] as const,
  );
  const root = bytes.filter(([path]) => !path.includes("/"));
  return loadConfig(Object.fromEntries(root), {
    readFolder: foldersOf(Object.fromEntries(bytes)),
    nowMs: Date.UTC(2026, 2, 1, 12),
  });
}

/** What a mistake of ours looks like in a text for people. */
const ourMistake =
  /\bundefined\b(?! (?:function|variable))|\[object |\bNaN\b|\n\s+at \S+ \(|TypeError|RangeError/;

function judge(value: Configuration | undefined, diagnostics: readonly Diagnostic[]): void {
  const text = diagnosticsText(diagnostics, { color: false, width: 80 });
  const said = diagnostics.map(({ summary, fix }) => `${summary}\n${fix ?? ""}`).join("\n");
  expect(said).not.toMatch(ourMistake);
  for (const { code, source } of diagnostics) {
    expect(code).toMatch(/^[A-Z]{3}\d{3}$/);
    if (source !== undefined) expect(source.line).toBeGreaterThan(0);
  }
  if (value === undefined) expect(hasErrors(diagnostics)).toBe(true);
  if (diagnostics.length > 0) expect(text).not.toBe("");
}

const oddValues: readonly PlannedAttributes[] = [
  { ids: [], vm_count: 0n },
  { ids: ["a", "b"], vm_count: 2n, id: "a", ip_address: null },
  { ids: null, vm_count: -1n, id: 3n },
];

/** Those that are sound show what else is done with them, if little is done to them. */
const sound = corpus.flatMap((files, index) => (loaded(files).value === undefined ? [] : [index]));

const tries = fc.oneof(
  fc.record({
    index: fc.constantFrom(...sound),
    mutations: fc.array(mutation, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    index: fc.nat(corpus.length - 1),
    mutations: fc.array(mutation, { minLength: 1, maxLength: 6 }),
  }),
);

test("whatever is done to a configuration, it is read to the end", () => {
  const runs = Number(process.env.VMFORM_MUTATIONS ?? amount(200, 8_000));
  const seen = { sound: 0, wrong: 0 };
  fc.assert(
    fc.property(tries, ({ index, mutations }) => {
      const files = mutated(corpus[index] ?? {}, mutations);
      const { value, diagnostics } = loaded(files);
      judge(value, diagnostics);
      seen[value === undefined ? "wrong" : "sound"] += 1;
      for (const instance of value?.instances.slice(0, 20) ?? []) {
        judge(undefined, [...instance.resolve(() => undefined).diagnostics, anError]);
      }
      for (const attributes of value?.withKnown === undefined ? [] : oddValues) {
        const again = value?.withKnown?.(() => attributes);
        if (again !== undefined) judge(again.value, [...again.diagnostics, anError]);
      }
    }),
    { numRuns: runs },
  );
  // Else it would try one thing only.
  expect(seen.sound).toBeGreaterThan(runs / 50);
  expect(seen.wrong).toBeGreaterThan(runs / 5);
}, 7_200_000);

const anError: Diagnostic = { severity: "error", code: "CFG000", summary: "None", detail: "None." };
