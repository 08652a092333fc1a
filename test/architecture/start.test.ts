/** Which packages a command loads whatever it is asked: what joins them makes every start longer. */

import { posix } from "node:path";
import { expect, it } from "vitest";
import { findImports } from "./imports.ts";
import { readProjectFile } from "./project-files.ts";

/** Packages that are reached without `import()`. */
function packagesOf(...roots: readonly string[]): readonly string[] {
  const seen = new Set(roots);
  const packages = new Set<string>();
  for (const path of seen) {
    for (const { kind, specifier = "" } of findImports(path, readProjectFile(path)).imports) {
      if (kind !== "import" && kind !== "re-export") continue;
      if (specifier.startsWith(".")) seen.add(posix.join(posix.dirname(path), specifier));
      else if (!specifier.startsWith("node:")) packages.add(specifier);
    }
  }
  return [...packages].toSorted();
}

const ofConfigurations = ["@marcbachmann/cel-js", "ajv", "commander", "yaml"];
/** These have stand-ins in the bundle, `rolldown.config.mjs`, as most others of the list have. */
const late = ["fast-xml-parser", "re2js"];

it.each([
  [["src/main.ts", "src/cli/version.ts"], ["commander"]],
  [
    ["src/cli/configuration/validate.ts", "src/wiring/environment.ts"],
    [...ofConfigurations, ...late],
  ],
  [
    ["src/cli/plan/planning.ts", "src/wiring/environment.ts", "src/wiring/providers.ts"],
    [...ofConfigurations, "diff", ...late],
  ],
])("%j load no package more", (roots, packages) => {
  expect(packagesOf(...roots)).toEqual(packages.toSorted());
});
