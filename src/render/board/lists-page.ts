/** Who works for this database, and what was done on these pages. */

import type { AuditEntry, BoardAgent, Paging, Rows } from "../../model/board/board.ts";
import { type Child, element } from "../html/markup.ts";
import { clock, empty, pager, rowsTable, whenText } from "./board-parts.ts";
import type { BoardPage } from "./frame.ts";

const tags: { readonly [now in BoardAgent["now"]]: string } = {
  present: "done",
  "at work": "running",
  absent: "failed",
  idle: "",
  silent: "failed",
};

export function agentsPage(agents: readonly BoardAgent[], nowMs: number): BoardPage {
  const columns = [
    ...[{ label: "Name" }, { label: "Kind" }, { label: "Now" }, { label: "Version" }],
    ...[{ label: "Where" }, { label: "Seen", kind: "when" as const }],
  ];
  const rows = agents.map((agent): readonly Child[] => [
    agent.name,
    agent.kind,
    element("span", { class: `tag ${tags[agent.now]}` }, agent.now),
    agent.version,
    agent.detail,
    whenText(agent.seenMs, nowMs),
  ]);
  const nobody = "No worker and no agent has reported to this database.";
  return {
    title: "Agents",
    place: "agents",
    refreshSeconds: 30,
    body: [
      element("h1", {}, "Agents"),
      ...(agents.some(({ now }) => now === "silent") ? [silentNote()] : []),
      rows.length > 0 ? rowsTable(columns, rows) : empty(nobody),
    ],
  };
}

function silentNote() {
  const text =
    "Who is silent has given no sign of life for long: it is stopped, hangs, or is cut off. Runs " +
    "of such a worker are taken by others; calls to the site of such an agent wait or fail. " +
    "Look at its machine, and end it.";
  return element("p", { class: "told" }, text);
}

export function auditPage({ rows, total }: Rows<AuditEntry>, paging: Paging): BoardPage {
  const columns = [
    ...[{ label: "When", kind: "when" as const }, { label: "Who" }],
    ...[{ label: "Known by" }, { label: "Did" }].map((one) => ({ ...one, kind: "word" as const })),
    ...[{ label: "What" }, { label: "In detail" }],
  ];
  const lines = rows.map(({ atMs, who, via, action, subject, detail }): readonly Child[] => [
    ...[clock(atMs), who, via, action],
    ...[subject, detail],
  ]);
  return {
    title: "Audit",
    place: "audit",
    body: [
      element("h1", {}, "Audit"),
      element("p", { class: "soft" }, "What was done on these pages, the last first."),
      rows.length > 0 ? rowsTable(columns, lines) : empty("Nothing was done here yet."),
      ...pager("audit", {}, total, paging),
    ],
  };
}
