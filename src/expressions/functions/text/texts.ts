/** Functions of texts. */

import { boundList, boundText, entryOf, type FunctionEntry, within } from "../function-entry.ts";
import { formatted } from "./text-format.ts";

const widthMax = 10_000;

const text = entryOf("Texts");

export const textFunctions: readonly FunctionEntry[] = [
  text(
    "lower",
    "text.lower()",
    "The text in small letters.",
    [{ expression: '"Web-1".lower()', value: '"web-1"' }],
    { "string.lower(): string": (value: string) => value.toLowerCase() },
  ),
  text(
    "upper",
    "text.upper()",
    "The text in capital letters.",
    [{ expression: '"web-1".upper()', value: '"WEB-1"' }],
    { "string.upper(): string": (value: string) => value.toUpperCase() },
  ),
  text(
    "title",
    "text.title()",
    "The first letter of each word as a capital.",
    [{ expression: '"blue team".title()', value: '"Blue Team"' }],
    {
      "string.title(): string": (value: string) =>
        value.replaceAll(/(^|\s)(\S)/gu, (_all, space: string, letter: string) => {
          return space + letter.toUpperCase();
        }),
    },
  ),
  text(
    "replace",
    "text.replace(from, to)",
    "The text with `to` in every place of `from`.",
    [{ expression: '"a.b.c".replace(".", "-")', value: '"a-b-c"' }],
    { "string.replace(string, string): string": replace },
  ),
  text(
    "padStart",
    "text.padStart(width, fill)",
    "The text with `fill` before it, until it is `width` characters wide.",
    [{ expression: 'string(7).padStart(3, "0")', value: '"007"' }],
    {
      "string.padStart(int, string): string": (value: string, width: bigint, fill: string) =>
        value.padStart(within("the width of padStart()", width, 0, widthMax), fill),
    },
  ),
  text(
    "padEnd",
    "text.padEnd(width, fill)",
    "The text with `fill` after it, until it is `width` characters wide.",
    [{ expression: '"ab".padEnd(4, ".")', value: '"ab.."' }],
    {
      "string.padEnd(int, string): string": (value: string, width: bigint, fill: string) =>
        value.padEnd(within("the width of padEnd()", width, 0, widthMax), fill),
    },
  ),
  text(
    "repeat",
    "text.repeat(times)",
    "The text so many times.",
    [{ expression: '"ab".repeat(3)', value: '"ababab"' }],
    {
      "string.repeat(int): string": (value: string, times: bigint) => {
        const count = within("the count of repeat()", times, 0, 1_000_000);
        boundText("repeat()", value.length * count);
        return value.repeat(count);
      },
    },
  ),
  text(
    "trimPrefix",
    "text.trimPrefix(prefix)",
    "The text without `prefix`, if it begins with it.",
    [{ expression: '"vm-web".trimPrefix("vm-")', value: '"web"' }],
    {
      "string.trimPrefix(string): string": (value: string, prefix: string) =>
        value.startsWith(prefix) ? value.slice(prefix.length) : value,
    },
  ),
  text(
    "trimSuffix",
    "text.trimSuffix(suffix)",
    "The text without `suffix`, if it ends with it.",
    [{ expression: '"web.local".trimSuffix(".local")', value: '"web"' }],
    {
      "string.trimSuffix(string): string": (value: string, suffix: string) =>
        suffix !== "" && value.endsWith(suffix) ? value.slice(0, -suffix.length) : value,
    },
  ),
  text(
    "reverse",
    "text.reverse()",
    "The characters in reverse.",
    [{ expression: '"abc".reverse()', value: '"cba"' }],
    { "string.reverse(): string": (value: string) => Array.from(value).toReversed().join("") },
  ),
  text(
    "indent",
    "text.indent(spaces)",
    "Each line but the first with so many spaces before it.",
    [{ expression: '"a\\nb".indent(2)', value: '"a\\n  b"' }],
    {
      "string.indent(int): string": (value: string, spaces: bigint) =>
        replace(value, "\n", `\n${" ".repeat(within("the spaces of indent()", spaces, 0, 1_000))}`),
    },
  ),
  text(
    "lines",
    "text.lines()",
    "The lines of a text, without line ends; one at the end makes no line of its own.",
    [{ expression: '"a\\nb\\n".lines()', value: '["a","b"]' }],
    {
      "string.lines(): list<string>": (value: string) => {
        const lines = value.replace(/\r?\n$/, "").split(/\r?\n/);
        boundList("lines()", lines.length);
        return value === "" ? [] : lines;
      },
    },
  ),
  text(
    "format",
    "text.format(list)",
    "The text with its verbs replaced by the elements of the list, in order: `%s` any value, " +
      "`%d` an integer, `%f` a number (`%.2f` with two decimals), `%x`, `%o` and `%b` other " +
      "bases, `%e` an exponent, `%q` a quoted text, `%%` a percent sign; `%03d` fills with " +
      "zeros, `%-8s` with spaces behind.",
    [
      { expression: '"web-%03d".format([7])', value: '"web-007"' },
      { expression: '"%s has %.1f GB".format(["a", 2.25])', value: '"a has 2.3 GB"' },
    ],
    { "string.format(list): string": formatted },
  ),
];

function replace(value: string, from: string, to: string): string {
  if (to.length > from.length) {
    const places = value.split(from).length - 1;
    boundText("replace()", value.length + places * (to.length - from.length));
  }
  return value.replaceAll(from, () => to);
}
