/**
 * The live part of a screen as a pure function of run, size and time. Two things always hold: no
 * line is wider than the terminal, and there are never more lines than `height` − 2, so that what
 * draws them can always come back to where it began.
 */

import type { QueueGroup } from "../../model/operation/event.ts";
import { addressesText } from "../../model/value/address-text.ts";
import { clipColumns } from "../text/clip-columns.ts";
import { durationText } from "../text/duration-text.ts";
import { escapeControls } from "../text/safe-text.ts";
import {
  displayColumns,
  line,
  renderLines,
  type Span,
  type StyledLine,
  span,
} from "../text/styled-line.ts";
import type { LiveOperation, LivePicture } from "./live-run.ts";

export type ScreenSize = {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
};

/** Rows of the screen that are never drawn on. */
const spareRows = 2;
/** Of what waits, at most this many lines are shown, however large the screen is. */
const queueLinesMax = 4;
/** A line of waiting names this many addresses. */
const namesMax = 3;
const barColumns = 16;
/** Where a line is narrower, no bar stands in it, and no limit. */
const wideColumns = 70;
/** The name of what runs keeps at least this much, whatever is told beside it. */
const nameColumnsMin = 12;

/** Lines from top to bottom, as they are written; without newlines. */
export function liveLines(
  picture: LivePicture,
  { width, height }: ScreenSize,
  nowMs: number,
  color: boolean,
): readonly string[] {
  const rows = Math.max(1, height - spareRows);
  const columns = Math.max(1, width);
  const head = headLine(picture, columns, nowMs);
  const foot = rows >= 4 ? [hintLine(picture, columns)] : [];
  const body = bodyLines(picture, columns, nowMs, rows - 1 - foot.length);
  return [head, ...body, ...foot].map((each) => renderLines([each], { color }));
}

function bodyLines(
  picture: LivePicture,
  columns: number,
  nowMs: number,
  rows: number,
): readonly StyledLine[] {
  if (rows <= 0) return [];
  // What runs has most of the room, and what waits is never quite out of sight.
  const asked = [
    ...picture.waits.map(({ text, startedMs }) =>
      plain(`  ${text} ${elapsed(nowMs - startedMs)}`, columns),
    ),
    ...queueLines(picture.queue, columns),
  ];
  const runningRows = Math.min(picture.running.length, Math.max(1, rows - asked.length));
  const least = Math.min(picture.running.length, Math.ceil(rows / 2));
  const forRunning = Math.max(runningRows, least);
  const running = runningLines(picture.running, columns, nowMs, forRunning);
  return [...running, ...asked.slice(0, Math.max(0, rows - running.length))];
}

/** Longest first; beyond `rows`, the last one counts the rest. */
function runningLines(
  running: readonly LiveOperation[],
  columns: number,
  nowMs: number,
  rows: number,
): readonly StyledLine[] {
  if (rows <= 0) return [];
  const sorted = running.toSorted((a, b) => a.startedMs - b.startedMs);
  const shown = sorted.length > rows ? sorted.slice(0, rows - 1) : sorted;
  const rest = sorted.length - shown.length;
  const more = rest === 0 ? [] : [plain(`  … ${rest} more running`, columns, "muted")];
  return [...shown.map((one) => runningLine(one, columns, nowMs)), ...more];
}

function runningLine(one: LiveOperation, columns: number, nowMs: number): StyledLine {
  const { address, what, words, progress, limitMs, startedMs } = one;
  const isWide = columns >= wideColumns;
  const percent = progress === undefined ? "" : `${String(Math.round(progress)).padStart(3)} %  `;
  const bar = progress === undefined || !isWide ? "" : `${barOf(progress)} `;
  const limit =
    limitMs === undefined || !isWide ? "" : ` of ${elapsed(Math.round(limitMs / 1_000) * 1_000)}`;
  const time = `${elapsed(nowMs - startedMs)}${limit}`;
  const right = `${bar}${percent}${time}`;
  const room = columns - displayColumns(right) - 2;
  // How far it is says that it goes on.
  const said = words === undefined || progress !== undefined ? "" : ` (${words})`;
  if (room < nameColumnsMin) return plain(`  ${address}: ${what}${said}`, columns);
  const name = `  ${address}: `;
  const left = clipColumns(escapeControls(`${name}${what}${said}`), room);
  const gap = " ".repeat(columns - displayColumns(left) - displayColumns(right));
  const spans: Span[] = [{ text: left.slice(0, name.length), tone: "strong" }];
  return line([...spans, left.slice(name.length), gap, span(right, "muted")], 0);
}

