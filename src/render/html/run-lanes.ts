/** What a run has done as a drawing: a lane for each object along the time that it took. */

import { plural } from "../../lib/text.ts";
import type { RunRecord } from "../../model/recorded/run-record.ts";
import { durationText } from "../text/duration-text.ts";
import { headHeight, itemsMax, laneDiagram, laneHeight, lanesMax, laneX } from "./lane-parts.ts";
import { element, type Markup } from "./markup.ts";
import { paragraph } from "./parts.ts";

/** Operations that have no end yet reach to `nowMs`. Nothing where nothing was begun. */
export function runLanes(
  { operations }: Pick<RunRecord, "operations">,
  nowMs: number,
): readonly Markup[] {
  const first = operations.reduce((ms, { beganMs }) => Math.min(ms, beganMs), nowMs);
  const ends = operations.map(({ beganMs, endedMs = nowMs }) => Math.max(beganMs, endedMs));
  const endMs = ends.reduce((ms, end) => Math.max(ms, end), first) - first;
  const lanes = [...new Set(operations.map(({ address }) => address))].slice(0, lanesMax);
  if (lanes.length === 0) return [];
  const drawn = operations.filter(({ address }) => lanes.includes(address)).slice(0, itemsMax);
  const x = laneX(endMs);
  const items = drawn.map((operation) => {
    const { address, verb, beganMs, endedMs = nowMs, outcome = "running" } = operation;
    const [from, to] = [x(beganMs - first), x(Math.max(beganMs, endedMs) - first)];
    const y = headHeight + lanes.indexOf(address) * laneHeight + 6;
    const took = durationText(Math.max(0, endedMs - beganMs));
    return element(
      "rect",
      {
        ...{ class: `bar ${outcome}`, x: from + 1, y, rx: 2 },
        ...{ width: Math.max(3, to - from - 2), height: laneHeight - 12 },
      },
      element("title", {}, `${address}: ${verb}, ${outcome} (${took})`),
    );
  });
  const title = `Operations on ${plural(lanes.length, "object")} along time`;
  const left = operations.length - drawn.length;
  return [
    laneDiagram(title, lanes, endMs, items),
    ...(left > 0 ? [paragraph(`${plural(left, "more operation")} not drawn`)] : []),
  ];
}
