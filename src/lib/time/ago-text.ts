/** How long ago something was, as people say it. */

const units = [
  { name: "day", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1000 },
] as const;

/** `12 min ago`, `3 days ago`; of less than a second, or of a time to come, `just now`. */
export function agoText(ms: number): string {
  const unit = units.find((one) => ms >= one.ms);
  if (unit === undefined) return "just now";
  const count = Math.floor(ms / unit.ms);
  const name = unit.name === "day" && count !== 1 ? "days" : unit.name;
  return `${count} ${name} ago`;
}
