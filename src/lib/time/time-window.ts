/** Windows of time: spans of the day on days of the week, on the clock of a zone. */

import { type Weekday, weekdays, type ZonedTime } from "./zoned-time.ts";

export type TimeWindow = {
  /** Days on which it opens; it may end on the next one. */
  readonly days: ReadonlySet<Weekday>;
  /** Minutes of the day. With an end that is not after it, the end is of the next day. */
  readonly from: number;
  readonly to: number;
};

const dayMinutes = 24 * 60;

/** Open from the minute it begins to the one before its end, by the clock on the wall. */
export function isOpen(windows: readonly TimeWindow[], time: ZonedTime): boolean {
  const minute = time.hour * 60 + time.minute;
  const today = time.weekday;
  const yesterday = weekdays[(weekdays.indexOf(today) + 6) % 7] ?? today;
  return windows.some(({ days, from, to }) => {
    if (from < to) return days.has(today) && from <= minute && minute < to;
    return (days.has(today) && from <= minute) || (days.has(yesterday) && minute < to);
  });
}

/** Minutes of the day of a text such as `22:00`; `24:00` is the end of the day. */
export function minutesOf(text: string): number | undefined {
  const [, hour, minute] = /^(\d{2}):(\d{2})$/.exec(text) ?? [];
  const minutes = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && minutes <= dayMinutes ? minutes : undefined;
}
