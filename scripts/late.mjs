/**
 * Modules that few runs use and that take long to compile: in the place of each stand its exports,
 * which load the module when they are first used. A plugin of the bundler.
 *
 * What is exported must be a class, a function or an object; nothing may use it while modules load.
 */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const prefix = "\0late:";
const loading = fileURLToPath(new URL("../src/lib/late.ts", import.meta.url));

/**
 * @typedef {object} LateNames names of what is imported
 * @property {readonly string[]} [callables] classes and functions
 * @property {readonly string[]} [objects]
 * @property {RegExp} [builtinOf] a module of Node.js, left for later where it is imported from there
 * @property {string} [apart] the file beside the chunks that it was built as before
 * @property {boolean} [isEarly] what a run needs of it, if anything, it needs before it plans
 */

/**
 * @param {{ readonly [module: string]: LateNames }} modules
 *   by package, by path from the top, or by the id of a module that another plugin makes
 */
export function late(modules) {
  const known = Object.entries(modules).map(([id, names]) => {
    const path = fileURLToPath(new URL(`../${id.replace("\0", "")}`, import.meta.url));
    const name = `late-${id.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, "")}`;
    return { ...names, id: existsSync(path) ? path : id, name };
  });
  return {
    name: "late",
    buildStart() {
      for (const one of known) {
        if (one.builtinOf || one.apart) continue;
        one.file = this.emitFile({ type: "chunk", id: one.id, name: one.name });
      }
    },
    resolveId: {
      // Asked for each import there is, it would take most of the time of a build.
      filter: { id: new RegExp(`(${known.map(({ id }) => ending(id)).join("|")})$`) },
      /** Where the module itself is asked for, as what is loaded late, there is no stand-in. */
      handler(id, importer, { isEntry }) {
        if (isEntry || importer === undefined || importer.startsWith(prefix)) return null;
        const path = id.startsWith(".") ? resolve(dirname(importer), id) : id;
        const one = known.find((module) => module.id === path);
        if (one === undefined || one.builtinOf?.test(importer) === false) return null;
        return `${prefix}${one.name}`;
      },
    },
    load(id) {
      if (id === loading) return loadingModule(known);
      const one = known.find(({ name }) => id === `${prefix}${name}`);
      return one === undefined ? null : standIns(one);
    },
    /** A name that is not there would be missed by whoever uses it first. */
    writeBundle({ dir }) {
      const folder = resolve(dir);
      const require = createRequire(join(folder, "main.js"));
      for (const { id, file, builtinOf, apart, callables = [], objects = [] } of known) {
        const built = () => join(folder, apart ? `chunks/${apart}` : this.getFileName(file));
        const exported = require(builtinOf ? id : built());
        const lacking = [...callables, ...objects].filter((name) => !(name in exported));
        if (lacking.length > 0) throw new Error(`${id} does not export ${lacking.join(", ")}`);
      }
    },
  };
}

/** The last part of an id, as a part of a pattern. */
function ending(id) {
  return id.slice(id.lastIndexOf("/") + 1).replaceAll(/[.\0]/g, ".");
}

/** What loads, by the `require` of the file that it becomes a part of. */
function loadingModule(known) {
  const files = known.map(({ name, file, id, builtinOf, apart }) => {
    const url = apart
      ? `new URL("./${apart}", import.meta.url)`
      : `import.meta.ROLLUP_FILE_URL_${file}`;
    return `["${name}", () => ${builtinOf ? JSON.stringify(id) : `fileURLToPath(${url})`}]`;
  });
  const early = known.filter(({ isEarly }) => isEarly).map(({ name }) => name);
  return `
import { fileURLToPath } from "node:url";
const files = new Map([${files.join(", ")}]);
const early = new Set(${JSON.stringify(early)});
const loaded = new Map();
export function loadLateModules(everything) {
  // What loads the program (\`src/start/texts.ts\`) can take all files into memory; Node.js cannot.
  require.readAhead?.();
  for (const name of files.keys()) {
    if (everything || !early.has(name)) lateModule(name);
  }
}
export function lateModule(name) {
  if (!loaded.has(name)) loaded.set(name, require(files.get(name)()));
  return loaded.get(name);
}`;
}

function standIns({ name: module, callables = [], objects = [] }) {
  return `
import { lateModule } from ${JSON.stringify(loading)};
const real = (name) => lateModule("${module}")[name];
const objectOf = (name) => new Proxy({}, {
  get: (_, key) => real(name)[key],
  has: (_, key) => key in real(name),
  ownKeys: () => Reflect.ownKeys(real(name)),
  getOwnPropertyDescriptor: (_, key) => {
    const own = Reflect.getOwnPropertyDescriptor(real(name), key);
    return own === undefined ? undefined : { ...own, configurable: true };
  },
});
const callableOf = (name) => new Proxy(function () {}, {
  get: (_, key) => real(name)[key],
  apply: (_, self, values) => Reflect.apply(real(name), self, values),
  construct: (_, values, target) => Reflect.construct(real(name), values, target),
});
${callables.map((name) => `export const ${name} = /* @__PURE__ */ callableOf("${name}");`).join("\n")}
${objects.map((name) => `export const ${name} = /* @__PURE__ */ objectOf("${name}");`).join("\n")}`;
}
