/** Which versions of vmform a configuration may be used with: `>=0.1`, `>= 0.2, < 1`, `~> 0.3`. */

const clausePattern = /^(>=|<=|>|<|=|!=|~>)?\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?$/;

type Version = readonly [major: number, minor: number, patch: number];

/**
 * Whether a version meets every clause, or undefined when the requirement cannot be read. A
 * pre-release counts as its release.
 */
export function meetsRequirement(version: string, requirement: string): boolean | undefined {
  const own = parseVersion(version.replace(/[-+].*$/, ""));
  if (own === undefined) return undefined;
  let met = true;
  for (const clause of requirement.split(",")) {
    const match = clausePattern.exec(clause.trim());
    if (match === null) return undefined;
    met &&= meetsClause(own, match[1] ?? "=", match.slice(2));
  }
  return met;
}

function meetsClause(
  own: Version,
  operator: string,
  written: readonly (string | undefined)[],
): boolean {
  const wanted: Version = [Number(written[0]), Number(written[1] ?? 0), Number(written[2] ?? 0)];
  const order = compareVersions(own, wanted);
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
      // The last number written may grow, those before it may not.
      const fixed = written[2] === undefined ? 1 : 2;
      return order >= 0 && own.slice(0, fixed).every((part, index) => part === wanted[index]);
    }
    default:
      return order === 0;
  }
}

function compareVersions(left: Version, right: Version): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

function parseVersion(text: string): Version | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}
