/**
 * Draws files of Graphviz and reads files of Mermaid, with their own libraries from the folder that
 * is named first. Prints, of each file, the names of what is drawn, or the kind of the drawing.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages = "", ...files] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(packages, path)).href);

// Mermaid cleans its labels with what a browser has.
const { JSDOM } = (await load("jsdom/lib/api.js")).default;
globalThis.window = new JSDOM("").window;
globalThis.document = globalThis.window.document;
const { default: mermaid } = await load("mermaid/dist/mermaid.core.mjs");
const { instance } = await load("@viz-js/viz/dist/viz.js");
const graphviz = await instance();

const said = [];
for (const file of files) {
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".mmd")) said.push((await mermaid.parse(text)).diagramType);
  else said.push((graphviz.renderJSON(text).objects ?? []).map(({ name }) => name));
}
console.log(JSON.stringify(said));
