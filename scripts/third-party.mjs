/**
 * The licenses of the packages that a bundle holds, as a file beside it: `THIRD-PARTY.txt`, one
 * entry for each package in the order of names. Most licenses ask for it.
 *
 * A plugin of the bundler, since only the bundler knows which modules are left at the end. A package
 * without a text of its license ends the build, unless it says by name what may be handed on so.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const text = /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i;

/** Of these a package may have no text: the description names license and author. */
const withoutText = new Set(["MIT", "ISC", "BlueOak-1.0.0", "Apache-2.0"]);

export function thirdParty() {
  // Of all bundles that it is a plugin of: the last one's file has them all.
  const folders = new Set();
  return {
    name: "third-party",
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        for (const id of chunk.moduleIds ?? []) {
          const folder = packageFolder(id);
          if (folder !== undefined) folders.add(folder);
        }
      }
      const entries = [...folders].map(entry).toSorted((a, b) => (a.title < b.title ? -1 : 1));
      const source = entries
        .map(({ title, said }) => `${title}\n\n${said}\n`)
        .join(`\n${"-".repeat(72)}\n\n`);
      if (entries.length > 0) this.emitFile({ type: "asset", fileName: "THIRD-PARTY.txt", source });
    },
  };
}

/** The folder of the package that a module is of, by the nearest description that has a name. */
function packageFolder(id) {
  const path = id.replace(/^\0[^:]*:?/, "").replace(/\?.*$/, "");
  if (!path.includes("/node_modules/")) return undefined;
  for (let folder = dirname(path); !folder.endsWith("/node_modules"); folder = dirname(folder)) {
    const description = join(folder, "package.json");
    if (existsSync(description) && JSON.parse(readFileSync(description, "utf8")).version)
      return folder;
  }
  return undefined;
}

function entry(folder) {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const files = readdirSync(folder)
    .filter((file) => text.test(file))
    .toSorted();
  if (files.length === 0 && !withoutText.has(license)) {
    throw new Error(`${name} ${version} (${license}) has no text of its license`);
  }
  const by = typeof author === "string" ? author : author?.name;
  const said =
    files.length > 0
      ? files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n")
      : `Licensed under ${license}${by === undefined ? "" : ` by ${by}`}; the package has no text of it.`;
  return { title: `${name} ${version} (${license})`, said };
}
