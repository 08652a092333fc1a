/** The operations of a plan as a drawing: a lane for each machine along an axis of time. */

import { plural } from "../../lib/text.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Rehearsal } from "../../model/plan/rehearsal.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { requestMask } from "../plan/request-mask.ts";
import { rehearsedSchedule, type Schedule, type Scheduled, scheduleOf } from "../plan/schedule.ts";
import { durationText } from "../text/duration-text.ts";
import { isSensitive } from "../text/value/sensitivity.ts";
import { headHeight, itemsMax, laneDiagram, laneHeight, lanesMax, laneX } from "./lane-parts.ts";
import { element, type Markup } from "./markup.ts";
import { paragraph } from "./parts.ts";

/** As long as each may take. */
export function laneDrawing(
  plan: Pick<Plan, "operations" | "joins">,
  types: SchemaRegistry,
): readonly Markup[] {
  const schedule = scheduleOf(plan);
  const explained =
    "How long each took is not known here, so each is as long as its time limit: this is the " +
    `planned order and the longest it may take, ${durationText(schedule.endMs)} in all. What ` +
    "shares a pool or the number of operations at once may wait longer.";
  return drawn(schedule, types, explained);
}

/** At the times that a rehearsal took for each; what did not begin is left out. */
export function rehearsedLanes(
  plan: Pick<Plan, "operations" | "joins">,
  rehearsal: Rehearsal,
  types: SchemaRegistry,
): readonly Markup[] {
  const long = durationText(rehearsal.durationMs);
  const explained = `As rehearsed in a simulated twin, ${long} in all.`;
  return drawn(rehearsedSchedule(plan, rehearsal), types, explained);
}

function drawn(schedule: Schedule, types: SchemaRegistry, explained: string): readonly Markup[] {
  if (schedule.items.length === 0) return [];
  const items = schedule.items.filter(({ lane }) => lane < lanesMax).slice(0, itemsMax);
  const lanes = schedule.lanes.slice(0, lanesMax);
  const left = schedule.items.length - items.length;
  const x = laneX(schedule.endMs);
  const windows = schedule.windows
    .filter(({ lane }) => lane < lanes.length)
    .map(({ lane, startMs, endMs }) =>
      element("rect", {
        ...{ class: "window", x: x(startMs), y: headHeight + lane * laneHeight + 1 },
        ...{ width: Math.max(2, x(endMs) - x(startMs)), height: laneHeight - 2 },
      }),
    );
  const title = `Operations of ${plural(lanes.length, "machine")} along time`;
  const labels = lanes.map(({ label }) => label);
  const shapes = [...windows, ...items.map((item) => itemPart(item, x, types))];
  return [
    element("p", { class: "soft" }, explained),
    keyLine(items, schedule.windows.length > 0),
    laneDiagram(title, labels, schedule.endMs, shapes),
    ...(left > 0
      ? [paragraph(`${plural(left, "more operation")} not drawn; all: vmform plan --json`)]
      : []),
  ];
}

/** Of what is drawn, and of nothing else. */
function keyLine(items: readonly Scheduled[], hasWindows: boolean): Markup {
  const kinds = new Set(items.map((item) => kindOf(item)));
  const all = [
    ["", "operation", kinds.has("bar")],
    ["critical", "decides on the whole time", kinds.has("bar critical")],
    ["fails", "fails", kinds.has("bar fails")],
    ["wait", "waits or looks, sends nothing", kinds.has("wait")],
    ["window", "power window", hasWindows],
  ] as const;
  const entries = all.filter(([, , isDrawn]) => isDrawn);
  return element(
    "p",
    { class: "key soft" },
    ...entries.map(([name, label]) =>
      element("span", { class: name === "" ? undefined : name }, element("i", {}), label),
    ),
  );
}

function kindOf({ operation, critical, spare, fails = false }: Scheduled): string {
  if (spare) return "spare";
  if (fails) return "bar fails";
  if (critical) return "bar critical";
  return operation.effect.kind === "wait" ? "wait" : "bar";
}

function itemPart(item: Scheduled, x: (ms: number) => number, types: SchemaRegistry): Markup {
  const { operation, startMs, endMs, lane, spare, fails = false } = item;
  const { subject, proof, request } = operation;
  const isSecret = (input: string): boolean => isSensitive(types, subject.type, input);
  const summary = requestMask(request.inputs, isSecret).text(operation.summary);
  const limit = `at most ${durationText(proof.limitMs)}`;
  const note = spare ? "only if the one before it fails" : fails ? "fails" : limit;
  return element(
    "rect",
    {
      ...{ class: kindOf(item), x: x(startMs) + 1, y: headHeight + lane * laneHeight + 6, rx: 2 },
      ...{ width: Math.max(spare ? 8 : 3, x(endMs) - x(startMs) - 2), height: laneHeight - 12 },
    },
    element("title", {}, `${subject.address}: ${summary} (${note})`),
  );
}
