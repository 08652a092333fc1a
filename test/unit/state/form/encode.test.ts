/** Recorded state as text: exact both ways, strict about everything else. */

import { expect, test } from "vitest";
import type { RecordedState } from "../../../../src/model/recorded/recorded.ts";
import { decodeState, encodeState } from "../../../../src/state/form/encode.ts";
import { StateFormatError } from "../../../../src/state/form/format-error.ts";
import { emptyState, fullState } from "../samples.ts";

const fullText = encodeState(fullState);

function failure(text: string): StateFormatError {
  try {
    decodeState(text);
  } catch (error) {
    if (error instanceof StateFormatError) return error;
    throw error;
  }
  throw new Error("decoded");
}

test.each([
  ["empty", emptyState],
  ["full", fullState],
])("an %s state survives", (_, state) => {
  const text = encodeState(state);
  expect(decodeState(text)).toEqual(state);
  expect(encodeState(decodeState(text))).toBe(text);
});

test("equal states give equal bytes, whatever the order of their members", () => {
  const reversed = Object.fromEntries(Object.entries(fullState).toReversed());
  expect(encodeState(reversed as RecordedState)).toBe(fullText);
});

test("every prefix of a file is refused, the last line end aside", () => {
  const whole = fullText.trimEnd();
  for (let length = 0; length < whole.length; length += 1) {
    expect(failure(whole.slice(0, length)).problem).toBe("damaged");
  }
  expect(decodeState(whole)).toEqual(fullState);
});

test.each<[string, string, string]>([
  ["", "damaged", "is empty"],
  [" \n\t", "damaged", "is empty"],
  ["\0\0\0\0", "damaged", "is not JSON (line 1, column 1: expected a value"],
  ["null", "damaged", "has no format version"],
  ["[]", "damaged", "has no format version"],
  ["{}", "damaged", "has no format version"],
  ['{"version": 4, "terraform_version": "1.9.0"}', "damaged", "has no format version"],
  ['{"formatVersion": 0}', "damaged", "has no format version"],
  ['{"formatVersion": "1"}', "damaged", "has no format version"],
  ['{"formatVersion": 2}', "newer", "has format version 2; this vmform reads versions up to 1"],
  ['{"formatVersion": 1}', "damaged", "is malformed: the whole must have required property"],
  [fullText.replace('"serial": 4', '"serial": -4'), "damaged", "is malformed: serial must be >= 0"],
  [fullText.replace('"serial": 4', '"serial": 4.5'), "damaged", "serial must be integer"],
  [
    fullText.replace('"serial": 4', '"serial": 4, "serial": 5'),
    "damaged",
    "column 16: duplicate key",
  ],
  [fullText.replace('"simulated"', '"emulated"'), "damaged", "have additional properties"],
  [
    fullText.replace('"power": "suspended"', '"power": "standby"'),
    "damaged",
    "restores/0/power must be equal to one of the allowed values",
  ],
])("refused, case %#", (text, problem, message) => {
  const error = failure(text);
  expect(error.problem).toBe(problem);
  expect(error.message).toContain(message);
});

test("an error quotes nothing of the text", () => {
  const secret = fullText.replace('"web-a"', '"hunter2" "hunter2"').replace('"id"', '"hunter2"');
  expect(failure(secret).message).not.toContain("hunter2");
});

test.each<[string, unknown]>([
  ["serial", { ...emptyState, serial: -1 }],
  ["no lineage", { ...emptyState, lineage: "" }],
  ["an unknown member", { ...emptyState, extra: 1 }],
  ["an object without identity", { ...emptyState, objects: [{ address: "daemon_vm.web" }] }],
])("a malformed state is not written: %s", (_, state) => {
  expect(() => encodeState(state as RecordedState)).toThrow(TypeError);
});
