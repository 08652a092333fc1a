/** The navigation of the site: pages in groups by what a reader comes for. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const groups = [
  { text: "Begin", files: ["tutorial", "from-terraform", "simulator"] },
  { text: "Use", files: ["configuration", "modules", "functions", "policies", "testing", "cloud"] },
  {
    text: "Operate",
    files: [
      "rehearsal",
      "drift",
      "state",
      "stores",
      "fleet",
      "workers",
      "web",
      "sites",
      "scale",
      "recipes",
      "editor",
    ],
  },
  { text: "Look up", files: ["commands", "codes", "provider-packages"] },
];

/** Folders of pages that are made of schemas. */
const folders = { resources: "Resources", data: "Data sources", providers: "Providers" };

/** The sidebar for the pages of a folder; throws where one of them has no place in it. */
export function pages(docs) {
  const placed = new Set(groups.flatMap(({ files }) => files));
  const found = names(docs);
  const lost = [
    ...found.filter((name) => !placed.has(name)),
    ...[...placed].filter((name) => !found.includes(name)),
  ];
  if (lost.length > 0)
    throw new Error(`the navigation and docs do not agree on ${lost.join(", ")}`);
  const entry = (path) => ({ text: title(join(docs, `${path}.md`)), link: `/docs/${path}` });
  return [
    ...groups.map(({ text, files }) => ({ text, items: files.map(entry) })),
    ...Object.entries(folders).map(([folder, text]) => ({
      text,
      collapsed: true,
      items: names(join(docs, folder)).map((name) => entry(`${folder}/${name}`)),
    })),
    {
      text: "Project",
      items: [
        { text: "Changes", link: "/CHANGELOG" },
        { text: "Architecture", link: "/ARCHITECTURE" },
      ],
    },
  ];
}

function names(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith(".md"));
  return files.map((file) => file.slice(0, -".md".length)).toSorted();
}

function title(path) {
  const heading = /^# (.*)$/m.exec(readFileSync(path, "utf8"))?.[1];
  if (heading === undefined) throw new Error(`${path} has no heading`);
  return heading.replaceAll("`", "");
}
