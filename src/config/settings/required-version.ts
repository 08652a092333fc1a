/** Which versions of vmform a configuration may be used with: `>=0.1`, `>= 0.2, < 1`, `~> 0.3`. */

import { meetsClause, parseClause, parseVersion } from "../../lib/version.ts";

/**
 * Whether a version meets every clause, or undefined when the requirement cannot be read. A
 * pre-release counts as its release.
 */
export function meetsRequirement(version: string, requirement: string): boolean | undefined {
  const own = parseVersion(version.replace(/[-+].*$/, ""));
  const clauses = requirement.split(",").map(parseClause);
  if (own === undefined || clauses.includes(undefined)) return undefined;
  return clauses.every((clause) => clause !== undefined && meetsClause(own, clause));
}
