/**
 * The reference parts of the documentation, from the JSON Schemas and the codes of diagnostics: what
 * stands between the two marks of a page. Everything else on a page is written by hand and stays. Run it after a change of a
 * schema; `--check` only compares.
 *
 *     node scripts/generate-docs.mjs [--check]
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { codesText } from "./codes-page.mjs";
import { functionsText } from "./functions-page.mjs";
import { loadSources } from "./load-sources.mjs";
import { writeOrCheck } from "./write-or-check.mjs";

const root = new URL("../", import.meta.url);
const endMark = "<!-- end of the generated part -->";
const columns = 100;

const [{ withWaySettings }] = await loadSources(["src/providers/kit/schema/way-settings.ts"]);
const way = readSchema("schemas/way.schema.json");

function attributePages(folder) {
  return readdirSync(new URL(`schemas/${folder}/`, root))
    .toSorted()
    .map((file) => {
      const source = `schemas/${folder}/${file}`;
      const own = readSchema(source);
      const schema = folder === "providers" ? withWaySettings(own, way) : own;
      return {
        path: `docs/${folder}/${schema.title}.md`,
        title: schema.title,
        source,
        text: attributesText(schema, givenHeadings[folder]),
      };
    });
}

/** Above what a person gives. */
const givenHeadings = {
  resources: "## Attributes you set",
  data: "## Arguments",
  providers: "## Settings",
};

function configurationPage() {
  const source = "schemas/config.schema.json";
  return {
    path: "docs/configuration.md",
    title: "Configuration",
    source,
    text: blocksText(source),
  };
}

function readSchema(path) {
  return JSON.parse(readFileSync(new URL(path, root), "utf8"));
}

function testingPage() {
  const source = "schemas/test.schema.json";
  return { path: "docs/testing.md", parts: [{ source, text: blocksText(source) }] };
}

/** World files and fault scripts: a part of the page for each schema. */
function simulatorPage() {
  const parts = ["daemon", "cloud", "manager", "appliance", "control"];
  const sources = [...parts.map((part) => `simulator/${part}`), "faults"];
  return {
    path: "docs/simulator.md",
    parts: sources.map((name) => {
      const source = `schemas/${name}.schema.json`;
      return { source, text: documentText(source) };
    }),
  };
}

/** Every map of a world file or a fault script with its members. */
function documentText(source) {
  const { definitions } = readSchema(source);
  const maps = Object.entries(definitions).filter(([, { properties }]) => properties !== undefined);
  const told = maps.map(([name, map]) =>
    blockText(placeOf(name, definitions) ?? headings[name] ?? name, map, definitions),
  );
  return told.join("\n\n").replaceAll(/^### /gm, "#### ");
}

/** Where a map stands, as a heading: `manager.rules`, or `An entry of manager.vms`. */
function placeOf(name, definitions) {
  const part = /^(\w+)Part$/.exec(name);
  if (part !== null) return `\`${part[1].toLowerCase()}\``;
  const reference = `#/definitions/${name}`;
  for (const [holder, { properties = {} }] of Object.entries(definitions)) {
    const simulator = /^(\w+)Part$/.exec(holder)?.[1].toLowerCase();
    for (const [member, { $ref, items, additionalProperties }] of Object.entries(properties)) {
      const place = `\`${simulator === undefined ? "" : `${simulator}.`}${member}\``;
      if ($ref === reference) return place;
      if ([items?.$ref, additionalProperties?.$ref].includes(reference)) {
        return `An entry of ${place}`;
      }
    }
  }
  return undefined;
}

/** The page as it is, with its generated parts made anew. */
function pageFile({ path, title, source, text, parts = [{ source, text }] }) {
  const file = new URL(path, root);
  const page = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  return { path, text: parts.reduce((before, part) => withPart(before, part, path, title), page) };
}

function withPart(page, { source, text }, path, title) {
  const beginMark = `<!-- generated from ${source} by scripts/generate-docs.mjs -->`;
  const part = `${beginMark}\n\n${text}\n\n${endMark}`;
  if (page === undefined) return `# ${title}\n\n${part}\n`;
  const begin = page.indexOf(beginMark);
  const end = page.indexOf(endMark, begin);
  if (begin === -1 || end === -1) throw new Error(`${path} lacks the marks of a generated part`);
  return page.slice(0, begin) + part + page.slice(end + endMark.length);
}

function attributesText(schema, givenHeading) {
  const entries = Object.entries(schema.properties);
  const given = entries.filter(([, attribute]) => attribute["x-vmform"]?.computed !== true);
  const computed = entries.filter(([, attribute]) => attribute["x-vmform"]?.computed === true);
  const list = (items) =>
    items.map(([name, attribute]) => attributeItem(name, attribute, schema.required ?? []));
  const parts = [wrap(schema.description, "")];
  if (entries.length === 0) return parts.join("\n\n");
  if (given.length > 0) parts.push(givenHeading, list(given).join("\n"));
  if (computed.length > 0) parts.push("## Attributes you can refer to", list(computed).join("\n"));
  return parts.join("\n\n");
}

function attributeItem(name, attribute, required) {
  const kind = [typeText(attribute)];
  if (required.includes(name)) kind.push("required");
  const given = defaultText(attribute.default);
  if (given !== "") kind.push(`default \`${given}\``);
  const { description } = attribute;
  const said = description.toLowerCase();
  const notes = markNotes(attribute["x-vmform"] ?? {}).filter(
    (note) => !said.includes(note.toLowerCase()),
  );
  const text = `**\`${name}\`** (${kind.join(", ")}): ${description}`;
  return wrap(notes.length === 0 ? text : `${text} _${notes.join(". ")}._`, "- ");
}

/** An empty text, list or map is nothing to tell. */
function defaultText(value) {
  if (value === undefined) return "";
  if (typeof value !== "object") return String(value);
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
}

function typeText({ type, enum: values, pattern, allOf, $ref }) {
  if ($ref?.endsWith("/VariableType")) return "a type";
  if (values !== undefined) return `one of ${values.map((value) => `\`${value}\``).join(", ")}`;
  // One pattern stands for durations in all schemas.
  if (pattern === "^[0-9]+(ms|s|m|h)$") return "a duration such as `90s`";
  const types = [type ?? ((allOf ?? $ref) ? "object" : "anything")]
    .flat()
    .filter((one) => one !== "null")
    .map((one) => typeNames[one] ?? one);
  return types.join(" or ");
}

const typeNames = { string: "text", object: "map", array: "list" };

/** What the marks of a schema mean for the person who sets the attribute. */
function markNotes(marks) {
  const notes = [];
  if (marks.key) notes.push("Part of the key");
  if (marks.forceNew) notes.push("A new value replaces the object");
  if (marks.planTime) notes.push("Must be known while planning");
  if (marks.growsOnly) notes.push("Never made smaller");
  if (marks.unreadable) notes.push("Never read back");
  if (marks.volatile) notes.push("Never drift");
  if (marks.local) notes.push("Steers vmform only, never sent");
  if (marks.sensitive) notes.push("Sensitive");
  return notes;
}

/** Every block of the language with its members. */
function blocksText(source) {
  const { properties, definitions } = readSchema(source);
  const names = Object.entries(properties).map(([name, { description, $ref }]) =>
    wrap(`**\`${name}\`**: ${description ?? resolve($ref, definitions).description}`, "- "),
  );
  const blocks = Object.entries(definitions).flatMap(([name, block]) =>
    block.properties === undefined ? [] : [blockText(headings[name] ?? name, block, definitions)],
  );
  return [names.join("\n"), ...blocks].join("\n\n");
}

