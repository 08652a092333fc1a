/** The page of diagnostic codes, from the `codes.ts` of each folder, as `vmform explain` has them. */

import { loadSources } from "./load-sources.mjs";

/** What a code begins with, and what it is about. */
const families = {
  CFG: "Configuration",
  PLN: "Planning",
  RUN: "Applying",
  STO: "Recorded state",
  CLI: "Command line",
  FMT: "Layout of files",
  DMN: "Local VM daemon",
  CLD: "Cloud",
  MGR: "Host management",
  APL: "Appliance",
  PKG: "Provider packages",
};

/** The page as Markdown. */
export async function codesText() {
  const codes = await readCodes();
  const parts = Object.entries(families).map(([prefix, title]) => {
    const own = Object.entries(codes).filter(([code]) => code.startsWith(prefix));
    if (own.length === 0) throw new Error(`there is no code ${prefix}`);
    return [`## ${title}`, ...own.toSorted(byCode).map(codeText)].join("\n\n");
  });
  const known = parts.join("\n");
  for (const code of Object.keys(codes)) {
    if (!known.includes(`### ${code}:`)) throw new Error(`${code} has no family`);
  }
  return parts.join("\n\n");
}

async function readCodes() {
  const [explain, registry] = await loadSources([
    "src/commands/configuration/explain.ts",
    "src/providers/registry.ts",
  ]);
  return explain.allCodes(registry);
}

function byCode([left], [right]) {
  return left < right ? -1 : 1;
}

function codeText([code, { summary, explanation, fix }]) {
  const paragraphs = [explanation, ...(fix === undefined ? [] : [fix])];
  return [`### ${code}: ${summary}`, ...paragraphs.map(escaped)].join("\n\n");
}

/** Words with angle brackets or stars are meant as they stand. */
function escaped(text) {
  return text.replaceAll(/[<*_[\]]/g, (sign) => `\\${sign}`);
}
