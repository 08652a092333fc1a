/** The variables of a configuration with their values. */

import type { Value } from "../../model/value/value.ts";
import type { VariableDeclaration } from "../blocks/variable-declaration.ts";
import { listWords } from "../read/form/spelling.ts";
import type { Report } from "../report.ts";
import { type GivenValue, readGiven } from "./given.ts";

export type Variable = VariableDeclaration & {
  /** Absent when there is none, or none that can be read. */
  readonly value?: Value;
};

/** What is said of a variable without any value: it has to be given, or may be given later. */
export type MissingValues = "refused" | "later";

/** The value of each variable: the last given, else the default. Missing ones are reported. */
export function readVariables(
  declarations: ReadonlyMap<string, VariableDeclaration>,
  given: ReadonlyMap<string, GivenValue>,
  missingValues: MissingValues,
  report: Report,
): ReadonlyMap<string, Variable> {
  const later: VariableDeclaration[] = [];
  const variables = new Map<string, Variable>();
  for (const [name, declaration] of declarations) {
    const outside = given.get(name);
    const value =
      outside === undefined ? declaration.default : readGiven(outside, declaration, report);
    variables.set(name, value === undefined ? declaration : { ...declaration, value });
    if (value !== undefined || outside !== undefined || declaration.broken) continue;
    if (missingValues === "later") {
      later.push(declaration);
      continue;
    }
    const detail = `The variable ${name} has no default and no value was given.`;
    const fix = `Give --var ${name}=VALUE, a --var-file, or set VMFORM_VAR_${name}.`;
    report.add("CFG026", { detail, fix, place: declaration.place });
  }
  reportUnchecked(later, report);
  return variables;
}

/** One line for all of them; what uses them is not judged, as with a value that has problems. */
function reportUnchecked(later: readonly VariableDeclaration[], report: Report): void {
  const [first] = later;
  if (first === undefined) return;
  const names = listWords(
    later.map(({ name }) => name),
    "and",
  );
  const those = later.length === 1 ? "it" : "them";
  const detail = `Without a value of ${names}, what depends on ${those} was not checked.`;
  report.add("CFG048", { severity: "warning", detail, place: first.place });
}
