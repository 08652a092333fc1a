/** Wall clocks of time zones, by what the platform knows of them: daylight saving included. */

/** Days of the week as they are written, from Sunday. */
export const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
export type Weekday = (typeof weekdays)[number];

export type ZonedTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: Weekday;
  readonly hour: number;
  readonly minute: number;
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether the platform knows a zone of that name; names of offsets such as `+02:00` are none. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** What a clock on the wall shows there. Throws `RangeError` for a zone that is not known. */
export function zonedTime(ms: number, zone: string): ZonedTime {
  const parts = new Map<string, number>();
  for (const { type, value } of formatOf(zone).formatToParts(ms)) parts.set(type, Number(value));
  const part = (name: string): number => parts.get(name) ?? 0;
  const [year, month, day] = [part("year"), part("month"), part("day")];
  const weekday = weekdays[new Date(Date.UTC(year, month - 1, day)).getUTCDay()] ?? "sun";
  return { year, month, day, weekday, hour: part("hour"), minute: part("minute") };
}

/** As `Sat 2026-03-28 22:00 Europe/Berlin`. */
export function zonedTimeText(ms: number, zone: string): string {
  const time = zonedTime(ms, zone);
  const day = `${time.weekday.slice(0, 1).toUpperCase()}${time.weekday.slice(1)}`;
  return `${day} ${zonedDateText(time)} ${zonedClockText(time)} ${zone}`;
}

export function zonedDateText({ year, month, day }: ZonedTime): string {
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

export function zonedClockText({ hour, minute }: ZonedTime): string {
  return `${two(hour)}:${two(minute)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    });
    formats.set(zone, format);
  }
  return format;
}
