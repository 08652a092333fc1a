/** Variables that a person is asked for. */

import { expect, test } from "vitest";
import { missingVariables } from "../../../src/config/missing-variables.ts";

const none = { cli: [], files: [], environment: {} };
const name = "main.vmform.yaml";

test.each<[string, string, Partial<typeof none> & object, readonly object[]]>([
  ["without a default", "a: { type: string }", {}, [{ name: "a", hidden: false }]],
  ["with nothing said of it", "a:", {}, [{ name: "a", hidden: false }]],
  ["with a default", "a: { default: x }", {}, []],
  ["with null as default", "a: { type: any, default: null }", {}, []],
  ["given by the environment", "a: { type: string }", { environment: { a: "x" } }, []],
  ["sensitive", "a: { sensitive: true }", {}, [{ name: "a", hidden: true }]],
  ["ephemeral", "a: { ephemeral: true }", {}, [{ name: "a", hidden: true }]],
  [
    "described",
    "a: { description: Who owns it }",
    {},
    [{ name: "a", description: "Who owns it", hidden: false }],
  ],
  [
    "in their order",
    "b: {}\n  a: {}",
    {},
    [
      { name: "b", hidden: false },
      { name: "a", hidden: false },
    ],
  ],
  ["beside an error that no value mends", "a: {}\n  b: { typ: string }", {}, []],
])("%s", (_what, declared, given, expected) => {
  const bytes = new TextEncoder().encode(`variables:\n  ${declared}\n`);
  const found = missingVariables({ files: [{ name, bytes }], variables: { ...none, ...given } });
  expect(found).toEqual(expected);
});
