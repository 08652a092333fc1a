import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quoteExpressionLine, quoteText } from "../../../../src/config/read/quoting.ts";
import { parseYaml } from "../../../../src/lib/yaml/yaml.ts";

describe("a line with an unquoted expression", () => {
  test.each([
    ["- ${a ? 1 : 2}", '- "${a ? 1 : 2}"'],
    ["    id: ${a #b}", '    id: "${a #b}"'],
    ["  - - x: ${a}", '  - - x: "${a}"'],
    ['  text: ${a["k"]}', "  text: '${a[\"k\"]}'"],
    ["  text: ${a['k']} and more", "  text: \"${a['k']} and more\""],
    ["  text: ${a['k'] + \"x\"}", '  text: "${a[\'k\'] + \\"x\\"}"'],
    ["  text: before ${a: b} after", '  text: "before ${a: b} after"'],
    ["x: { url: ${vars.url}, y: 1 }", 'x: { url: "${vars.url}", y: 1 }'],
    ["x: [${a}, b]", 'x: ["${a}", b]'],
    ["x: { url: ${ {'a': 1}.a }, y: 1 }", "x: { url: \"${ {'a': 1}.a }\", y: 1 }"],
    ["x: [${a", 'x: ["${a"'],
  ])("%s", (line, expected) => {
    expect(quoteExpressionLine(line)).toBe(expected);
  });

  test.each(['id: "${a}"', "id: '${a}'", "id: $${a}", "id: a # not ${b}", "plain: text", ""])(
    "is not seen in %j",
    (line) => {
      expect(quoteExpressionLine(line)).toBeUndefined();
    },
  );
});

test("a quoted text means the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const { documents, problems } = parseYaml(quoteText(text));
      expect(problems).toEqual([]);
      expect(documents).toMatchObject([{ kind: "scalar", text, plain: false }]);
    }),
  );
});
