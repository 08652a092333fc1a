/** What the CEL library brings itself, as it is documented beside our own functions. */

import type { FunctionEntry, FunctionGroup } from "./function-entry.ts";

function built(
  group: FunctionGroup,
  name: string,
  form: string,
  sentence: string,
  expression: string,
  value: string,
): FunctionEntry {
  return { name, group, form, sentence, examples: [{ expression, value }], overloads: {} };
}

export const libraryFunctions: readonly FunctionEntry[] = [
  built("Texts", "contains", "text.contains(part)", "Whether a part stands in the text.", '"web-1".contains("-")', "true"),
  built("Texts", "startsWith", "text.startsWith(part)", "Whether the text begins with a part.", '"web-1".startsWith("web")', "true"),
  built("Texts", "endsWith", "text.endsWith(part)", "Whether the text ends with a part.", '"web-1".endsWith("1")', "true"),
  built("Texts", "indexOf", "text.indexOf(part)", "The first place of a part, counted from 0; -1 when it is not there.", '"web".indexOf("b")', "2"),
  built("Texts", "lastIndexOf", "text.lastIndexOf(part)", "The last place of a part.", '"a.b.c".lastIndexOf(".")', "3"),
  built("Texts", "substring", "text.substring(from, to)", "The characters from a place to the one before `to`, or to the end.", '"daemon".substring(1, 3)', '"ae"'),
  built("Texts", "trim", "text.trim()", "The text without spaces and line ends around it.", '" a ".trim()', '"a"'),
  built("Texts", "split", "text.split(separator)", "The parts between the separators.", '"a,b".split(",")', '["a","b"]'),
  built("Texts", "join", "list.join(separator)", "One text of a list of texts.", '["a", "b"].join("-")', '"a-b"'),
  built("Values", "string", "string(value)", "A number or boolean as a text.", "string(80)", '"80"'),
  built("Values", "int", "int(value)", "A text or number as an integer; decimals are cut off.", 'int("80")', "80"),
  built("Values", "double", "double(value)", "A text or integer as a number.", 'double("2.5")', "2.5"),
  built("Values", "bool", "bool(text)", "The boolean that a text is.", 'bool("true")', "true"),
  built("Values", "has", "has(map.key)", "Whether a map has a key.", 'has({"a": 1}.a)', "true"),
  built("Lists", "map", "list.map(x, value)", "A value for each element, which `x` stands for; of a map, for each key.", "[1, 2].map(x, x * 2)", "[2,4]"),
  built("Lists", "filter", "list.filter(x, condition)", "The elements for which a condition holds.", "[1, 2, 3].filter(x, x > 1)", "[2,3]"),
  built("Lists", "all", "list.all(x, condition)", "Whether a condition holds for every element.", "[1, 2].all(x, x > 0)", "true"),
  built("Lists", "exists", "list.exists(x, condition)", "Whether a condition holds for any element.", "[1, 2].exists(x, x > 1)", "true"),
  built("Lists", "exists_one", "list.exists_one(x, condition)", "Whether a condition holds for just one element.", "[1, 2].exists_one(x, x > 1)", "true"),
  built("Values", "bind", "cel.bind(x, value, result)", "A result in which `x` stands for a value that is computed once.", 'cel.bind(n, "web", n + "-" + n)', '"web-web"'),
  built("Time", "duration", "duration(text)", "A duration, to be added to a `timestamp(text)` or compared.", 'duration("90m") > duration("1h")', "true"),
  built("Time", "timestamp", "timestamp(text)", "A time to compare and to ask, as in `getFullYear()`.", 'timestamp("2026-03-01T12:00:00Z").getFullYear()', "2026"),
];
