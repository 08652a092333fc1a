/**
 * Words that people bring along from other tools and that have no word here which means the same:
 * what to write, or do, in their place. Words that do have one are in `spelling.ts`.
 */

import type { Shape } from "./shape.ts";

const folderState = "vmform.state says where recorded state is kept: local, http, s3 or postgres.";
const included = "Providers come with vmform: there is none to be named or fetched.";
const noCommands = "vmform runs nothing on hosts or in guests: let what comes after it do that.";
const condition = "Write validation in the variable: a list of condition and message.";

const preconditions = "Write preconditions: a list, each with condition and message.";
const postconditions = "Write postconditions: a list, each with condition and message.";

const besideLifecycle = "It stands in the resource itself, beside lifecycle.";

/** Words in the place of a block. */
const blockWays: { readonly [word: string]: string } = {
  module: "Write modules: { NAME: { source: ./FOLDER, inputs: { … } } }.",
  backend: folderState,
  remote_state: folderState,
  terragrunt: folderState,
  required_providers: `${included} Write their settings in the block providers.`,
  required_version: "It belongs in the block vmform.",
  state: "It belongs in the block vmform.",
  simulator: "It belongs in the block vmform.",
  daemon: "It belongs in the block providers.",
  cloud: "It belongs in the block providers.",
  manager: "It belongs in the block providers.",
  appliance: "It belongs in the block providers.",
  workspace: "A workspace is made and chosen on the command line: vmform workspace new NAME.",
  ephemeral: "Write { env: NAME } or { file: PATH } where a secret is needed.",
  function: "Name in the block locals what is used more than once.",
  provisioner: noCommands,
  connection: noCommands,
  dynamic: "It repeats a resource: write for_each in it.",
  for_each: "It belongs in a resource.",
  count: "It belongs in a resource.",
  depends_on: "It belongs in a resource.",
  lifecycle: "It belongs in a resource.",
  timeouts: "It belongs in a resource.",
};

/** Words of members, by an attribute of the places that the words are meant for. */
const memberWays: { readonly [beside: string]: { readonly [word: string]: string } } = {
  // The block vmform.
  required_version: {
    backend: folderState,
    cloud: folderState,
    remote_state: folderState,
    required_providers: `${included} Write their settings in the block providers.`,
    experiments: "There are none: leave it out.",
    path: folderState,
  },
  // Its state.
  local: {
    gcs: folderState,
    azurerm: folderState,
    remote: folderState,
    consul: folderState,
    pg: "It is called postgres.",
    kubernetes: folderState,
  },
  // Providers.
  url: {
    alias: "Write the name after a dot: providers: { PROVIDER.NAME: … }.",
    version: `${included} required_version in the block vmform says which version of it.`,
    source: included,
  },
  // Variables.
  validation: {
    enum: condition,
    allowed: condition,
    allowed_values: condition,
    min: condition,
    max: condition,
    pattern: condition,
    required: "Leave it out: a variable without default has to be given.",
    optional: "Leave it out: a variable with a default need not be given.",
  },
  // Outputs.
  value: {
    depends_on: "Leave it out: an output comes after all that its value names.",
    type: "Leave it out: the value has its type.",
  },
  postconditions: { precondition: preconditions, postcondition: postconditions },
  preconditions: { precondition: preconditions },
  // The lifecycle of a resource.
  prevent_destroy: {
    depends_on: besideLifecycle,
    provider: besideLifecycle,
    count: besideLifecycle,
    for_each: besideLifecycle,
    timeouts: besideLifecycle,
  },
  // A condition.
  condition: {
    assert: "Write condition and message right here.",
    data: "Write it in the block data, and name it in the condition.",
  },
  ignore_changes: { destroy: "Write destroy: false in an entry of removed, once it leaves." },
  destroy: { lifecycle: "Write destroy: false beside from." },
  to: {
    for_each: "Write an entry for each object; vmform import --all TYPE writes them for a type.",
  },
  // Resources and data sources.
  for_each: {
    provisioner: noCommands,
    connection: noCommands,
    "local-exec": noCommands,
    "remote-exec": noCommands,
    user_data: noCommands,
    dynamic: "Write for_each in the resource: it makes one instance for each entry.",
    alias: "Write provider: PROVIDER.NAME.",
    when: "Write count: '${CONDITION ? 1 : 0}'.",
    import: "Write it in the block imports, with to and id.",
    moved: "Write it in the block moved, with from and to.",
    removed: "Write it in the block removed, with from.",
    precondition: "Write preconditions in lifecycle: a list, each with condition and message.",
    postcondition: "Write postconditions in lifecycle: a list, each with condition and message.",
    type: "The type stands before the dot of the name: TYPE.NAME.",
    triggers: "Refer to the value where it is used: a change of it is a change there.",
  },
  wait: { read: "request_timeout of the provider is the limit of reads." },
};

