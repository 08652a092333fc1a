import { expect, test } from "vitest";
import { referencesOf } from "../../../../src/simulators/kit/references.ts";

/** `SCOPE:REFERENCE` of each, either may be left out. */
const rows: readonly (readonly [all: string, given: string, repeated: string])[] = [
  [": : :", "vm-101 vm-102 vm-103", ""],
  [": :vm-101 :", "vm-102 vm-101 vm-103", ""],
  [":vm-102 : :", "vm-102 vm-103 vm-104", ""],
  [":vm-7 : :vm-103 :", "vm-7 vm-102 vm-103 vm-104", ""],
  ["a: b: a: b:vm-101", "vm-101 vm-102 vm-102 vm-101", ""],
  ["a:vm-5 b:vm-5 a:", "vm-5 vm-5 vm-102", ""],
  [":vm-5 :vm-5 :vm-5", "vm-5 vm-5 vm-5", "1 vm-5, 2 vm-5"],
];

test.each(rows)("%s", (all, given, repeated) => {
  const told: string[] = [];
  const wanted = all.split(" ").map((text) => {
    const [scope = "", moref = ""] = text.split(":");
    return { scope, moref: moref === "" ? undefined : moref };
  });
  const references = referencesOf(
    wanted,
    (place) => `vm-${101 + place}`,
    (index, reference) => void told.push(`${index} ${reference}`),
  );
  expect(references.join(" ")).toBe(given);
  expect(told.join(", ")).toBe(repeated);
});
