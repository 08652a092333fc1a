/** Windows of time on the clocks of zones: midnight, days of the week, daylight saving. */

import { describe, expect, test } from "vitest";
import { isOpen, minutesOf, type TimeWindow } from "../../../../src/lib/time/time-window.ts";
import {
  isTimeZone,
  type Weekday,
  weekdays,
  zonedTime,
  zonedTimeText,
} from "../../../../src/lib/time/zoned-time.ts";

function window(from: string, to: string, days: readonly Weekday[] = weekdays): TimeWindow {
  return { days: new Set(days), from: minutesOf(from) ?? -1, to: minutesOf(to) ?? -1 };
}

const night = window("22:00", "04:00");
const friday = window("22:00", "04:00", ["fri"]);

test.each([
  ["within a day, at its beginning", window("08:00", "10:00"), "2026-03-04T08:00Z", true],
  ["within a day, in its last minute", window("08:00", "10:00"), "2026-03-04T09:59Z", true],
  ["within a day, at its end", window("08:00", "10:00"), "2026-03-04T10:00Z", false],
  ["past midnight, before it", night, "2026-03-04T21:59Z", false],
  ["past midnight, at its beginning", night, "2026-03-04T22:00Z", true],
  ["past midnight, at midnight", night, "2026-03-05T00:00Z", true],
  ["past midnight, at its end", night, "2026-03-05T04:00Z", false],
  ["of Fridays, on Friday", friday, "2026-03-06T23:00Z", true],
  ["of Fridays, on the night after", friday, "2026-03-07T03:59Z", true],
  ["of Fridays, on Friday morning", friday, "2026-03-06T03:00Z", false],
  ["of Fridays, on Saturday evening", friday, "2026-03-07T22:30Z", false],
  ["of Sundays, on Monday morning", window("22:00", "04:00", ["sun"]), "2026-03-09T01:00Z", true],
  ["the whole day, at its end", window("00:00", "24:00", ["wed"]), "2026-03-04T23:59Z", true],
  ["the whole day, on the next", window("00:00", "24:00", ["wed"]), "2026-03-05T00:00Z", false],
  ["from an hour to the same", window("06:00", "06:00", ["wed"]), "2026-03-05T05:59Z", true],
])("%s", (_name, open, at, expected) => {
  expect(isOpen([open], zonedTime(Date.parse(at), "UTC"))).toBe(expected);
});

describe("daylight saving in Berlin", () => {
  const minutesOpen = (open: TimeWindow, from: string, to: string): number => {
    let count = 0;
    for (let ms = Date.parse(from); ms < Date.parse(to); ms += 60_000) {
      if (isOpen([open], zonedTime(ms, "Europe/Berlin"))) count += 1;
    }
    return count;
  };

  test.each([
    ["an ordinary night", night, "2026-03-27T12:00Z", "2026-03-28T12:00Z", 360],
    ["the night that is an hour shorter", night, "2026-03-28T12:00Z", "2026-03-29T12:00Z", 300],
    ["the night that is an hour longer", night, "2026-10-24T12:00Z", "2026-10-25T12:00Z", 420],
    [
      "the hour that is skipped",
      window("02:00", "03:00"),
      "2026-03-29T00:00Z",
      "2026-03-29T12:00Z",
      0,
    ],
    [
      "a window that begins in the hour that is skipped",
      window("02:30", "04:00"),
      "2026-03-29T00:00Z",
      "2026-03-29T12:00Z",
      60,
    ],
    [
      "the hour that comes twice",
      window("02:00", "03:00"),
      "2026-10-25T00:00Z",
      "2026-10-25T12:00Z",
      120,
    ],
  ])("%s", (_name, open, from, to, minutes) => {
    expect(minutesOpen(open, from, to)).toBe(minutes);
  });

  test("22:00 is another time in summer", () => {
    expect(zonedTimeText(Date.parse("2026-01-16T21:00Z"), "Europe/Berlin")).toBe(
      "Fri 2026-01-16 22:00 Europe/Berlin",
    );
    expect(zonedTimeText(Date.parse("2026-07-17T20:00Z"), "Europe/Berlin")).toBe(
      "Fri 2026-07-17 22:00 Europe/Berlin",
    );
  });
});

test.each([
  ["UTC", true],
  ["Asia/Kathmandu", true],
  ["Europe/Berlim", false],
  ["+02:00", false],
  ["", false],
])("%j is a zone: %s", (zone, expected) => {
  expect(isTimeZone(zone)).toBe(expected);
});

test("zones that differ by parts of an hour, and the day before", () => {
  const ms = Date.parse("2026-03-01T00:10Z");
  expect(zonedTimeText(ms, "Asia/Kathmandu")).toBe("Sun 2026-03-01 05:55 Asia/Kathmandu");
  expect(zonedTimeText(ms, "America/New_York")).toBe("Sat 2026-02-28 19:10 America/New_York");
});

test.each([
  ["00:00", 0],
  ["24:00", 1440],
  ["24:01", undefined],
  ["12:60", undefined],
  ["9:00", undefined],
])("%s is minute %s", (text, minutes) => {
  expect(minutesOf(text)).toBe(minutes);
});
