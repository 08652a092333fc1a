import { expect, test } from "vitest";
import { meetsRequirement } from "../../../../src/config/settings/required-version.ts";

test.each([
  ["0.1.0", ">=0.1", true],
  ["0.1.0", ">= 0.1.0", true],
  ["0.1.0", ">0.1", false],
  ["0.1.1", ">0.1", true],
  ["0.1.0", "<0.1", false],
  ["0.1.0", "<=0.1", true],
  ["0.1.0", "0.1", true],
  ["0.1.0", "=0.1.1", false],
  ["0.1.0", "!=0.1.0", false],
  ["0.10.0", ">=0.9", true],
  ["0.2.5", ">=0.2, <0.3", true],
  ["0.3.0", ">=0.2, <0.3", false],
  ["0.3.7", "~> 0.3.1", true],
  ["0.4.0", "~> 0.3.1", false],
  ["0.3.0", "~> 0.3.1", false],
  ["0.9.0", "~> 0.3", true],
  ["1.0.0", "~> 0.3", false],
  ["1.0.0-beta.1", ">=1.0", true],
  ["0.1.0", "latest", undefined],
  ["0.1.0", ">=0.1,", undefined],
  ["0.1.0", "", undefined],
  ["0.1.0", ">=0.1 <2", undefined],
  ["0.1.0", "1.2.3.4", undefined],
])("%s meets %j: %s", (version, requirement, expected) => {
  expect(meetsRequirement(version, requirement)).toBe(expected);
});
