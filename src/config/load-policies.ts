/**
 * The policies of a folder alone, for a plan that was saved and for a destroy: no error elsewhere
 * stops them, and nothing that may hold a policy is passed over. Pure.
 */

import type { YamlNode } from "../lib/yaml/yaml.ts";
import type { DesiredPolicy } from "../model/plan/policy.ts";
import type { Diagnostic, WithDiagnostics } from "../model/said/diagnostic.ts";
import { hasErrors } from "../model/said/diagnostic.ts";
import { nowhere } from "../model/said/problem.ts";
import { type PolicyTypes, readPolicies } from "./blocks/policies.ts";
import { configurationProblems } from "./codes.ts";
import { type Blocks, gatherBlocks, reportDuplicate } from "./read/blocks.ts";
import { type FileBytes, type ParsedFile, parseFile } from "./read/document.ts";
import { didYouMean } from "./read/form/spelling.ts";
import { createReport, type Report } from "./report.ts";
import { desiredPolicies } from "./values/policies.ts";

export type PolicyInput = PolicyTypes & {
  /** Files of the configuration, which may have a block `policies`. */
  readonly files: readonly FileBytes[];
  /** Files that hold nothing else. */
  readonly policyFiles?: readonly FileBytes[];
};

/** Undefined when anything that is, or may be, a policy cannot be read. */
export function loadPolicies(
  input: PolicyInput,
): WithDiagnostics<readonly DesiredPolicy[] | undefined> {
  const own = createReport();
  const others = createReport();
  const parsed = byName(input.files).map((file) => parseFile(file, others));
  const policyFiles = parsePolicyFiles(input.policyFiles, own);
  const readable = parsed.map((file) => ({ ...file, documents: file.readable ?? [] }));
  const around = createReport();
  const { policies } = gatherBlocks([...readable, ...policyFiles], around);
  const read = readPolicies(policies, input, own);
  const hiding = [
    ...others.diagnostics().filter(mayHide(parsed)),
    ...around.diagnostics().filter(isAbout(policyFiles)),
  ];
  const diagnostics = [...hiding.flatMap(asBlocking), ...own.diagnostics()];
  return { value: hasErrors(diagnostics) ? undefined : desiredPolicies(read), diagnostics };
}

/** Those of the configuration, where they stand in `entries`, and of files of their own. */
export function allPolicies(
  entries: Blocks["policies"],
  input: PolicyTypes & Pick<PolicyInput, "policyFiles">,
  report: Report,
): readonly DesiredPolicy[] {
  const all = new Map(entries);
  for (const [name, entry] of gatherBlocks(parsePolicyFiles(input.policyFiles, report), report)
    .policies) {
    const first = all.get(name);
    if (first === undefined) all.set(name, entry);
    else reportDuplicate(entry, first, report);
  }
  return desiredPolicies(readPolicies(all, input, report));
}

/** Parses files that may hold the block `policies` alone, and reports other blocks. */
function parsePolicyFiles(files: readonly FileBytes[] = [], report: Report): readonly ParsedFile[] {
  const parsed = byName(files).map((file) => parseFile(file, report));
  for (const { source, documents } of parsed) {
    for (const document of documents) {
      if (document.kind !== "map") continue;
      for (const { key } of document.entries) {
        if (key.text === "policies") continue;
        const place = { file: source, start: key.start, end: key.end };
        const meant = didYouMean(key.text, ["policies"]);
        const detail = `${JSON.stringify(key.text)} stands in a file of policies.`;
        const fix = meant ?? "Move it to a file whose name ends in .vmform.yaml.";
        report.add("CFG074", { detail, fix, place });
      }
    }
  }
  return parsed.map((file) => ({ ...file, documents: file.documents.map(policiesIn) }));
}

function policiesIn(document: YamlNode): YamlNode {
  if (document.kind !== "map") return document;
  return { ...document, entries: document.entries.filter(({ key }) => key.text === "policies") };
}

function byName(files: readonly FileBytes[]): readonly FileBytes[] {
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The problem itself, and that it stops everything. */
function asBlocking(diagnostic: Diagnostic): readonly Diagnostic[] {
  const { source, summary, detail, code, fix } = diagnostic;
  const why = `It may hold policies, and cannot be read: ${summary} (${code}). ${detail}`;
  return [configurationProblems.problem({ ...nowhere, source }, "CFG075", { detail: why, fix })];
}

/** Problems of a file of which nothing is known, and whose text may have the block. */
function mayHide(parsed: readonly ParsedFile[]): (diagnostic: Diagnostic) => boolean {
  const unread = new Set(
    parsed
      .filter(({ readable, decoded, source }) => {
        return readable === undefined && (!decoded || /polic/i.test(source.index.text));
      })
      .map(({ source }) => source.name),
  );
  return ({ severity, source }) => severity === "error" && unread.has(source?.file ?? "");
}

/** Problems of the block as a whole, of a key that may be it, and of a file of policies. */
function isAbout(policyFiles: readonly ParsedFile[]): (diagnostic: Diagnostic) => boolean {
  const names = new Set(policyFiles.map(({ source }) => source.name));
  return ({ severity, source, code, detail }) => {
    if (severity !== "error" || source === undefined) return false;
    if (names.has(source.file)) return code !== "CFG010";
    const key = /^\s*["']?([\w.-]+)/.exec(source.text)?.[1] ?? "";
    if (code === "CFG010") return didYouMean(key, ["policies"]) !== undefined;
    return key === "policies" || detail.startsWith("policies ");
  };
}
