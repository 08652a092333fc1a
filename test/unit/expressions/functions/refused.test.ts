/** What functions refuse, in words; and what they cannot be made to do. */

import { describe, expect, test } from "vitest";
import { checkTemplate } from "../../../../src/expressions/check/check.ts";
import { evaluateTemplate } from "../../../../src/expressions/evaluate/evaluate.ts";
import type { Scope } from "../../../../src/expressions/evaluate/scope.ts";
import { parseExpression } from "../../../../src/expressions/syntax/template.ts";
import { scope as fixture, types } from "../scope-fixture.ts";
import { exampleFiles, exampleTime } from "./example-files.ts";

const scope: Scope = { ...fixture, files: exampleFiles, time: exampleTime };

type Row = readonly [expression: string, message: string];

const mistakes: readonly Row[] = [
  ['file("nobody.txt")', "There is no file nobody.txt"],
  ['file("folder")', "cannot be read: it is a folder"],
  ['fileexists("folder")', "cannot be read: it is a folder"],
  ['file("utf16.txt")', "utf16.txt is UTF-16; save it as UTF-8"],
  ['file("latin.txt")', "latin.txt:2:2: the byte 0xE9 is not UTF-8"],
  ['file("")', "cannot be empty"],
  ['templatefile("broken.tpl", {})', "broken.tpl:2:11: The expression ends too early."],
  ['templatefile("wrong.tpl", {})', "wrong.tpl:2:3: Unknown variable: nobody."],
  ['templatefile("asking.tpl", {})', "asking.tpl:1:3: Files cannot be read here"],
  ['templatestring("${timestamp()}", {})', "no time of a plan here"],
  ['templatestring("${a}", {"a": [1]})', "A list cannot stand inside a text."],
  ['templatefile("deep.tpl", {"text": file("deep.tpl")})', "more than 10 levels deep"],
  ['jsondecode("{\\"a\\": 1, \\"a\\": 2}")', "jsondecode(): line 1, column"],
  ['jsondecode("[" + "[".repeat(100000))', "jsondecode(): line 1, column"],
  ['yamldecode("a: 1\\na: 2")', "yamldecode(): line 2, column 1"],
  ['yamldecode("&a [*a]")', "yamldecode(): line 1"],
  ['yamldecode("[".repeat(1000))', "yamldecode(): line 1"],
  ['csvdecode("a,a\\n1,2")', 'the name "a" stands twice'],
  ['csvdecode("a,b\\n1")', "line 2 has 1 values, the first line 2 names"],
  ['csvdecode("a\\n\\"x")', "line 2: a quoted value has no end"],
  ['csvdecode("a\\n\\"x\\"y")', "line 2: only a comma may follow a quoted value"],
  ['base64decode("a")', "takes base64"],
  ['base64decode("/w==")', "the bytes are no text"],
  ['base64encode("a", "latin1")', "The encoding is UTF-8 or UTF-16LE"],
  ['urldecode("%zz")', "% and two hexadecimal digits"],
  ['cidrhost("10.0.0.0/24", 256)', "has 256 addresses, none with the number 256"],
  ['cidrhost("10.0.0.0/33", 1)', "takes a prefix such as 10.0.0.0/16"],
  ['cidrhost("10.0.0/24", 1)', "takes a prefix"],
  ['cidrhost("010.0.0.0/24", 1)', "takes a prefix"],
  ['cidrsubnet("10.0.0.0/24", 9, 0)', "must be from 0 to 8"],
  ['cidrsubnet("10.0.0.0/24", 1, 2)', "hold no prefix with the number 2"],
  ['cidrsubnets("10.0.0.0/24", [1, 1, 1])', "has no room for all of them"],
  ['cidrnetmask("fd00::/8")', "takes an IPv4 prefix"],
  ['"%d".format(["x"])', "takes an integer"],
  ['"%s %s".format([1])', "more verbs than the 1 elements"],
  ['"%s".format([1, 2])', "has 1 verbs, and 2 elements"],
  ['"%99999d".format([1])', "widths up to 1000"],
  ['"50%".format([])', "is written %%"],
  ['"%y".format([1])', "has no verb %y"],
  ['"a".repeat(-1)', "from 0 to 1000000"],
  ['"abcdefgh".repeat(1000000)', "more than 4000000 characters"],
  ['"a".repeat(1000000).replace("a", "b".repeat(1000))', "more than 4000000 characters"],
  ['"a".repeat(1000000).replaceMatches("a", "bbbbb")', "more than 4000000 characters"],
  ['"a".matches("(")', "The pattern cannot be read: missing closing )"],
  ['"a".matches("(?=a)")', "no look-ahead"],
  ['"a".matches("a".repeat(1001))', "up to 1000 characters"],
  ['"a".matches("(a{1000}){1000}")', "The pattern cannot be read"],
  ['"a".captures("b")', "does not find its pattern"],
  ['"a".replaceMatches("a", "$2")', "has no group $2"],
  ["range(100001)", "up to 100000 integers"],
  ["range(0, 10, 0)", "cannot be 0"],
  ["range(1, 0)", "never reach its end"],
  ["range(400).product(range(400))", "more than 100000 elements"],
  ["[1, 2].slice(1, 3)", "must be from 0 to 2"],
  ["[1].chunks(0)", "must be from 1"],
  ["[1, 2].one()", "up to one element, not 2"],
  ['[{"key": 1, "value": 2}].toMap()', "takes a list of maps with key"],
  ['[{"key": "a", "value": 1}, {"key": "a", "value": 2}].toMap()', 'the key "a" twice'],
  ['zipmap(["a"], [])', "has 1 keys and 0 values"],
  ["[1].min()", "min() does not take these values"],
  ["min([])", "needs at least one element"],
  ["pow(10, 1000)", "too large"],
  ["pow(2, -1)", "exponent from 0"],
  ['parseint("g", 16)', "is no integer in base 16"],
  ['parseint("1", 37)', "from 2 to 36"],
  ["ceil(1.0 / 0.0)", "a finite number"],
  ['semverCompare("1.2", "1.2.0")', "is no semantic version"],
  ['semverMatches("1.2.3", "newer than 1")', "The requirement cannot be read"],
  ['timeadd("today", "1h")', "takes a time such as"],
  ['timeadd("2026-03-01T12:00:00Z", "a while")', "takes a duration such as"],
  ['timeadd("2026-03-01T12:00:00Z", "999999999999999h")', "no year from 0 to 9999"],
  ['formatdate("YYYYY", "2026-03-01T12:00:00Z")', "formatdate() has no YYYYY"],
  ['uuidv5("here", "a")', "is dns, url, oid, x500 or a UUID"],
  ['try(int("x"), int("y"))', "cannot convert to int"],
];