/** What to do instead of a word in the place of a block; undefined for words of nobody. */
export function wayOfBlock(word: string): string | undefined {
  if (Object.hasOwn(blockWays, word)) return blockWays[word];
  if (!/^\w+\.[\w.]+$/.test(word)) return undefined;
  const block = word.startsWith("data.") ? "data" : "resources";
  return `It belongs in the block ${block}.`;
}

/** The same of a word among the members of a map. */
export function wayOfMember(word: string, shape: Shape): string | undefined {
  for (const [beside, ways] of Object.entries(memberWays)) {
    if (shape.properties.has(beside) && Object.hasOwn(ways, word)) return ways[word];
  }
  return placeBelow(word, shape);
}

/** A member of a member: `prevent_destroy` stands in `lifecycle`. */
function placeBelow(word: string, shape: Shape): string | undefined {
  for (const [name, member] of shape.properties) {
    if (member.properties.has(word)) return `It belongs in ${name}, one level below.`;
  }
  return undefined;
}

/** What to write instead of a text where a list is needed. */
export function wayOfList(text: string): string {
  if (text === "*") return "There is no word for all: write a list of names.";
  return /^[\w.]+$/.test(text) ? `Write a list: [${text}].` : "Write a list: […].";
}

/** What to write instead of a text where a map is needed; undefined where none is near. */
export function wayOfMap(text: string, shape: Shape): string | undefined {
  if (shape.properties.has(text)) return `Write { ${text}: … }.`;
  if (!shape.properties.has("default")) return undefined;
  const isType = shape.properties.get("type")?.values?.includes(text) === true;
  return isType ? `Write { type: ${text} }.` : "Write { default: … }.";
}

/** An expression of another tool that stands bare where one of ours belongs. */
export function wayOfBareExpression(text: string): string | undefined {
  const list = /^toset\((\[.*\])\)$/s.exec(text)?.[1];
  if (list !== undefined) return `Write the list itself: ${list}`;
  if (!/^(?:(?:var|local|each|count|data|module|self)\.[\w."[\]]+|\w+\(.*\))$/s.test(text)) {
    return undefined;
  }
  const ours = text
    .replaceAll(/\bvar\./g, "vars.")
    .replaceAll(/\blocal\./g, "locals.")
    .replaceAll(/\blength\(/g, "size(");
  return `Write an expression: "\${${ours}}"`;
}

/** What is written for a type with the types of its members in it, such as `list(string)`. */
export function wayOfType(text: string, words: readonly string[]): string | undefined {
  if (!words.includes("list") || !words.includes("map")) return undefined;
  const [, outer = "", inner = ""] = /^(\w+)\s*[(<[](.*)[)>\]]$/s.exec(text) ?? [];
  if (outer === "") return undefined;
  const isList = text.endsWith("[]") || ["list", "set", "tuple", "array"].includes(outer);
  const isMap = ["map", "object", "dict", "record"].includes(outer);
  if (!isList && !isMap) {
    const meant = /^\w+$/.test(inner) ? inner : "any";
    return outer === "optional" ? `Write ${meant}, and a default.` : undefined;
  }
  const word = /^\w+$/.test(inner) && words.includes(inner) ? inner : "string";
  if (["object", "record"].includes(outer)) return "Write { object: { name: string } }.";
  return `Write { ${isList ? "list" : "map"}: ${word} }.`;
}
