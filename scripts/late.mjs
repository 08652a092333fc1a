/**
 * Modules that few runs use and that take long to compile: in the place of each stand its exports,
 * which load the module when they are first used. A plugin of the bundler.
 *
 * What is exported must be a class, a function or an object; nothing may use it while modules load.
 */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const prefix = "\0late:";

/**
 * @param {{ readonly [module: string]: { readonly callables?: readonly string[], readonly objects?: readonly string[] } }} modules
 *   names of what is imported, by package or by path from the top
 */
export function late(modules) {
  const known = Object.entries(modules).map(([id, names]) => {
    const path = fileURLToPath(new URL(`../${id}`, import.meta.url));
    const file = id.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, "");
    return { ...names, id: existsSync(path) ? path : id, file: `late-${file}.js` };
  });
  return {
    name: "late",
    buildStart() {
      for (const { id, file } of known) {
        this.emitFile({ type: "chunk", id, fileName: `chunks/${file}` });
      }
    },
    /** Where the module itself is asked for, as what is loaded late, there is no stand-in. */
    async resolveId(id, importer, options) {
      if (options.isEntry || importer === undefined || importer.startsWith(prefix)) return null;
      const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
      const one = known.find((module) => module.id === id || module.id === resolved?.id);
      return one === undefined ? null : `${prefix}${one.file}`;
    },
    load(id) {
      const one = known.find(({ file }) => id === `${prefix}${file}`);
      return one === undefined ? null : standIns(one);
    },
  };
}

function standIns({ file, callables = [], objects = [] }) {
  return `
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
let loaded;
const real = (name) => (loaded ??= require("./${file}"))[name];
const handler = (name) => ({
  get: (_, key) => real(name)[key],
  has: (_, key) => key in real(name),
  ownKeys: () => Reflect.ownKeys(real(name)),
  getOwnPropertyDescriptor: (_, key) => {
    const own = Reflect.getOwnPropertyDescriptor(real(name), key);
    return own === undefined ? undefined : { ...own, configurable: true };
  },
});
const objectOf = (name) => new Proxy({}, handler(name));
const callableOf = (name) => new Proxy(function () {}, {
  get: (_, key) => real(name)[key],
  apply: (_, self, values) => Reflect.apply(real(name), self, values),
  construct: (_, values, target) => Reflect.construct(real(name), values, target),
});
${callables.map((name) => `export const ${name} = /* @__PURE__ */ callableOf("${name}");`).join("\n")}
${objects.map((name) => `export const ${name} = /* @__PURE__ */ objectOf("${name}");`).join("\n")}`;
}
