/**
 * What waits for what, as a drawing: a box for each object that a plan works on, an arrow to each
 * one that waits for it. Laid out by a library, since readable layered graphs are a subject of
 * their own.
 */

import { Graph, layout, type Point } from "@dagrejs/dagre";
import { plural } from "../../lib/text.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { moduleText, parseAddress } from "../../model/value/address.ts";
import { scheduleOf } from "../plan/schedule.ts";
import { clipColumns } from "../text/clip-columns.ts";
import { element, type Markup } from "./markup.ts";
import { paragraph } from "./parts.ts";

/** Beyond these nobody can follow a line with the eye, and the layout takes seconds. */
const boxesMax = 80;
const arrowsMax = 240;

/** Two lines: the module, where it is in one, and the object within it. */
const boxWidth = 280;
const boxHeight = 40;
const labelColumns = 38;
/** A join is a dot, which many wait for and which waits for many. */
const dotSize = 8;
const margin = 8;

/** Names of boxes are addresses, those of dots ids of joins. */
type Waiting = {
  readonly boxes: ReadonlySet<string>;
  readonly dots: ReadonlySet<string>;
  readonly arrows: readonly { readonly from: string; readonly to: string }[];
};

/** Nothing where no object waits for another one. */
export function waitingGraph(plan: Pick<Plan, "operations" | "joins">): readonly Markup[] {
  const { boxes, dots, arrows } = waitingOf(plan);
  if (arrows.length === 0) return [];
  if (boxes.size > boxesMax || arrows.length > arrowsMax) {
    const many = `${plural(boxes.size, "object")} wait for each other by ${arrows.length} arrows`;
    return [
      paragraph(`${many}, too many to be drawn here; for Graphviz: vmform graph --type operations`),
    ];
  }
  const graph = new Graph({ directed: true });
  graph.setGraph({ rankdir: "LR", nodesep: 10, ranksep: 40, marginx: margin, marginy: margin });
  for (const box of boxes) graph.setNode(box, { width: boxWidth, height: boxHeight });
  for (const dot of dots) graph.setNode(dot, { width: dotSize, height: dotSize });
  for (const { from, to } of arrows) graph.setEdge(from, to, {});
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  const critical = criticalAddresses(plan);
  const drawing = element(
    "svg",
    {
      ...{ ...size, viewBox: `0 0 ${size.width} ${size.height}`, role: "img" },
      "aria-label": `${plural(boxes.size, "object")}, by what waits for what`,
    },
    ...arrows.flatMap(({ from, to }) => arrowParts(graph.edge(from, to).points ?? [])),
    ...[...dots].map((dot) => dotPart(graph.node(dot))),
    ...[...boxes].flatMap((box) => boxParts(box, graph.node(box), critical.has(box))),
  );
  const explained =
    "An arrow leads from an object to one that waits for it. Marked is what decides on the whole " +
    "time. What waits for nothing, and nothing for it, is not drawn.";
  return [element("p", { class: "soft" }, explained), element("div", { class: "wide" }, drawing)];
}

function waitingOf({ operations, joins }: Pick<Plan, "operations" | "joins">): Waiting {
  const names = new Map<string, string>();
  for (const { id, subject } of operations) names.set(id, subject.address);
  for (const { id } of joins) names.set(id, id);
  const ended = operations.map(({ id, order: { after } }) => ({ id, after }));
  const arrows = new Map<string, { readonly from: string; readonly to: string }>();
  for (const { id, after } of [...ended, ...joins]) {
    const to = names.get(id);
    for (const edge of after) {
      const from = names.get(edge.id);
      // What is ended already is not among the operations.
      if (from === undefined || to === undefined || from === to) continue;
      arrows.set(JSON.stringify([from, to]), { from, to });
    }
  }
  const ends = new Set([...arrows.values()].flatMap(({ from, to }) => [from, to]));
  const dots = new Set(joins.map(({ id }) => id).filter((id) => ends.has(id)));
  const boxes = new Set([...ends].filter((name) => !dots.has(name)));
  return { boxes, dots, arrows: [...arrows.values()] };
}

function criticalAddresses(plan: Pick<Plan, "operations" | "joins">): ReadonlySet<string> {
  const { items } = scheduleOf(plan);
  const marked = items.filter(({ critical }) => critical);
  return new Set(marked.map(({ operation }) => operation.subject.address));
}

type Placed = { readonly x?: number | undefined; readonly y?: number | undefined };

function boxParts(address: string, { x = 0, y = 0 }: Placed, critical: boolean): readonly Markup[] {
  return [
    element(
      "rect",
      {
        ...{ class: critical ? "node critical" : "node", rx: 4 },
        ...{ x: round(x - boxWidth / 2), y: round(y - boxHeight / 2) },
        ...{ width: boxWidth, height: boxHeight },
      },
      element("title", {}, address),
    ),
    ...labelLines(address).map(({ line, dy, name }) =>
      element(
        "text",
        { class: name, x: round(x - boxWidth / 2 + 8), y: round(y + dy) },
        clipColumns(line, labelColumns),
      ),
    ),
  ];
}

function labelLines(address: string) {
  const path = moduleText(parseAddress(address)?.modules ?? []);
  if (path === "") return [{ line: address, dy: 4, name: undefined }];
  return [
    { line: path, dy: -4, name: "soft" },
    { line: address.slice(path.length + 1), dy: 12, name: undefined },
  ];
}

function dotPart({ x = 0, y = 0 }: Placed): Markup {
  return element("circle", { class: "join", cx: round(x), cy: round(y), r: dotSize / 2 });
}

/** A line with a head, drawn as such: `marker` needs an id, and ids of a page are addresses. */
function arrowParts(points: readonly Point[]): readonly Markup[] {
  const last = points.at(-1);
  const before = points.at(-2);
  if (last === undefined || before === undefined) return [];
  const path = points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${round(x)} ${round(y)}`);
  const angle = Math.atan2(last.y - before.y, last.x - before.x);
  const wing = (turn: number) =>
    `${round(last.x - 8 * Math.cos(angle + turn))} ${round(last.y - 8 * Math.sin(angle + turn))}`;
  const head = `M${wing(0.4)}L${round(last.x)} ${round(last.y)}L${wing(-0.4)}`;
  return [element("path", { class: "edge", d: `${path.join("")}${head}` })];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
