import { expect, test } from "vitest";
import { retryAfterMs } from "../../../src/http/retry-after.ts";

const nowMs = Date.parse("2026-01-02T03:04:05Z");

test.each([
  [undefined, undefined],
  ["", undefined],
  ["soon", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["2026-01-02T03:05:00Z", undefined],
  ["Monday", undefined],
  ["0", 0],
  ["2", 2000],
  [" 2 ", 2000],
  ["86400", 120_000],
  ["99999999999999999999", 120_000],
  ["Fri, 02 Jan 2026 03:04:15 GMT", 10_000],
  ["Friday, 02-Jan-26 03:04:15 GMT", 10_000],
  ["Fri Jan  2 03:04:15 2026", 10_000],
  ["Fri, 02 Jan 2026 03:04:00 GMT", 0],
  ["Sat, 03 Jan 2026 03:04:05 GMT", 120_000],
])("%j", (header, ms) => {
  expect(retryAfterMs(header, nowMs)).toBe(ms);
});
