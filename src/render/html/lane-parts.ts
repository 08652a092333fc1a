/** Lanes along an axis of time, as drawings of plans and of runs have them. */

import { clipColumns } from "../text/clip-columns.ts";
import { durationText } from "../text/duration-text.ts";
import { element, type Markup } from "./markup.ts";

/** Lanes that are drawn, and operations within them. */
export const lanesMax = 60;
export const itemsMax = 400;

const labelWidth = 260;
const labelColumns = 38;
const axisWidth = 860;
const lanesWidth = labelWidth + axisWidth + 10;
export const laneHeight = 26;
export const headHeight = 24;

/** The drawing of `items` on a lane for each label; `title` says what it shows. */
export function laneDiagram(
  title: string,
  labels: readonly string[],
  endMs: number,
  items: readonly Markup[],
): Markup {
  const [width, height] = [lanesWidth, headHeight + labels.length * laneHeight + 4];
  const drawing = element(
    "svg",
    {
      ...{ width, height, viewBox: `0 0 ${width} ${height}`, role: "img" },
      "aria-label": title,
    },
    ...labels.flatMap(laneParts),
    ...gridParts(endMs, height),
    ...items,
  );
  return element("div", { class: "wide" }, drawing);
}

/** Where a time stands on the axis. */
export function laneX(endMs: number): (ms: number) => number {
  return (ms) => Math.round(labelWidth + (axisWidth * ms) / Math.max(1, endMs));
}

/** A lane with its label; `index` from 0. */
function laneParts(label: string, index: number): readonly Markup[] {
  const y = headHeight + index * laneHeight;
  const shown = clipColumns(label, labelColumns);
  return [
    element("rect", {
      ...{ class: "lane", x: 0, y: y + 1, height: laneHeight - 2 },
      width: lanesWidth,
    }),
    element("text", { x: 6, y: y + 17 }, element("title", {}, label), shown),
  ];
}

/** The axis of time, from nothing to `endMs`. */
function gridParts(endMs: number, height: number): readonly Markup[] {
  const x = laneX(endMs);
  return [0, 1, 2, 3, 4].flatMap((step) => {
    const ms = (endMs * step) / 4;
    const anchor = step === 4 ? "end" : "start";
    return [
      element("line", { class: "grid", x1: x(ms), x2: x(ms), y1: 18, y2: height }),
      element(
        "text",
        { class: "soft", x: x(ms), y: 13, "text-anchor": anchor },
        endMs < 8000 ? shortText(ms) : durationText(Math.round(ms / 1000) * 1000),
      ),
    ];
  });
}

/** Whole seconds would not tell the marks of a short axis apart. */
function shortText(ms: number): string {
  return ms < 1000 ? durationText(ms) : `${Number((ms / 1000).toFixed(1))}s`;
}
