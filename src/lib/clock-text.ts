/** A time of day as people read it: local, `11:22:05`; with the day where that is another one. */

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** `nowMs` decides what is left out: the day of today, the year of this year. */
export function clockText(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  if (Number.isNaN(at.getTime())) return "an unknown time";
  const now = new Date(nowMs);
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) =>
    String(part).padStart(2, "0"),
  );
  if (at.toDateString() === now.toDateString()) return `${hours}:${minutes}:${seconds}`;
  const year = at.getFullYear() === now.getFullYear() ? "" : ` ${at.getFullYear()}`;
  return `${at.getDate()} ${months[at.getMonth()]}${year} ${hours}:${minutes}`;
}
