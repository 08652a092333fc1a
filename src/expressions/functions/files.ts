/** Functions that read files beside the configuration. */

import { bytesOfFile, lookAt, textOfFile } from "./file-content.ts";
import { renderTemplate } from "./function-context.ts";
import type { FunctionEntry } from "./function-entry.ts";
import { type CelMap, viewOf } from "./live.ts";

/** Their first value is a path: what they read is kept with an expression that waits. */
export const fileFunctionNames: ReadonlySet<string> = new Set([
  "file",
  "filebase64",
  "fileexists",
  "filemd5",
  "filesha256",
  "filesha512",
  "templatefile",
]);

export const fileFunctions: readonly FunctionEntry[] = [
  {
    name: "file",
    group: "Files",
    form: "file(path)",
    sentence: "The text of a file, which must be UTF-8.",
    examples: [{ expression: 'file("motd.txt").trim()', value: '"hello"' }],
    overloads: { "file(string): string": textOfFile },
  },
  {
    name: "filebase64",
    group: "Files",
    form: "filebase64(path)",
    sentence: "The bytes of a file in base64.",
    examples: [{ expression: 'filebase64("motd.txt")', value: '"aGVsbG8K"' }],
    overloads: {
      "filebase64(string): string": (path: string) =>
        Buffer.from(bytesOfFile(path)).toString("base64"),
    },
  },
  {
    name: "fileexists",
    group: "Files",
    form: "fileexists(path)",
    sentence: "Whether there is a file; what is there and cannot be read is an error.",
    examples: [{ expression: 'fileexists("motd.txt") && !fileexists("other.txt")', value: "true" }],
    overloads: {
      "fileexists(string): bool": (path: string) =>
        lookAt(path).kind !== "absent" && bytesOfFile(path).length >= 0,
    },
  },
  {
    name: "templatefile",
    group: "Files",
    form: "templatefile(path, names)",
    sentence:
      "The text of a file with its `${…}` replaced. What stands in them are expressions, in " +
      "which the members of `names` are known, and nothing else: no files and no time. `$${` is " +
      "a literal `${`. There are no directives: a list is written " +
      '`${list.map(x, "- " + x).join("\\n")}`.',
    examples: [
      {
        expression: 'templatefile("hosts.tpl", {"name": "web", "ports": [80, 443]})',
        value: '"web: 80 443\\n"',
      },
    ],
    overloads: {
      "templatefile(string, map): string": (path: string, names: CelMap) =>
        renderTemplate(path, textOfFile(path), namesOf(names)),
    },
  },
  {
    name: "templatestring",
    group: "Files",
    form: "templatestring(text, names)",
    sentence: "The same with a text in place of a file.",
    examples: [
      {
        expression: 'templatestring("$" + "{name} is up", {"name": "web"})',
        value: '"web is up"',
      },
    ],
    overloads: {
      "templatestring(string, map): string": (text: string, names: CelMap) =>
        renderTemplate("the template", text, namesOf(names)),
    },
  },
  {
    name: "basename",
    group: "Files",
    form: "basename(path)",
    sentence: "What a path ends with, behind its last slash.",
    examples: [{ expression: 'basename("images/base.iso")', value: '"base.iso"' }],
    overloads: { "basename(string): string": (path: string) => partsOf(path).base },
  },
  {
    name: "dirname",
    group: "Files",
    form: "dirname(path)",
    sentence: "The path without its last part.",
    examples: [{ expression: 'dirname("images/base.iso")', value: '"images"' }],
    overloads: { "dirname(string): string": (path: string) => partsOf(path).directory },
  },
];

/** A live map as it is, so that what is not used of it is not touched. */
function namesOf(names: CelMap): ReadonlyMap<string, unknown> {
  if (names instanceof Map) return names;
  const { keys, get } = viewOf(names);
  return new Map(keys.map((key) => [key, get(key)]));
}

function partsOf(path: string): { readonly directory: string; readonly base: string } {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end -= 1;
  const whole = path.slice(0, end);
  const slash = whole.lastIndexOf("/");
  if (slash === -1) return { directory: ".", base: whole };
  return { directory: slash === 0 ? "/" : whole.slice(0, slash), base: whole.slice(slash + 1) };
}
