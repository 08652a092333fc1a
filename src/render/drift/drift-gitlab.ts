/**
 * A drift report as GitLab's code quality report: a list of findings, which a merge request
 * compares with those of its target branch by their fingerprints.
 */

import type { DriftReport } from "../../model/plan/drift-report.ts";
import type { Value, ValueMap } from "../../model/value/value.ts";
import { type DriftFinding, driftFindings, driftRules } from "./drift-findings.ts";

/** What stands nowhere in the configuration must have a place all the same. */
const nowhere = { file: ".", line: 1 };

export function driftGitlab(report: DriftReport): readonly ValueMap[] {
  return driftFindings(report).map((finding) => {
    const { rule, message, fingerprint, place = nowhere } = finding;
    const lines: Value = { begin: place.line };
    return {
      description: message,
      check_name: driftRules[rule].id,
      fingerprint,
      severity: severityOf(finding),
      location: { path: place.file, lines },
    };
  });
}

function severityOf({ rule, severity, ignored }: DriftFinding): string {
  if (rule === "unmanaged" || ignored !== undefined) return "info";
  if (rule === "missing") return "critical";
  if (rule === "unknown") return "major";
  switch (severity) {
    case "security":
      return "critical";
    case "power":
    case "capacity":
      return "major";
    case "other":
      return "minor";
    case "cosmetic":
      return "info";
  }
}
