/**
 * The published program: `dist/main.js`, with all packages in it but one, in chunks that are loaded when a
 * command needs them. Modules that are only imported dynamically are chunks of their own.
 */

import { fileURLToPath } from "node:url";
import { defineConfig } from "rolldown";
import { ascii } from "./scripts/ascii.mjs";
import { compiledAhead, lateParts } from "./scripts/compiled-ahead.mjs";
import { kindOfFiles } from "./scripts/kind-of-files.mjs";
import { late } from "./scripts/late.mjs";
import { importingName, lateApart, modulesApart, screenName } from "./scripts/modules-apart.mjs";
import { settledExports } from "./scripts/settled-exports.mjs";
import { thirdParty } from "./scripts/third-party.mjs";

/** Each is loaded when a name of it is used. */
const providers = ["appliance", "cloud", "daemon", "manager"].map(
  (name) => `src/providers/${name}/provider.ts`,
);

/**
 * Each chunk that is loaded costs, however small it is: what the commands of a stage always load
 * together, beyond the stages before it, is one. With `shared`, it is what more than one of the
 * roots loads.
 */
const stages = [
  { name: "base", roots: ["src/main.ts", "src/cli/version.ts"] },
  {
    name: "configuration",
    roots: ["src/cli/configuration/validate.ts", "src/wiring/environment.ts"],
  },
  {
    name: "planning",
    roots: [
      ...["src/cli/plan/planning.ts", "src/wiring/providers.ts"],
      "src/wiring/stores/mirrors.ts",
    ],
  },
  { name: "types", roots: providers, shared: true },
  { name: "applying", roots: ["src/cli/plan/apply.ts"] },
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

/** Names of stages by module. */
function reached(context) {
  const names = new Map();
  for (const { name, roots, shared = false } of stages) {
    const counts = new Map();
    for (const root of roots) {
      for (const id of importedBy(context, root)) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    for (const [id, count] of counts) {
      if (!names.has(id) && (count > 1 || !shared)) names.set(id, name);
    }
  }
  return names;
}

/** A module and what it imports without `import()`, however deep. */
function importedBy(context, path) {
  const found = new Set();
  const waiting = [fileURLToPath(new URL(path, import.meta.url))];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(context.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

/** What codes mean is asked when one is told. */
const codes = {
  "src/commands/codes.ts": "commandCodes",
  "src/engine/codes.ts": "runCodes",
  "src/plan/codes.ts": "planCodes",
  "src/state/codes.ts": "storeCodes",
  ...Object.fromEntries(
    ["appliance", "cloud", "daemon", "manager"].map((name) => [
      `src/providers/${name}/codes.ts`,
      `${name}Codes`,
    ]),
  ),
};

const lateModules = late({
  ...lateParts,
  ...lateApart,
  // commander brings it along for commands that are programs of their own.
  "node:child_process": {
    callables: ["execFile", "spawn"],
    builtinOf: /^(?!.*\/node_modules\/)|\/commander\//,
  },
  "node:crypto": {
    callables: [
      ...["createHash", "createHmac", "createCipheriv", "createDecipheriv", "hkdfSync"],
      ...["scryptSync", "randomBytes", "randomUUID", "timingSafeEqual", "X509Certificate"],
    ],
    builtinOf: /^(?!.*\/node_modules\/)/,
  },
  ajv: { callables: ["Ajv"], isEarly: true },
  re2js: { callables: ["RE2JS", "RE2JSException"], isEarly: true },
  "fast-xml-parser": { callables: ["XMLParser", "XMLValidator"], isEarly: true },
  // Many a configuration has no expression.
  "@marcbachmann/cel-js": {
    callables: [
      "Environment",
      "EvaluationError",
      "ParseError",
      "TypeError",
      "Optional",
      "serialize",
    ],
  },
  "src/expressions/functions/functions.ts": {
    callables: ["registerFunctions", "registerNullEquality"],
    objects: ["functionTable"],
  },
  "src/expressions/check/check.ts": { callables: ["checkTemplate", "typeMisfit"] },
  "src/expressions/evaluate/evaluate.ts": {
    callables: ["evaluateTemplate", "textTypeProblems", "isWithin"],
  },
  "src/expressions/evaluate/deferred.ts": {
    callables: [
      ...["deferTemplate", "deferStructure", "deferMember"],
      ...["evaluateDeferred", "valuesOfDeferred"],
    ],
  },
  "src/render/text/value/differences.ts": {
    callables: ["lineChanges", "itemEdits", "memberEdits"],
  },
  // A store that few configurations name.
  "src/store/http/place.ts": {
    callables: ["locationOf", "placeOf", "tokensIn", "requireSafe"],
  },
  // Operations that a run has left open.
  "src/engine/recover.ts": { callables: ["closeInterrupted"] },
  ...Object.fromEntries(
    Object.entries(codes).map(([path, name]) => [
      path,
      { callables: name === "daemonCodes" ? ["problem"] : ["problem", "warning"], objects: [name] },
    ]),
  ),
  "src/config/codes.ts": { objects: ["configurationCodes", "configurationProblems"] },
  ...Object.fromEntries(
    providers.map((path) => [path, { objects: [`${path.split("/")[2]}Provider`] }]),
  ),
});

/** What Node.js is given is no module: those take longer to load, and their code cannot be kept. */
const common = {
  platform: "node",
  // React has another build for those who work with it, of three times the size.
  transform: { define: { "process.env.NODE_ENV": '"production"' } },
  logLevel: "warn",
};
const output = {
  dir: "dist",
  format: "cjs",
  sourcemap: true,
  // Half the text to compile at each start. Names of functions stay, for stack traces.
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  entryFileNames: "[name].js",
};
const licenses = thirdParty();

export default defineConfig([
  {
    ...common,
    input: { [screenName]: "src/ui/screen.ts" },
    // For those who work on ink, which asks for it only then.
    external: ["react-devtools-core"],
    plugins: [licenses],
    output: {
      ...output,
      cleanDir: true,
      format: "esm",
      // Beside the chunks, which alone ask for it.
      entryFileNames: "chunks/[name].mjs",
      chunkFileNames: "chunks/[name]-[hash].mjs",
    },
  },
  {
    ...common,
    input: { [importingName]: "src/lib/import-module.ts" },
    plugins: [ascii()],
    output: { ...output, entryFileNames: "chunks/[name].cjs" },
  },
  { ...common, input: { main: "src/start/start.ts" }, plugins: [ascii()], output },
  // The last: a part of it is run, to see that it is whole.
  {
    ...common,
    input: { program: "src/main.ts" },
    preserveEntrySignatures: "allow-extension",
    // It brings binaries, and finds them beside itself.
    external: ["fs-native-extensions"],
    // Modules are less to compile than the same in CommonJS, which is what Node.js is given.
    resolve: { alias: { yaml: fileURLToPath(new URL("browser/index.js", yamlFolder)) } },
    plugins: [
      modulesApart(),
      lateModules,
      compiledAhead(),
      licenses,
      settledExports(),
      kindOfFiles("commonjs"),
      ascii(),
    ],
    output: {
      ...output,
      // Code that is kept compiled can import nothing.
      dynamicImportInCjs: false,
      chunkFileNames: "chunks/[name]-[hash].js",
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: nameOfStage, debugName: "stages" }],
      },
    },
  },
]);
