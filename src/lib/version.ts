/** Semantic versions (semver.org), and the requirements they are held against. */

export type Version = { readonly numbers: readonly bigint[]; readonly before: readonly string[] };

/** One clause of a requirement, such as `>= 1.2` or `~> 1.4`. */
export type VersionClause = {
  readonly operator: string;
  readonly wanted: Version;
  /** How many numbers `~>` keeps: the last one written may grow. */
  readonly fixed: number;
};

const numberText = String.raw`(0|[1-9]\d{0,30})`;
const partsText = String.raw`[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*`;
const versionPattern = new RegExp(
  String.raw`^${numberText}\.${numberText}\.${numberText}(?:-(${partsText}))?(?:\+${partsText})?$`,
);

/** Undefined for what is no semantic version. */
export function parseVersion(text: string): Version | undefined {
  const match = text.length > 256 ? null : versionPattern.exec(text);
  if (match === null) return undefined;
  const before = match[4]?.split(".") ?? [];
  if (before.some((part) => /^0\d+$/.test(part))) return undefined;
  return { numbers: match.slice(1, 4).map(BigInt), before };
}

/** Build metadata does not count. */
export function compareVersions(left: Version, right: Version): -1 | 0 | 1 {
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

/** Undefined for what is no clause. */
export function parseClause(text: string): VersionClause | undefined {
  const match = clausePattern.exec(text.trim());
  if (match === null) return undefined;
  const [, operator = "=", ...rest] = match;
  const written = rest.slice(0, 3).filter((part) => part !== undefined);
  const numbers = [0, 1, 2].map((at) => BigInt(written[at] ?? 0));
  const wanted = { numbers, before: rest[3]?.slice(1).split(".") ?? [] };
  return { operator, wanted, fixed: Math.max(written.length - 1, 1) };
}

export function meetsClause(version: Version, { operator, wanted, fixed }: VersionClause): boolean {
  const order = compareVersions(version, wanted);
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
}
