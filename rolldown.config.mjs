/**
 * The published program: `dist/main.js`, with all packages in it but one, in chunks that are loaded when a
 * command needs them. Modules that are only imported dynamically are chunks of their own.
 */

import { fileURLToPath } from "node:url";
import { defineConfig } from "rolldown";
import { compiledAhead } from "./scripts/compiled-ahead.mjs";
import { thirdParty } from "./scripts/third-party.mjs";

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
  { name: "planning", roots: ["src/cli/plan/planning.ts", "src/wiring/providers.ts"] },
];

const yamlFolder = import.meta.resolve("yaml/package.json");
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

/**
 * Packages that few runs use and that take long to compile. What is imported of them are classes;
 * a stand-in for each loads the package when it is first used.
 */
const late = {
  re2js: ["RE2JS", "RE2JSException"],
  "fast-xml-parser": ["XMLParser", "XMLValidator"],
};

const loadLate = {
  name: "late",
  buildStart() {
    for (const id of Object.keys(late)) {
      this.emitFile({ type: "chunk", id, fileName: `chunks/${id}.js` });
    }
  },
  resolveId(id, _importer, { isEntry }) {
    return Object.hasOwn(late, id) && !isEntry ? `\0late:${id}` : null;
  },
  load(id) {
    if (!id.startsWith("\0late:")) return null;
    const name = id.slice("\0late:".length);
    const exported = late[name].map((item) => `export const ${item} = standIn("${item}");`);
    return `
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
let loaded;
const real = (item) => (loaded ??= require("./${name}.js"))[item];
const standIn = (item) => new Proxy(function () {}, {
  get: (_, key) => real(item)[key],
  construct: (_, values) => Reflect.construct(real(item), values),
});
${exported.join("\n")}`;
  },
};

export default defineConfig({
  input: { main: "src/main.ts" },
  platform: "node",
  preserveEntrySignatures: "allow-extension",
  // The first brings binaries, and finds them beside itself. The second is for those who work on
  // ink, which asks for it only then.
  external: ["fs-native-extensions", "react-devtools-core"],
  // React has another build for those who work with it, of three times the size.
  transform: { define: { "process.env.NODE_ENV": '"production"' } },
  // Modules are less to compile than the same in CommonJS, which is what Node.js is given.
  resolve: { alias: { yaml: fileURLToPath(new URL("browser/index.js", yamlFolder)) } },
  plugins: [loadLate, compiledAhead(), thirdParty()],
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
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: nameOfStage, debugName: "stages" }],
    },
  },
});
