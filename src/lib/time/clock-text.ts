/** A time as people read it: local, without milliseconds. What programs read is in UTC. */

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/**
 * `nowMs` decides what is left out: of today all but the time of day, `11:22:05`; of this year, the
 * year. Without it nothing is: `29 Nov 2026 11:22:05`.
 */
export function clockText(atMs: number, nowMs?: number): string {
  const at = new Date(atMs);
  if (Number.isNaN(at.getTime())) return "an unknown time";
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) =>
    String(part).padStart(2, "0"),
  );
  const day = `${at.getDate()} ${months[at.getMonth()]}`;
  if (nowMs === undefined) return `${day} ${at.getFullYear()} ${hours}:${minutes}:${seconds}`;
  const now = new Date(nowMs);
  if (at.toDateString() === now.toDateString()) return `${hours}:${minutes}:${seconds}`;
  const year = at.getFullYear() === now.getFullYear() ? "" : ` ${at.getFullYear()}`;
  return `${day}${year} ${hours}:${minutes}`;
}
