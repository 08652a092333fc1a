/** The variables of a configuration with their values. */

import type { Value } from "../../model/value.ts";
import type { Report } from "../report.ts";
import { type GivenValue, readGiven } from "./given.ts";
import type { VariableDeclaration } from "./variable-declaration.ts";

export type Variable = VariableDeclaration & {
  /** Absent when there is none, or none that can be read. */
  readonly value?: Value;
};

/** The value of each variable: the last given, else the default. A missing one is reported. */
export function readVariables(
  declarations: ReadonlyMap<string, VariableDeclaration>,
  given: ReadonlyMap<string, GivenValue>,
  report: Report,
): ReadonlyMap<string, Variable> {
  const variables = new Map<string, Variable>();
  for (const [name, declaration] of declarations) {
    const outside = given.get(name);
    const value =
      outside === undefined ? declaration.default : readGiven(outside, declaration, report);
    variables.set(name, value === undefined ? declaration : { ...declaration, value });
    if (value !== undefined || outside !== undefined || declaration.broken) continue;
    const detail = `The variable ${name} has no default and no value was given.`;
    const fix = `Give --var ${name}=VALUE, a --var-file, or set VMFORM_VAR_${name}.`;
    report.add("CFG026", { detail, fix, place: declaration.place });
  }
  return variables;
}
