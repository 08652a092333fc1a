/** Semantic versions (semver.org) and what they are held against. */

import { type FunctionEntry, failure } from "./function-entry.ts";

type Version = { readonly numbers: readonly bigint[]; readonly before: readonly string[] };

export const versionFunctions: readonly FunctionEntry[] = [
  {
    name: "isSemver",
    group: "Versions",
    form: "isSemver(text)",
    sentence: "Whether a text is a semantic version.",
    examples: [{ expression: 'isSemver("1.2.3-rc.1") && !isSemver("1.2")', value: "true" }],
    overloads: { "isSemver(string): bool": (text: string) => parsed(text) !== undefined },
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
        BigInt(compare(versionOf(left), versionOf(right))),
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

const numberText = String.raw`(0|[1-9]\d{0,30})`;
const partsText = String.raw`[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*`;
const versionPattern = new RegExp(
  String.raw`^${numberText}\.${numberText}\.${numberText}(?:-(${partsText}))?(?:\+${partsText})?$`,
);

function parsed(text: string): Version | undefined {
  const match = text.length > 256 ? null : versionPattern.exec(text);
  if (match === null) return undefined;
  const before = match[4]?.split(".") ?? [];
  if (before.some((part) => /^0\d+$/.test(part))) return undefined;
  return { numbers: match.slice(1, 4).map(BigInt), before };
}

function versionOf(text: string): Version {
  const version = parsed(text);
  if (version !== undefined) return version;
  throw failure(`${JSON.stringify(text.slice(0, 60))} is no semantic version such as 1.2.3`);
}

function compare(left: Version, right: Version): -1 | 0 | 1 {
  for (const [at, number] of left.numbers.entries()) {
    const other = right.numbers[at] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (left.before.length === 0 || right.before.length === 0) {
    if (left.before.length === right.before.length) return 0;
    return left.before.length === 0 ? 1 : -1;
  }
  for (let at = 0; ; at += 1) {
    const [one, other] = [left.before[at], right.before[at]];
    if (one === undefined || other === undefined) {
      if (one === other) return 0;
      return one === undefined ? -1 : 1;
    }
    if (one !== other) return compareParts(one, other);
  }
}

/** Numbers come before words, and are compared as numbers. */
function compareParts(one: string, other: string): -1 | 1 {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  if (!isNumber) return one < other ? -1 : 1;
  return BigInt(one) < BigInt(other) ? -1 : 1;
}

const clausePattern =
  /^(>=|<=|>|<|=|!=|~>)?\s*v?(\d{1,30})(?:\.(\d{1,30}))?(?:\.(\d{1,30}))?(-[0-9A-Za-z.-]+)?$/;

function meets(text: string, requirement: string): boolean {
  const version = versionOf(text);
  const clauses = requirement.split(",").map((clause) => {
    const match = clausePattern.exec(clause.trim());
    if (match === null) {
      throw failure(
        `the requirement cannot be read: ${JSON.stringify(clause.trim().slice(0, 60))}`,
      );
    }
    const [, operator = "=", ...rest] = match;
    const written = rest.slice(0, 3).filter((part) => part !== undefined);
    const numbers = [0, 1, 2].map((at) => BigInt(written[at] ?? 0));
    const wanted = { numbers, before: rest[3]?.slice(1).split(".") ?? [] };
    return { operator, wanted, fixed: Math.max(written.length - 1, 1) };
  });
  const names = clauses.some(({ wanted }) => wanted.before.length > 0);
  if (version.before.length > 0 && !names) return false;
  return clauses.every(({ operator, wanted, fixed }) => {
    const order = compare(version, wanted);
    switch (operator) {
      case ">=":
        return order >= 0;
      case "<=":
        return order <= 0;
      case ">":
        return order > 0;
      case "<":
        return order < 0;
      case "!=":
        return order !== 0;
      case "~>": {
        const kept = version.numbers.slice(0, fixed);
        return order >= 0 && kept.every((number, at) => number === wanted.numbers[at]);
      }
      default:
        return order === 0;
    }
  });
}
