/** Plain YAML: values, places, and what is refused. */

import { expect, test } from "vitest";
import { PlainYamlError, parsePlainYaml } from "../../../../src/lib/yaml/plain-yaml.ts";

test("values are YAML 1.2 data", () => {
  const { value } = parsePlainYaml("a: on\nb: [1, 1.5, true, null, 'x']\n\"0123\": {}\n", "f");
  expect(value).toEqual({ a: "on", b: [1, 1.5, true, null, "x"], "0123": {} });
  expect(parsePlainYaml("", "f").value).toBeNull();
  expect(parsePlainYaml("# nothing\n", "f").value).toBeNull();
});

test("places are those of the key or item, else of the nearest container", () => {
  const { place } = parsePlainYaml("a:\n  - x: 1\n    y: &n { z: 2 }\n  - *n\n", "f.yaml");
  const places = [
    [[], "1:1"],
    [["a"], "1:1"],
    [["a", 0], "2:5"],
    [["a", 0, "y"], "3:5"],
    [["a", 0, "y", "z"], "3:13"],
    [["a", 1], "4:5"],
    [["a", 1, "z"], "3:13"],
    [["a", 0, "missing", "deeper"], "2:5"],
    [["a", 9], "1:1"],
  ] as const;
  for (const [path, expected] of places) expect(place(path)).toBe(`f.yaml:${expected}`);
});

test.each([
  ["a: 1\na: 2\n", ["f:2:1: Map keys must be unique"]],
  ["a: 1\n---\nb: 2\n", ["f:2:1: only one document is expected"]],
  ["0123: x\n", ["f:1:1: quote the key 0123"]],
  ["a: {true: x}\n", ["f:1:5: quote the key true"]],
  ["a: !Ref x\n", ["f:1:4: Unresolved tag"]],
  ["a: {\nb: ]\n", ["f:"]],
  ["a:\n\t- x\n", ["f:2:1"]],
])("%j is refused", (text, expected) => {
  expect(() => parsePlainYaml(text, "f")).toThrow(PlainYamlError);
  try {
    parsePlainYaml(text, "f");
  } catch (error) {
    if (!(error instanceof PlainYamlError)) throw error;
    for (const [index, start] of expected.entries()) {
      expect(error.problems[index]?.startsWith(start) ? start : error.problems[index]).toBe(start);
    }
  }
});

test("an alias bomb is refused", () => {
  const levels = Array.from({ length: 9 }, (_, index) =>
    index === 0 ? "a0: &a0 [x, x]" : `a${index}: &a${index} [${`*a${index - 1}, `.repeat(9)}]`,
  );
  expect(() => parsePlainYaml(levels.join("\n"), "f")).toThrow(PlainYamlError);
});
