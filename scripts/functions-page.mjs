/** The page of functions, from the table that the language is made of. */

import { loadSources } from "./load-sources.mjs";

export async function functionsText() {
  const [{ functionTable }] = await loadSources(["src/expressions/functions/functions.ts"]);
  const groups = [...new Set(functionTable.map(({ group }) => group))];
  return groups
    .map((group) => {
      const own = functionTable.filter((entry) => entry.group === group);
      const sorted = own.toSorted((left, right) => (left.name < right.name ? -1 : 1));
      return [`## ${group}`, ...sorted.map(entryText)].join("\n\n");
    })
    .join("\n\n");
}

function entryText({ form, sentence, examples }) {
  const shown = examples.map(({ expression, value }) => `${expression}\n# ${value}`);
  return [`### \`${form}\``, sentence, ["```text", ...shown, "```"].join("\n")].join("\n\n");
}
