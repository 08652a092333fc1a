import { expect, test } from "vitest";
import { parseDurationMs } from "../../../../src/lib/time/duration.ts";

test.each([
  ["0s", 0],
  ["500ms", 500],
  ["90s", 90_000],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["", undefined],
  ["90", undefined],
  ["1.5s", undefined],
  ["-1s", undefined],
  ["1d", undefined],
  [" 1s", undefined],
  ["1s\n", undefined],
  ["99999999999999999h", 1e14],
])("%j", (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});
