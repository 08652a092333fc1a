/** Runs of all states, or of one: what was submitted, what is under way and what has ended. */

import {
  type BoardRun,
  type BoardStatus,
  boardStatuses,
  type Paging,
  type Rows,
  type RunFilter,
} from "../../model/board/board.ts";
import { element, type Markup } from "../html/markup.ts";
import { durationText } from "../text/duration-text.ts";
import {
  empty,
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

export function runsPage(
  { rows, total }: Rows<BoardRun>,
  filter: RunFilter,
  paging: Paging,
  nowMs: number,
): BoardPage {
  const { state, status, text = "" } = filter;
  const query = { state, status, text };
  const found = rows.length > 0 ? runsTable(rows, nowMs) : nothing(filter);
  return {
    title: "Runs",
    place: "runs",
    ...(rows.some((run) => run.status === "running") ? { refreshSeconds: 15 } : {}),
    body: [
      element("h1", {}, "Runs"),
      findForm(text, state, status),
      found,
      ...pager("runs", query, total, paging),
    ],
  };
}

/** What waits for somebody to say yes. */
export function approvalsPage(
  { rows, total }: Rows<BoardRun>,
  paging: Paging,
  nowMs: number,
): BoardPage {
  const found = rows.length > 0 ? runsTable(rows, nowMs) : empty("Nothing waits for an approval.");
  const told = "A plan that needs an approval waits until somebody approves or declines it.";
  return {
    title: "Approvals",
    place: "approvals",
    refreshSeconds: 60,
    body: [
      element("h1", {}, "Approvals"),
      element("p", { class: "soft" }, told),
      found,
      ...pager("approvals", {}, total, paging),
    ],
  };
}

export function runsTable(runs: readonly BoardRun[], nowMs: number): Markup {
  const rows = runs.map((run) => [
    runLink(run),
    stateLink(run.state),
    run.command,
    run.who,
    statusTag(run.status),
    run.what,
    whenText(run.sinceMs, nowMs),
    run.endedMs === undefined ? "" : durationText(run.endedMs - run.sinceMs),
  ]);
  const columns = [
    { label: "Run" },
    { label: "State" },
    { label: "Command" },
    { label: "By" },
    { label: "Outcome" },
    { label: "What" },
    { label: "When", kind: "when" as const },
    { label: "Took", kind: "number" as const },
  ];
  return rowsTable(columns, rows);
}

function nothing({ state, status, text }: RunFilter): Markup {
  const narrowed = state !== undefined || status !== undefined || text !== undefined;
  if (!narrowed) return empty("No run is recorded in this database yet.");
  return empty("No run is like that. ", link("runs", {}, "All runs"));
}

function findForm(text: string, state = "", status?: BoardStatus): Markup {
  const options = boardStatuses.map((word) =>
    element("option", { value: word, selected: word === status }, word.replace("-", " ")),
  );
  return element(
    "form",
    { class: "find", method: "get", action: "runs", role: "search" },
    textField("text", "Part of a run's id, or who", text),
    textField("state", "State", state),
    element(
      "label",
      {},
      "Outcome",
      element("select", { name: "status" }, element("option", { value: "" }, "any"), ...options),
    ),
    element("button", { type: "submit" }, "Find"),
  );
}
