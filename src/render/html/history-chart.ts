/** Drift over time as a drawing: how much was found by each report, oldest first. */

import { element, type Markup } from "./markup.ts";

const entriesMax = 200;
const width = 900;
const height = 140;
const left = 40;
const bottom = 22;

/** Nothing for a single report. */
export function historyChart(
  history: readonly { readonly createdMs: number; readonly found: number }[],
): readonly Markup[] {
  const entries = history.slice(-entriesMax);
  const [first, last] = [entries[0], entries.at(-1)];
  if (entries.length < 2 || first === undefined || last === undefined) return [];
  const most = Math.max(1, ...entries.map(({ found }) => found));
  const span = Math.max(1, last.createdMs - first.createdMs);
  const points = entries.map(({ createdMs, found }) => ({
    x: Math.round(left + ((width - left - 10) * (createdMs - first.createdMs)) / span),
    y: Math.round(10 + (height - bottom - 10) * (1 - found / most)),
    label: `${timeText(createdMs)}: ${found}`,
  }));
  const line = points.map(({ x, y }) => `${x},${y}`).join(" ");
  const floor = height - bottom;
  const label = (text: string, x: number, y: number, anchor: string): Markup =>
    element("text", { class: "soft", x, y, "text-anchor": anchor }, text);
  const drawing = element(
    "svg",
    {
      ...{ width, height, viewBox: `0 0 ${width} ${height}`, role: "img" },
      "aria-label": `Findings of the last ${entries.length} reports`,
    },
    element("line", { class: "grid", x1: left, x2: width - 10, y1: floor, y2: floor }),
    element("line", { class: "grid", x1: left, x2: width - 10, y1: 10, y2: 10 }),
    label(String(most), left - 6, 14, "end"),
    label("0", left - 6, floor + 4, "end"),
    label(timeText(first.createdMs), left, height - 5, "start"),
    label(timeText(last.createdMs), width - 10, height - 5, "end"),
    element("polyline", { class: "curve", points: line }),
    ...points.map(({ x, y, label: text }) =>
      element("circle", { class: "dot", cx: x, cy: y, r: 3 }, element("title", {}, text)),
    ),
  );
  return [element("div", { class: "wide" }, drawing)];
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T", " ");
}
