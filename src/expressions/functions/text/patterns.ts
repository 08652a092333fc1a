/**
 * Functions of regular expressions. The syntax is that of RE2, as CEL asks for and as other tools
 * have it: no pattern takes longer than its length times that of the text.
 */

import { RE2JS, RE2JSException } from "re2js";
import { boundList, boundText, type FunctionEntry, failure } from "../function-entry.ts";
import { textLengthMax } from "../limits.ts";

/** Compiling costs more than a reader could follow anyway. */
const patternLengthMax = 1_000;
const cacheMax = 200;
const compiled = new Map<string, RE2JS>();

/** Stands for `matches` of the CEL library, which repeats itself without end for some patterns. */
export const matchesName = "matchesPattern";

export const patternFunctions: readonly FunctionEntry[] = [
  {
    name: "matches",
    group: "Patterns",
    form: "text.matches(pattern)",
    sentence:
      "Whether the pattern is found anywhere in the text; `^` and `$` hold it to both ends.",
    examples: [
      { expression: '"web-01".matches("^[a-z]+-[0-9]{2}$")', value: "true" },
      { expression: '"WEB".matches("(?i)web")', value: "true" },
    ],
    overloads: {
      [`string.${matchesName}(string): bool`]: (text: string, pattern: string) =>
        regexOf(pattern).matcher(text).find(),
    },
  },
  {
    name: "find",
    group: "Patterns",
    form: "text.find(pattern)",
    sentence: "The first place where the pattern is found; an empty text when there is none.",
    examples: [{ expression: '"vm-17-b".find("[0-9]+")', value: '"17"' }],
    overloads: {
      "string.find(string): string": (text: string, pattern: string) => {
        const matcher = regexOf(pattern).matcher(text);
        return matcher.find() ? (matcher.group() ?? "") : "";
      },
    },
  },
  {
    name: "findAll",
    group: "Patterns",
    form: "text.findAll(pattern)",
    sentence: "Every place where the pattern is found.",
    examples: [{ expression: '"a1 b22".findAll("[0-9]+")', value: '["1","22"]' }],
    overloads: {
      "string.findAll(string): list<string>": (text: string, pattern: string) => {
        const matcher = regexOf(pattern).matcher(text);
        const found: string[] = [];
        while (matcher.find()) {
          found.push(matcher.group() ?? "");
          boundList("findAll()", found.length);
        }
        return found;
      },
    },
  },
  {
    name: "captures",
    group: "Patterns",
    form: "text.captures(pattern)",
    sentence:
      "What the groups of the pattern hold in the first place where it is found: a map when they " +
      "have names, else a list. An error when the pattern is not found; see `try`.",
    examples: [
      { expression: '"web-17".captures("([a-z]+)-([0-9]+)")', value: '["web","17"]' },
      { expression: '"web-17".captures("(?P<name>[a-z]+)-").name', value: '"web"' },
    ],
    overloads: { "string.captures(string): dyn": captures },
  },
  {
    name: "replaceMatches",
    group: "Patterns",
    form: "text.replaceMatches(pattern, to)",
    sentence:
      "The text with `to` in every place where the pattern is found; `$1` or `$name` stands for " +
      "what a group holds, `$$` for a dollar sign.",
    examples: [
      { expression: '"a  b".replaceMatches("\\\\s+", " ")', value: '"a b"' },
      { expression: '"web-17".replaceMatches("([a-z]+)-([0-9]+)", "$2-$1")', value: '"17-web"' },
    ],
    overloads: { "string.replaceMatches(string, string): string": replaceMatches },
  },
];

function regexOf(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > patternLengthMax) {
    throw failure(`a pattern has up to ${patternLengthMax} characters`);
  }
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw failure(`the pattern cannot be read: ${reasonOf(error)}`);
  }
  if (compiled.size >= cacheMax) compiled.clear();
  compiled.set(pattern, regex);
  return regex;
}

function reasonOf({ message }: RE2JSException): string {
  const reason = message.replace(/^error parsing regexp: /, "");
  const looks = /\(\?<?[=!]/.test(reason);
  return looks ? `${reason}; RE2 has no look-ahead and no look-behind` : reason;
}

function captures(text: string, pattern: string): unknown {
  const regex = regexOf(pattern);
  const matcher = regex.matcher(text);
  if (!matcher.find()) throw failure("captures() does not find its pattern in the text");
  const names = Object.entries(regex.namedGroups());
  if (names.length > 0) return new Map(names.map(([name, at]) => [name, matcher.group(at)]));
  const groups = Array.from({ length: regex.groupCount() }, (_, at) => matcher.group(at + 1));
  return groups.length === 0 ? [matcher.group()] : groups;
}

/** By hand, so that what comes out is bounded while it is made. */
function replaceMatches(text: string, pattern: string, to: string): string {
  const regex = regexOf(pattern);
  const matcher = regex.matcher(text);
  const parts = replacementParts(to, regex);
  let made = "";
  let at = 0;
  while (matcher.find()) {
    made += text.slice(at, matcher.start());
    for (const part of parts) {
      made += typeof part === "string" ? part : (matcher.group(part) ?? "");
    }
    at = matcher.end();
    if (made.length > textLengthMax) break;
  }
  boundText("replaceMatches()", made.length + text.length - at);
  return made + text.slice(at);
}

/** Texts, and numbers of groups. */
function replacementParts(to: string, regex: RE2JS): readonly (string | number)[] {
  const parts: (string | number)[] = [];
  let at = 0;
  for (const match of to.matchAll(/\$(?:\$|(\d+)|\{?(\w+)\}?)?/g)) {
    parts.push(to.slice(at, match.index));
    at = match.index + match[0].length;
    const [all, number, name] = match;
    if (all === "$$") {
      parts.push("$");
      continue;
    }
    const group = number === undefined ? groupOf(name, regex) : Number(number);
    if (group === undefined || group > regex.groupCount()) {
      throw failure(`the pattern has no group ${all}; a dollar sign alone is written $$`);
    }
    parts.push(group);
  }
  parts.push(to.slice(at));
  return parts;
}

function groupOf(name: string | undefined, regex: RE2JS): number | undefined {
  if (name === undefined) return undefined;
  if (/^\d+$/.test(name)) return Number(name);
  const groups = regex.namedGroups();
  return Object.hasOwn(groups, name) ? groups[name] : undefined;
}
