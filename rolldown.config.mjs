/**
 * The published program: `dist/main.js`, with all packages in it but one, in chunks that are loaded when a
 * command needs them. Modules that are only imported dynamically are chunks of their own.
 */

import { fileURLToPath } from "node:url";
import { defineConfig } from "rolldown";

/**
 * Each chunk that is loaded costs, however small it is: what the commands of a stage always load
 * together, beyond the stages before it, is one.
 */
const stages = [
  { name: "base", roots: ["src/main.ts", "src/cli/version.ts"] },
  {
    name: "configuration",
    roots: ["src/cli/configuration/validate.ts", "src/wiring/environment.ts"],
  },
  { name: "planning", roots: ["src/cli/plan/plan.ts", "src/wiring/providers.ts"] },
];

const entry = fileURLToPath(new URL("src/main.ts", import.meta.url));
/** Names of stages by module; made when the first module is asked for. */
let stageOf;

function nameOfStage(id, context) {
  stageOf ??= reached(context);
  // What the entry waits for would wait for the entry, if that stood beside its own imports.
  return id === entry ? null : (stageOf.get(id) ?? null);
}

/** What is imported without `import()`, however deep. */
function reached(context) {
  const names = new Map();
  for (const { name, roots } of stages) {
    const waiting = roots.map((root) => fileURLToPath(new URL(root, import.meta.url)));
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (names.has(id)) continue;
      names.set(id, name);
      waiting.push(...(context.getModuleInfo(id)?.importedIds ?? []));
    }
  }
  return names;
}

export default defineConfig({
  input: { main: "src/main.ts" },
  platform: "node",
  // It brings binaries, and finds them beside itself.
  external: ["fs-native-extensions"],
  logLevel: "warn",
  output: {
    dir: "dist",
    cleanDir: true,
    format: "esm",
    sourcemap: true,
    // Half the text to compile at each start. Names of functions stay, for stack traces.
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: nameOfStage }] },
  },
});