function messagesOf(expression: string): readonly string[] {
  const { template, problems } = parseExpression(expression);
  if (template === undefined) return problems.map(({ message }) => message);
  const checked = checkTemplate(template, types, "any");
  const found = checked.length > 0 ? checked : evaluateTemplate(template, scope, "any").problems;
  return found.map(({ message }) => message);
}

test.each(mistakes)("%s", (expression, message) => {
  expect(messagesOf(expression)).toEqual([expect.stringContaining(message)]);
});

test.each([
  '"a".repeat(1000000).matches("^(a+)+$")',
  '["a".repeat(100000) + "!"].filter(x, x.matches("^(a|a)*$")) == []',
  '("x".repeat(100000)).findAll("(x+x+)+y") == []',
])("%s ends soon, whatever it would do elsewhere", (expression) => {
  const { template } = parseExpression(expression);
  if (template === undefined) throw new Error("does not parse");
  expect(evaluateTemplate(template, scope, "any")).toMatchObject({ value: true, problems: [] });
});

describe("spellings of others", () => {
  test.each([
    ['replace("a", "b", "c")', "replaceMatches"],
    ["keys({})", "map.keys()"],
    ['jsonencod("a")', "Did you mean jsonencode()?"],
    ['"a".matchs("b")', "Did you mean matches()?"],
    ['regex("a", "b")', "text.find"],
    ["setunion([], [])", "a.union(b)"],
    ['format("%s", "a")', ".format([7])"],
    ['cidrsubnet("10.0.0.0/8", "8", 1)', "Write cidrsubnet(prefix, bits, number)"],
  ])("%s", (expression, way) => {
    const { template } = parseExpression(expression);
    if (template === undefined) throw new Error("does not parse");
    const [problem] = checkTemplate(template, types, "any");
    expect(problem?.fix).toContain(way);
  });
});

test("the offending part is marked from its first to its last character", () => {
  const { template } = parseExpression('1 + size(cidrhost("nowhere", 1))');
  if (template === undefined) throw new Error("does not parse");
  const [problem] = evaluateTemplate(template, scope, "any").problems;
  expect(problem).toMatchObject({ offset: 9, end: 31 });
});
