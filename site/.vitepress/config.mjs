/**
 * The site of the documentation: the same Markdown that a reader of the repository sees, with
 * navigation and a search that needs no server. A link to a page that is not there ends the build.
 */

import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { pages } from "./pages.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Files that pages link to and that are no pages: they stand on the site as they are. */
const asTheyAre = /^(?:\.\.?\/)*(examples\/.*|LICENSE)$/;

/** Links to them are seen from the top, wherever the page stands, and open as files. */
function linkFiles(markdown) {
  markdown.core.ruler.push("files", ({ tokens }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        const path = token.type === "link_open" && asTheyAre.exec(token.attrGet("href"))?.[1];
        if (!path) continue;
        token.attrSet("href", `/${path}`);
        token.attrSet("target", "_self");
        linked.add(path);
      }
    }
  });
}
const linked = new Set();

/** Braces of a page are text, as everywhere else; here they would be code. */
function keepBraces({ renderer }) {
  for (const name of ["text", "code_inline"]) {
    const render = renderer.rules[name];
    renderer.rules[name] = (...given) => render(...given).replaceAll("{{", "&#123;&#123;");
  }
}

/** Comments are for who edits the pages; without HTML they would be text for readers. */
function dropComments(markdown) {
  markdown.core.ruler.after("block", "comments", (state) => {
    const isComment = (token) => token?.type === "inline" && /^<!--[^]*-->$/.test(token.content);
    // The beginning and the end of its paragraph stand around it.
    state.tokens = state.tokens.filter((_, index, tokens) =>
      [index - 1, index, index + 1].every((at) => !isComment(tokens[at])),
    );
  });
}

/**
 * Pages stand above the folder that has the packages of the site, so what they are compiled to is
 * told where those are: as modules, since what is CommonJS would look for its own packages there.
 */
const ownPackages = {
  "vue/server-renderer": "@vue/server-renderer/dist/server-renderer.esm-bundler.js",
  vue: "vue/dist/vue.runtime.esm-bundler.js",
};

function ownPackage([name, file]) {
  return { find: new RegExp(`^${name}$`), replacement: fileURLToPath(import.meta.resolve(file)) };
}

export default defineConfig({
  title: "vmform",
  description: "Plan, apply and drift reports for virtualization management interfaces, from YAML",
  srcDir: root,
  // Everything else in the checkout is no page for readers of the site.
  srcExclude: ["**/node_modules/**", "{bench,dist,examples,release,schemas,scripts,site,test}/**"],
  outDir: fileURLToPath(new URL("../dist", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../.cache", import.meta.url)),
  rewrites: { "README.md": "index.md" },
  vite: { resolve: { alias: Object.entries(ownPackages).map(ownPackage) } },
  markdown: {
    html: false,
    config: (markdown) => {
      dropComments(markdown);
      linkFiles(markdown);
      keepBraces(markdown);
    },
  },
  transformHtml(code, id) {
    if (/<p>\s*&lt;!--/.test(code)) throw new Error(`${id} shows a comment to its readers`);
  },
  // What was built of the same pages is the same.
  lastUpdated: false,
  themeConfig: {
    search: { provider: "local" },
    sidebar: pages(join(root, "docs")),
    outline: [2, 3],
  },
  buildEnd({ outDir }) {
    for (const path of linked) {
      mkdirSync(dirname(join(outDir, path)), { recursive: true });
      cpSync(join(root, path), join(outDir, path));
    }
  },
});
