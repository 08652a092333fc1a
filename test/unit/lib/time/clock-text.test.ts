/** Times for people, in local time (the tests run in UTC). */

import { expect, test } from "vitest";
import { clockText } from "../../../../src/lib/time/clock-text.ts";

const at = (text: string): number => Date.parse(text);

test.each([
  ["today", "2026-11-29T11:22:05.156Z", "2026-11-29T23:59:59Z", "11:22:05"],
  ["another day", "2026-11-29T11:22:05.156Z", "2026-11-30T00:00:01Z", "29 Nov 11:22"],
  ["another year", "2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00Z", "31 Dec 2026 23:59"],
  ["whenever it is read", "2026-11-29T01:02:03.156Z", undefined, "29 Nov 2026 01:02:03"],
])("%s", (_name, time, now, text) => {
  expect(clockText(at(time), now === undefined ? undefined : at(now))).toBe(text);
});

test("a time that is none says so", () => {
  expect(clockText(Number.NaN, 0)).toBe("an unknown time");
});
