/** The history of runs for people: a line for each, one in full, and who changed what. */

import { plural } from "../../lib/text.ts";
import { clockText } from "../../lib/time/clock-text.ts";
import type { RunChange, RunOperation, RunRecord } from "../../model/recorded/run-record.ts";
import { durationText } from "../text/duration-text.ts";
import type { RenderOptions } from "../text/render-options.ts";
import { escapeControls } from "../text/safe-text.ts";
import { renderLines, type StyledLine, textLine } from "../text/styled-line.ts";

type Told = RunRecord & { readonly status: string };

/** As much of an id as people need. */
function shortId({ id }: Pick<RunRecord, "id">): string {
  return id.slice(0, 8);
}

function personOf({ who, host }: Pick<RunRecord, "who" | "host">): string {
  return `${who}@${host}`;
}

/** Columns, under their names. */
export function runsText(runs: readonly Told[], nowMs: number): string {
  const rows = runs.map((run) => [
    shortId(run),
    clockText(run.beganMs, nowMs),
    personOf(run),
    commandOf(run),
    run.status,
    doneText(run),
  ]);
  return table([["RUN", "BEGAN", "BY", "COMMAND", "OUTCOME", "WHAT"], ...rows]);
}

function commandOf({ command, subject }: RunRecord): string {
  return subject === undefined ? command : `${command} ${subject}`;
}

function doneText({ operations, changes }: RunRecord): string {
  const done = operations.filter(({ outcome }) => outcome === "success").length;
  const parts = [
    ...(operations.length === 0 ? [] : [`${done} of ${plural(operations.length, "operation")}`]),
    ...(changes.length === 0 ? [] : [plural(changes.length, "other change")]),
  ];
  return parts.join(", ");
}

function table(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map((cell) => escapeControls(cell)));
  const widths = (shown[0] ?? []).map((_, column) =>
    Math.max(...shown.map((row) => (row[column] ?? "").length)),
  );
  return shown
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .join("\n");
}

type Shown = Told & {
  readonly operations: readonly (RunOperation & { readonly settledBy?: string })[];
};

export function runText(run: Shown, options: RenderOptions): string {
  const lines: StyledLine[] = [textLine(`# run ${run.id}: ${commandOf(run)}`, "strong")];
  const add = (text: string): void => void lines.push(textLine(escapeControls(text)));
  const { plan, end, beganMs, said, leftOut = 0, submission } = run;
  add(`by: ${personOf(run)}, with vmform ${run.version}`);
  if (submission !== undefined) add(`submitted as: ${submission}`);
  add(`began: ${clockText(beganMs)}`);
  add(`outcome: ${run.status}${end === undefined ? "" : endText(run, end)}`);
  if (plan !== undefined) {
    const counts = Object.entries(plan.counts).map(([what, count]) => `${what} ${count}`);
    const from = plan.saved ? ", of a saved plan" : "";
    add(`plan: ${[...counts, plural(plan.operations, "operation")].join(", ")}${from}`);
    for (const { kind, address, by } of plan.consents) {
      const whose = by === "person" ? `${run.who}, who was asked` : "an option, --allow";
      add(`consent: ${kind}${address === undefined ? "" : ` of ${address}`}, by ${whose}`);
    }
  }
  if (run.operations.length > 0) add("operations:");
  for (const operation of run.operations) add(`  ${operationText(operation)}`);
  if (run.changes.length > 0) add("changed otherwise:");
  for (const change of run.changes) add(`  ${changeText(change)}`);
  if (leftOut > 0) add(`${leftOut} more are left out, for which the store has no room`);
  if (said.length > 0) add("said:");
  for (const text of said) add(`  ${text}`);
  return renderLines(lines, options);
}

function endText({ beganMs, status }: Told, { atMs, serial }: NonNullable<RunRecord["end"]>) {
  const last = status === "lost" ? ", last heard of" : "";
  return `${last} after ${durationText(atMs - beganMs)}, at serial ${serial}`;
}

function operationText(operation: Shown["operations"][number]): string {
  const { address, verb, outcome = "begun", beganMs, endedMs, message, attributes } = operation;
  const after = endedMs === undefined ? "" : ` after ${durationText(endedMs - beganMs)}`;
  const found = operation.settled === true ? ", of an earlier run" : "";
  const by =
    operation.settledBy === undefined ? "" : `, found by ${operation.settledBy.slice(0, 8)}`;
  const names = attributes === undefined ? "" : `: ${attributes.join(", ")}`;
  const why = message === undefined || outcome === "success" ? "" : ` (${message})`;
  return `${address} ${verb}: ${outcome}${after}${found}${by}${why}${names}`;
}

function changeText({ what, address, attributes, from }: RunChange): string {
  const names = attributes === undefined ? "" : `: ${attributes.join(", ")}`;
  return `${address} ${changeWords[what]}${from === undefined ? "" : ` from ${from}`}${names}`;
}

const changeWords: { readonly [what in RunChange["what"]]: string } = {
  outside: "changed outside",
  along: "changed along with others",
  gone: "gone outside",
  adopted: "adopted",
  forgotten: "forgotten",
  moved: "moved",
  endpoint: "accepted at another endpoint",
};

export type Blamed = {
  readonly name: string;
  readonly how: string;
  readonly verb?: string;
  readonly run?: RunRecord;
  readonly unaccepted: boolean;
};

/** A line for each attribute. */
export function blameText(attributes: readonly Blamed[], nowMs: number): string {
  const rows = attributes.map(({ name, how, verb, run, unaccepted }) => [
    name,
    ...(run === undefined
      ? ["", "", "", "before the history that is kept"]
      : [shortId(run), clockText(run.beganMs, nowMs), personOf(run), howText(how, verb, run)]),
    unaccepted ? "not accepted" : "",
  ]);
  return table([["ATTRIBUTE", "RUN", "BEGAN", "BY", "HOW", ""], ...rows]);
}

function howText(how: string, verb: string | undefined, { command }: RunRecord): string {
  if (how === "operation") return `${command}: ${verb ?? ""}`;
  if (how === "outside") return `changed outside, seen by ${command}`;
  if (how === "along") return `${command}: changed along with others`;
  return `${command}: ${how}`;
}
