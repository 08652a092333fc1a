/**
 * Which provider packages a configuration names: `package` in a block of `providers`. Asked before
 * anything else is read, since what a package brings decides how the rest is read. Pure.
 */

import { memberNode } from "../lib/yaml/yaml.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { configurationProblems } from "./codes.ts";
import { type BlockEntry, gatherBlocks } from "./read/blocks.ts";
import { type FileBytes, parseFile } from "./read/document.ts";
import { isNull } from "./read/form/scalar.ts";

import { createReport, type Place, positionOf } from "./report.ts";

export type WantedPackage = {
  /** Name of the provider, without alias. */
  readonly provider: string;
  /** As a source of a module is written: `npm:vmform-provider-dns@1.2.3`, `./provider`. */
  readonly source: string;
  readonly place: Place;
};

/** What stands in the way of a package that is named. */
export type PackageProblem = {
  readonly detail: string;
  readonly fix: string;
  readonly place: Place;
};

/** What became of the packages that a configuration names. */
export type PackagesRead = {
  /** By provider: as `vmform-provider-dns@1.2.3`. */
  readonly labels: { readonly [provider: string]: string };
  readonly problems: readonly PackageProblem[];
};

/** The same as diagnostics, for who reads nothing else of the configuration. */
export function packageDiagnostics({ problems }: PackagesRead): readonly Diagnostic[] {
  return problems.map(({ detail, fix, place }) =>
    configurationProblems.problem({ source: positionOf(place) }, "CFG089", { detail, fix }),
  );
}

export type NamedPackages = {
  readonly wanted: readonly WantedPackage[];
  readonly problems: readonly PackageProblem[];
};

/** What is wrong with the files otherwise is told when they are read as a whole. */
export function namedPackages(files: readonly FileBytes[]): NamedPackages {
  // Most configurations name none, and a large one is not read twice for that.
  if (!files.some(({ bytes }) => Buffer.from(bytes).includes("package"))) {
    return { wanted: [], problems: [] };
  }
  const around = createReport();
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const parsed = sorted.map((file) => parseFile(file, around));
  const { providers } = gatherBlocks(
    parsed.map((file) => ({ ...file, documents: file.readable ?? [] })),
    around,
  );
  const wanted = new Map<string, WantedPackage>();
  const problems: PackageProblem[] = [];
  for (const entry of providers.values()) {
    const named = packageOf(entry);
    if (named === undefined) continue;
    if ("detail" in named) {
      problems.push(named);
      continue;
    }
    const first = wanted.get(named.provider);
    if (first === undefined) wanted.set(named.provider, named);
    else if (first.source !== named.source) {
      const detail = `${named.provider} is of ${first.source} already.`;
      const fix = "One provider is of one package: name it once, or the same one.";
      problems.push({ detail, fix, place: named.place });
    }
  }
  return { wanted: [...wanted.values()], problems };
}

function packageOf(entry: BlockEntry): WantedPackage | PackageProblem | undefined {
  const { node, file, name } = entry;
  const member = memberNode(node, "package");
  if (member === undefined) return undefined;
  const place = { file, start: member.start, end: member.end };
  if (member.kind !== "scalar" || isNull(member) || member.text.includes("${")) {
    const detail = "A package is named by a text without expressions: it is loaded first of all.";
    return { detail, fix: 'Write package: "vmform-provider-dns@1.2.3", or ./FOLDER.', place };
  }
  return { provider: name.split(".", 1)[0] ?? name, source: sourceOf(member.text), place };
}

/** What has only a name and a version is of the registry of npm. */
function sourceOf(text: string): string {
  return /^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:@[^:/]*)?$/.test(text) ? `npm:${text}` : text;
}
