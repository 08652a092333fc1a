/** Which variables that are declared sensitive get a value not from the environment. Pure. */

import { readDeclarations } from "../blocks/variable-declaration.ts";
import { gatherBlocks } from "../read/blocks.ts";
import { type FileBytes, parseFile } from "../read/document.ts";
import { createReport } from "../report.ts";
import { gatherGiven, type VariableSources } from "./given.ts";

/** Their names, sorted. What is wrong with the configuration is told by others. */
export function secretsGiven(
  files: readonly FileBytes[],
  given: Omit<VariableSources, "environment">,
): readonly string[] {
  const report = createReport();
  const parsed = files.map((file) => parseFile(file, report));
  const { variables } = gatherBlocks(parsed, report);
  const declarations = readDeclarations(variables, report);
  const values = gatherGiven({ ...given, environment: {} }, new Set(variables.keys()), report);
  return [...values.keys()].filter((name) => declarations.get(name)?.sensitive === true).toSorted();
}
