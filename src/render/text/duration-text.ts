/** Spans of time for people: `850ms`, `9s`, `1m30s`, `2h`. */

/** Rounds down to whole seconds from one second on. */
export function durationText(durationMs: number): string {
  if (durationMs < 1000) return `${Math.max(0, Math.round(durationMs))}ms`;
  const total = Math.floor(durationMs / 1000);
  const [hours, minutes, seconds] = [
    Math.floor(total / 3600),
    Math.floor(total / 60) % 60,
    total % 60,
  ];
  const parts = [
    hours > 0 ? `${hours}h` : "",
    minutes > 0 ? `${minutes}m` : "",
    seconds > 0 ? `${seconds}s` : "",
  ];
  return parts.join("");
}
