/** One run: what it will do or has done, and what a person may do about it. */

import { type BoardRunDetail, mayDo, type Person } from "../../model/board/board.ts";
import type { RunRecord } from "../../model/recorded/run-record.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { type Child, element, Markup } from "../html/markup.ts";
import { cut, section } from "../html/parts.ts";
import { planCountList, planSections } from "../html/plan-page.ts";
import { runLanes } from "../html/run-lanes.ts";
import { planSummaryText } from "../plan/plan-summary.ts";
import { durationText } from "../text/duration-text.ts";
import { clock, facts, rowsTable, stateLink, statusTag, whenText } from "./board-parts.ts";
import type { BoardPage } from "./frame.ts";
import { approvalForms, cancelForm } from "./run-forms.ts";
import { sealedNote } from "./states-page.ts";

export function runPage(
  run: BoardRunDetail,
  types: SchemaRegistry,
  reader: { readonly person: Person; readonly token: string; readonly nowMs: number },
): BoardPage {
  const { id, status, plan, record, sealed, message } = run;
  const { nowMs, person } = reader;
  const goesOn = status === "running" || status === "queued";
  return {
    title: `Run ${id.slice(0, 8)}`,
    place: run.need === undefined ? "runs" : "approvals",
    // What is being filled in would be lost.
    ...(goesOn ? { refreshSeconds: 10 } : {}),
    body: [
      element("h1", {}, `${run.command} of `, stateLink(run.state)),
      factsOf(run, nowMs),
      ...(message === undefined ? [] : [element("p", { class: "told" }, message)]),
      ...(sealed ? [sealedNote()] : []),
      ...(plan === undefined ? [] : planHead(planSummaryText(plan), planCountList(plan))),
      ...approvalForms(run, reader),
      ...(run.mayCancel && mayDo(person.role, "operate") ? [cancelForm(run, reader.token)] : []),
      ...approvalsOf(run),
      ...(record === undefined ? [] : recordParts(record, run.endedMs ?? nowMs)),
      ...eventsOf(run),
      ...(plan === undefined ? [] : planSections(plan, types)),
    ],
  };
}

function planHead(summary: string, counts: Markup): readonly Markup[] {
  return [element("p", { class: "verdict" }, summary), counts];
}

function factsOf(run: BoardRunDetail, nowMs: number): Markup {
  const { sinceMs, endedMs, record, plan, cancellation } = run;
  const began = element("span", {}, clock(sinceMs), ", ", whenText(sinceMs, nowMs));
  return facts([
    ["Outcome", statusTag(run.status)],
    ["Run", element("code", {}, run.id)],
    ["By", run.who],
    ["Since", began],
    [
      "To be stopped",
      cancellation &&
        element(
          "span",
          {},
          "asked by ",
          cancellation.who,
          ", ",
          whenText(cancellation.atMs, nowMs),
        ),
    ],
    ["Took", endedMs === undefined ? undefined : durationText(endedMs - sinceMs)],
    ["What", run.what === "" ? undefined : run.what],
    ["Version of vmform", record?.version],
    ["Plan", plan === undefined ? record?.plan?.id : plan.id],
  ]);
}

function approvalsOf({ approvals }: BoardRunDetail): readonly Markup[] {
  const rows = approvals.map(({ who, atMs, kinds }): readonly Child[] => [
    who,
    kinds.length === 0 ? "needed no consent" : kinds.join(", "),
    clock(atMs),
  ]);
  if (rows.length === 0) return [];
  const columns = [{ label: "By" }, { label: "Consent to" }, { label: "When" }];
  return section("Approved", rowsTable(columns, rows));
}

const rowsMax = 400;

function recordParts(record: RunRecord, untilMs: number): readonly Markup[] {
  const { operations, changes, said, leftOut = 0 } = record;
  const done = operations
    .slice(0, rowsMax)
    .map((one): readonly Child[] => [
      element("code", {}, cut(one.address)),
      one.verb,
      element("span", { class: `tag ${one.outcome ?? "running"}` }, one.outcome ?? "begun"),
      one.endedMs === undefined ? "" : durationText(one.endedMs - one.beganMs),
      one.outcome === "success" ? (one.attributes ?? []).join(", ") : cut(one.message ?? ""),
    ]);
  const columns = [
    ...[{ label: "Object" }, { label: "Operation" }, { label: "Outcome" }],
    ...[{ label: "Took", kind: "number" as const }, { label: "What" }],
  ];
  const other = changes
    .slice(0, rowsMax)
    .map(({ what, address, from, attributes = [] }) => [
      element("code", {}, cut(address)),
      what,
      from === undefined ? attributes.join(", ") : `from ${from}`,
    ]);
  const left =
    leftOut + Math.max(0, operations.length - rowsMax) + Math.max(0, changes.length - rowsMax);
  return [
    ...section("What was done, along time", ...runLanes(record, untilMs)),
    ...section("Operations", ...(done.length === 0 ? [] : [rowsTable(columns, done)])),
    ...section(
      "Changed otherwise",
      ...(other.length === 0
        ? []
        : [rowsTable([{ label: "Object" }, { label: "How" }, { label: "What" }], other)]),
    ),
    ...section(
      "Said",
      ...said.slice(0, 50).map((text) => element("p", { class: "told" }, cut(text))),
    ),
    ...(left > 0 ? [element("p", { class: "soft" }, `${left} more are not shown.`)] : []),
  ];
}

function eventsOf({ events, eventsLeftOut }: BoardRunDetail): readonly Markup[] {
  if (events.length === 0) return [];
  const items = events.map(({ atMs, text }) =>
    element("li", {}, clock(atMs), element("span", {}, Markup.lines(cut(text)))),
  );
  const list = element("ol", { class: "events" }, ...items);
  if (eventsLeftOut === 0) return section("Events", list);
  const told = `${eventsLeftOut} earlier ones are not shown.`;
  return section("Events", element("p", { class: "soft" }, told), list);
}