function barOf(progress: number): string {
  const full = Math.round((Math.min(100, Math.max(0, progress)) / 100) * barColumns);
  return `${"█".repeat(full)}${"░".repeat(barColumns - full)}`;
}

function queueLines(queue: readonly QueueGroup[], columns: number): readonly StyledLine[] {
  const shown = queue.length > queueLinesMax ? queue.slice(0, queueLinesMax - 1) : queue;
  const rest = queue.slice(shown.length).reduce((sum, { addresses }) => sum + addresses.length, 0);
  const lines = shown.map(({ addresses, behind }) => {
    const verb = addresses.length === 1 ? "waits" : "wait";
    const names = Array.from({ length: namesMax }, (_, less) => namesMax - less);
    // What they wait for says more than who they are.
    const texts = [
      ...names.map((named) => `  ${addressesText(addresses, named)} ${verb} ${behind}`),
      ...(addresses.length === 1 ? [] : [`  ${addresses.length} ${verb} ${behind}`]),
    ];
    return fitting(texts, columns, "muted");
  });
  return rest === 0 ? lines : [...lines, plain(`  … ${rest} more wait`, columns, "muted")];
}

function headLine(picture: LivePicture, columns: number, nowMs: number): StyledLine {
  const { done, total, failed, running, startedMs, remainingMs, draining } = picture;
  const begun = draining ? "Stopping" : "Applying";
  const bad = failed === 0 ? "" : `, ${failed} failed`;
  const time = elapsed(nowMs - startedMs);
  const left = remainingMs === undefined ? "" : `, about ${roughly(remainingMs)} left`;
  const counts = `${done} of ${total} done${bad}, ${running.length} running`;
  return fitting(
    [
      `${begun}: ${counts} [${time} elapsed${left}]`,
      `${begun}: ${counts} [${time}]`,
      `${begun} ${done}/${total}${bad} [${time}]`,
    ],
    columns,
    "strong",
  );
}

const hints = ["Ctrl-C lets what runs end, and begins nothing more", "Ctrl-C begins nothing more"];
const drainingHints = [
  "Nothing more is begun. Ctrl-C again stops at once; the next run looks what became of it",
  "Nothing more is begun. Ctrl-C again stops at once",
  "Ctrl-C again stops at once",
];

function hintLine({ draining }: LivePicture, columns: number): StyledLine {
  return fitting(draining ? drainingHints : hints, columns, "muted");
}

/** The first text that fits; the last one is cut where none does. */
function fitting(texts: readonly string[], columns: number, tone: Span["tone"]): StyledLine {
  const text = texts.find((each) => displayColumns(each) <= columns) ?? texts.at(-1) ?? "";
  return plain(text, columns, tone);
}

/** Whole seconds: a line that changes more often cannot be read. */
function elapsed(elapsedMs: number): string {
  return elapsedMs < 1_000 ? "0s" : durationText(elapsedMs);
}

/** Nobody knows to the second what is left of an hour. */
function roughly(remainingMs: number): string {
  const step = remainingMs > 600_000 ? 60_000 : remainingMs > 60_000 ? 10_000 : 1_000;
  return durationText(Math.max(1_000, Math.ceil(remainingMs / step) * step));
}

function plain(text: string, columns: number, tone?: Span["tone"]): StyledLine {
  const clipped = clipColumns(escapeControls(text), columns);
  return line([tone === undefined ? clipped : span(clipped, tone)], 0);
}