const headings = {
  SettingsBlock: "`vmform`",
  NotificationHook: "An entry of `on` of the block `vmform`",
  DriftIgnoreRule: "An entry of `drift.ignore` of the block `vmform`",
  VariableBlock: "An entry of `variables`",
  VariableMember: "A member of an object, in the type of a variable",
  ConditionBlock: "An entry of `validation`, `checks`, `preconditions` and `postconditions`",
  DataBlock: "An entry of `data`",
  DataLifecycleBlock: "`lifecycle` of a data source",
  ResourceBlock: "An entry of `resources`",
  LifecycleBlock: "`lifecycle` of a resource",
  TimeoutsBlock: "`timeouts` of a resource",
  OutputBlock: "An entry of `outputs`",
  MovedBlock: "An entry of `moved`",
  RemovedBlock: "An entry of `removed`",
  ImportBlock: "An entry of `imports`",
  TestRun: "An entry of `runs`",
  PackageFault: "An entry of `package_faults`, below the name of a provider",
  TestExpectation: "`expect` of a run",
  TestAssertion: "An entry of `assertions`",
  WorldChange: "A change",
  ClockAdvance: "`clock/advance`",
  ConsoleOpening: "`console`",
  FaultRule: "An entry of `faults`",
};

function blockText(heading, block, definitions) {
  const members = Object.entries(block.properties).map(([name, member]) => {
    const resolved = { ...resolve(member.$ref, definitions), ...member };
    const item = attributeItem(name, resolved, block.required ?? []);
    const inner = resolved === undefined || member.$ref !== undefined ? [] : innerItems(member);
    return [item, ...inner].join("\n");
  });
  return [`### ${heading}`, wrap(block.description, ""), members.join("\n")].join("\n\n");
}

/** Members of a block written in place, one level deeper. */
function innerItems(member) {
  if (member.properties === undefined) return [];
  return Object.entries(member.properties).flatMap(([name, inner]) => {
    const lines = attributeItem(name, inner, member.required ?? []).split("\n");
    const deeper = innerItems(inner).flatMap((item) => item.split("\n"));
    return [...lines, ...deeper].map((line) => `  ${line}`);
  });
}

/** What stands in another file is told there. */
function resolve(reference, definitions) {
  return reference === undefined ? {} : (definitions[reference.split("/").at(-1)] ?? {});
}

/** A paragraph, or an item of a list, within the columns; code is not broken. */
function wrap(text, bullet) {
  const words = text.match(/(?:`[^`]*`|[^\s`])+/g) ?? [];
  const indent = " ".repeat(bullet.length);
  const lines = [bullet];
  let isEmpty = true;
  for (const word of words) {
    const line = lines.at(-1);
    if (!isEmpty && line.length + 1 + word.length > columns) lines.push(indent + word);
    else lines[lines.length - 1] = isEmpty ? line + word : `${line} ${word}`;
    isEmpty = false;
  }
  return lines.join("\n");
}

const codesPage = {
  path: "docs/codes.md",
  title: "Diagnostic codes",
  source: "codes.ts of each folder",
  text: await codesText(),
};
const functionsPage = {
  path: "docs/functions.md",
  title: "Functions",
  source: "the table in src/expressions/functions",
  text: await functionsText(),
};
const pages = [
  codesPage,
  functionsPage,
  ...["resources", "data", "providers"].flatMap(attributePages),
  configurationPage(),
  simulatorPage(),
  testingPage(),
];
await writeOrCheck(pages.map(pageFile));
