/** Which variables of a configuration have neither a value nor a default. Pure. */

import { readDeclarations } from "./blocks/variable-declaration.ts";
import type { LoadInput } from "./load.ts";
import { gatherBlocks } from "./read/blocks.ts";
import { parseFile } from "./read/document.ts";
import { createReport } from "./report.ts";
import { gatherGiven } from "./variables/given.ts";

export type MissingVariable = {
  readonly name: string;
  readonly description?: string;
  /** What is typed must not be seen. */
  readonly hidden: boolean;
};

/**
 * In the order of the configuration. None where it has errors that no value mends: they are told
 * first, so that nobody types in vain.
 */
export function missingVariables({
  files,
  variables,
}: Pick<LoadInput, "files" | "variables">): readonly MissingVariable[] {
  const report = createReport();
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const blocks = gatherBlocks(
    sorted.map((file) => parseFile(file, report)),
    report,
  );
  const declarations = readDeclarations(blocks.variables, report);
  const given = gatherGiven(variables, new Set(blocks.variables.keys()), report);
  if (report.errorCount() > 0) return [];
  return [...declarations.values()].flatMap((declaration) => {
    const { name, description, sensitive } = declaration;
    if (given.has(name) || declaration.default !== undefined) return [];
    return [{ name, ...(description === undefined ? {} : { description }), hidden: sensitive }];
  });
}
