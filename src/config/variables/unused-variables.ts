/** Variables that nothing in the files names: a misspelt use, or one that is left over. */

import type { VariableDeclaration } from "../blocks/variable-declaration.ts";
import type { Report, SourceFile } from "../report.ts";

/** `vars.name`, `vars["name"]`, or `vars` alone, which stands for all of them. */
const usePattern = /\bvars\b(?:\s*\.\s*\??\s*(\w+)|\s*\[\??\s*(["'])(\w+)\2\s*\])?/g;

/**
 * Uses are looked for in the written text, in every block there is, so that none can be missed; a
 * comment counts as one.
 */
export function warnOfUnused(
  declarations: ReadonlyMap<string, VariableDeclaration>,
  files: readonly SourceFile[],
  report: Report,
): void {
  const used = new Set<string>();
  for (const { index } of files) {
    for (const [, name, , quoted] of index.text.matchAll(usePattern)) {
      const found = name ?? quoted;
      if (found === undefined) return;
      used.add(found);
    }
  }
  for (const { name, place, broken } of declarations.values()) {
    if (broken || used.has(name)) continue;
    const detail = `Nothing uses the variable ${name}.`;
    const fix = `Write \${vars.${name}} where it is meant, or remove it.`;
    report.add("CFG051", { severity: "warning", detail, fix, place });
  }
}
