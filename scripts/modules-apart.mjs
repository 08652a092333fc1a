/**
 * What is loaded as a module by a program that is none: the screen, since it waits while it loads,
 * and what others have written. A plugin of the bundler.
 */

import { fileURLToPath } from "node:url";

/** Of the modules apart, as they are built, beside the chunks. */
export const screenName = "screen";
export const importingName = "import-module";

/** @param {string} path */
const source = (path) => fileURLToPath(new URL(`../src/${path}`, import.meta.url));
const importing = source("lib/import-module.ts");
const loadingScreen = source("ui/load-screen.ts");

/** For the plugin that loads late. */
export const lateApart = {
  "src/lib/import-module.ts": { callables: ["importModule"], apart: `${importingName}.cjs` },
};

export function modulesApart() {
  return {
    name: "modules-apart",
    load: {
      filter: { id: /\/load-screen\.ts$/ },
      /** @param {string} id */
      handler: (id) => {
        if (id !== loadingScreen) return null;
        return `
import { importModule } from ${JSON.stringify(importing)};
export const loadScreen = () =>
  importModule(new URL("./${screenName}.mjs", import.meta.url).href);`;
      },
    },
  };
}
