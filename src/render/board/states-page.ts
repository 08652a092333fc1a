/** All states of the database, and one of them. */

import { plural } from "../../lib/text.ts";
import type { BoardDrift, BoardRun, BoardState, Paging, Rows } from "../../model/board/board.ts";
import { historyChart } from "../html/history-chart.ts";
import { type Child, element, type Markup } from "../html/markup.ts";
import { section } from "../html/parts.ts";
import {
  empty,
  facts,
  link,
  pager,
  rowsTable,
  runLink,
  stateLink,
  statusTag,
  textField,
  whenText,
} from "./board-parts.ts";
import type { BoardPage } from "./frame.ts";
import { runsTable } from "./runs-page.ts";

export function statesPage(
  { rows, total }: Rows<BoardState>,
  text: string,
  paging: Paging,
  nowMs: number,
): BoardPage {
  const find = element(
    "form",
    { class: "find", method: "get", action: "states", role: "search" },
    textField("text", "Part of a name", text),
    element("button", { type: "submit" }, "Find"),
  );
  return {
    title: "States",
    place: "states",
    body: [
      element("h1", {}, "States"),
      find,
      rows.length > 0 ? statesTable(rows, nowMs) : nothing(text),
      ...pager("states", { text }, total, paging),
    ],
  };
}

function nothing(text: string): Markup {
  if (text !== "") return empty("No state has such a name. ", link("states", {}, "All states"));
  return empty("Nothing is recorded in this database yet: the first apply makes a state.");
}

function statesTable(states: readonly BoardState[], nowMs: number): Markup {
  const columns = [
    { label: "State" },
    { label: "Objects", kind: "number" as const },
    { label: "Last run" },
    { label: "Now" },
    { label: "Changed", kind: "when" as const },
  ];
  const rows = states.map((state): readonly Child[] => [
    stateLink(state.name),
    state.sealed ? "encrypted" : String(state.objects),
    lastRun(state),
    now(state),
    whenText(state.changedMs, nowMs),
  ]);
  return rowsTable(columns, rows);
}

function lastRun({ lastRun: run }: BoardState): Child {
  if (run === undefined) return "";
  return element("span", {}, statusTag(run.status), `${run.command} `, runLink(run));
}

function now({ name, holder, waiting }: BoardState): Child {
  const held = holder === undefined ? "" : `${holder.operation} by ${holder.who}`;
  if (waiting === 0) return held;
  const status = "needs-approval";
  const waits = link("runs", { state: name, status }, `${waiting} to approve`);
  return element("span", {}, held === "" ? "" : `${held}; `, waits);
}

export function statePage(
  state: BoardState,
  runs: Rows<BoardRun>,
  drift: BoardDrift,
  nowMs: number,
): BoardPage {
  const { name, sealed, holder, changedMs, objects } = state;
  const held =
    holder === undefined
      ? "nobody"
      : element(
          "span",
          {},
          `${holder.operation} by ${holder.who}, taken `,
          whenText(holder.sinceMs, nowMs),
        );
  const more =
    runs.total > runs.rows.length
      ? [element("p", {}, link("runs", { state: name }, `All ${runs.total} runs`))]
      : [];
  return {
    title: `State ${name}`,
    place: "states",
    body: [
      element("h1", {}, "State ", element("span", {}, name)),
      ...(sealed ? [sealedNote()] : []),
      facts([
        ["Objects", sealed ? "not shown, since it is encrypted" : String(objects)],
        ["Lock held by", held],
        ["Changed", whenText(changedMs, nowMs)],
      ]),
      ...section("Drift over time", ...driftParts(drift, nowMs)),
      ...section(
        "Runs",
        runs.rows.length > 0 ? runsTable(runs.rows, nowMs) : empty("No run is recorded of it."),
        ...more,
      ),
    ],
  };
}

/** Of what is encrypted, and its key is elsewhere. */
export function sealedNote(): Markup {
  const text =
    "It is encrypted, and this server does not have its key: what is in it is not shown here. " +
    "Whoever has the configuration sees it with vmform show and vmform runs.";
  return element("p", { class: "told" }, text);
}

function driftParts(drift: BoardDrift, nowMs: number): readonly Markup[] {
  return [...scheduleParts(drift), ...reportParts(drift, nowMs)];
}

function scheduleParts({ schedule }: BoardDrift): readonly Markup[] {
  if (schedule === undefined) return [];
  const { cron, zone } = schedule;
  return [element("p", {}, "Looked for at ", element("code", {}, cron), ` (${zone}).`)];
}

function reportParts({ reports, found }: BoardDrift, nowMs: number): readonly Markup[] {
  const last = reports.at(-1);
  if (last === undefined) return [empty("No report of drift is recorded of it.")];
  const told = element(
    "p",
    {},
    last.found === 0 ? "In sync" : `${last.found} differ`,
    `, of ${plural(last.objects, "object")}, looked at `,
    whenText(last.createdMs, nowMs),
    ".",
  );
  const shown = found
    .slice(0, 50)
    .map(({ address, verdict }) => [
      element("code", {}, address),
      element("span", { class: `tag ${verdict}` }, verdict),
    ]);
  const left = found.length - shown.length;
  const table =
    shown.length === 0 ? [] : [rowsTable([{ label: "Object" }, { label: "Found" }], shown)];
  return [
    told,
    ...historyChart(reports),
    ...table,
    ...(left > 0 ? [element("p", { class: "soft" }, `and ${left} more`)] : []),
  ];
}
