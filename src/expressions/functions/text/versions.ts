/** Semantic versions (semver.org) and what they are held against. */

import {
  compareVersions,
  meetsClause,
  parseClause,
  parseVersion,
  type Version,
} from "../../../lib/version.ts";
import { type FunctionEntry, failure } from "../function-entry.ts";

export const versionFunctions: readonly FunctionEntry[] = [
  {
    name: "isSemver",
    group: "Versions",
    form: "isSemver(text)",
    sentence: "Whether a text is a semantic version.",
    examples: [{ expression: 'isSemver("1.2.3-rc.1") && !isSemver("1.2")', value: "true" }],
    overloads: { "isSemver(string): bool": (text: string) => parseVersion(text) !== undefined },
  },
  {
    name: "semverCompare",
    group: "Versions",
    form: "semverCompare(left, right)",
    sentence: "-1, 0 or 1, as the left version is older than the right one, as old, or newer.",
    examples: [
      { expression: 'semverCompare("1.9.0", "1.10.0")', value: "-1" },
      { expression: 'semverCompare("1.0.0", "1.0.0-rc.1")', value: "1" },
    ],
    overloads: {
      "semverCompare(string, string): int": (left: string, right: string) =>
        BigInt(compareVersions(versionOf(left), versionOf(right))),
    },
  },
  {
    name: "semverMatches",
    group: "Versions",
    form: "semverMatches(version, requirement)",
    sentence:
      "Whether a version meets every clause of a requirement: `>= 1.2, < 2`, `~> 1.4` (1.4 or " +
      "newer, before 2), `!= 1.5.0`. A version before a release meets only a requirement that " +
      "names one.",
    examples: [
      { expression: 'semverMatches("1.4.2", ">= 1.2, < 2")', value: "true" },
      { expression: 'semverMatches("2.0.0", "~> 1.4")', value: "false" },
    ],
    overloads: { "semverMatches(string, string): bool": meets },
  },
];

function versionOf(text: string): Version {
  const version = parseVersion(text);
  if (version !== undefined) return version;
  throw failure(`${JSON.stringify(text.slice(0, 60))} is no semantic version such as 1.2.3`);
}

function meets(text: string, requirement: string): boolean {
  const version = versionOf(text);
  const clauses = requirement.split(",").map((written) => {
    const clause = parseClause(written);
    if (clause !== undefined) return clause;
    const shown = JSON.stringify(written.trim().slice(0, 60));
    throw failure(`the requirement cannot be read: ${shown}`);
  });
  const names = clauses.some(({ wanted }) => wanted.before.length > 0);
  if (version.before.length > 0 && !names) return false;
  return clauses.every((clause) => meetsClause(version, clause));
}
