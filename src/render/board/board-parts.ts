/** Pieces that pages of the board have in common. */

import { plural } from "../../lib/text.ts";
import type { BoardRun, BoardStatus, Paging } from "../../model/board/board.ts";
import { type Child, element, type Markup } from "../html/markup.ts";
import { durationText } from "../text/duration-text.ts";

/** A page beside this one. */
export function link(path: string, query: Query, ...children: readonly Child[]): Markup {
  return element("a", { href: hrefOf(path, query) }, ...children);
}

export type Query = { readonly [name: string]: string | number | undefined };

export function hrefOf(path: string, query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") given.set(name, String(value));
  }
  const text = given.toString();
  return text === "" ? path : `${path}?${text}`;
}

export function stateLink(name: string): Markup {
  return link("state", { name }, name);
}

/** As much of an id as people need. */
export function runLink({ id }: Pick<BoardRun, "id">): Markup {
  return link("run", { id }, element("code", {}, id.slice(0, 8)));
}

/** How long ago; the time itself in UTC is told on pointing at it, and by print. */
export function whenText(atMs: number, nowMs: number): Markup {
  const at = new Date(atMs);
  if (Number.isNaN(at.getTime())) return element("span", {}, "an unknown time");
  const iso = at.toISOString();
  const utc = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return element("time", { datetime: iso, title: utc }, agoText(nowMs - atMs));
}

/** The time itself. */
export function clock(atMs: number): Markup {
  const at = new Date(atMs);
  if (Number.isNaN(at.getTime())) return element("span", {}, "an unknown time");
  const iso = at.toISOString();
  const utc = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return element("time", { datetime: iso }, utc);
}

const dayMs = 24 * 60 * 60 * 1000;

function agoText(ms: number): string {
  if (ms < 0) return "in the future";
  if (ms < 1000) return "just now";
  if (ms >= 2 * dayMs) return `${plural(Math.floor(ms / dayMs), "day")} ago`;
  const short = durationText(ms);
  // Of hours, seconds tell nothing.
  return `${ms < 60 * 60 * 1000 ? short : short.replace(/(?<=[hm])\d+s$/, "")} ago`;
}

const statusWords: { readonly [status in BoardStatus]?: string } = {
  "needs-approval": "needs approval",
};

export function statusTag(status: BoardStatus): Markup {
  return element("span", { class: `tag ${status}` }, statusWords[status] ?? status);
}

export type Column = { readonly label: string; readonly kind?: "number" | "when" | "word" };

/** A table whose rows are cards on a narrow screen. */
export function rowsTable(columns: readonly Column[], rows: readonly (readonly Child[])[]): Markup {
  const head = columns.map(({ label, kind }) =>
    element("th", { scope: "col", class: kind === "number" ? "number" : undefined }, label),
  );
  const lines = rows.map((cells) =>
    element(
      "tr",
      {},
      ...cells.map((cell, at) => {
        const { label = "", kind } = columns[at] ?? {};
        // An empty cell stays out of a card, and so may hold nothing at all.
        const children = cell === "" ? [] : [element("span", {}, cell)];
        return element("td", { "data-label": label, class: kind }, ...children);
      }),
    ),
  );
  const table = element(
    "table",
    { class: "rows" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...lines),
  );
  return element("div", { class: "wide rows-wide" }, table);
}

export function empty(...children: readonly Child[]): Markup {
  return element("p", { class: "empty" }, ...children);
}

/** Where one is among many rows, and the way to the next ones. */
export function pager(
  path: string,
  query: Query,
  total: number,
  { offset, limit }: Paging,
): readonly Markup[] {
  if (total <= limit && offset === 0) return [];
  const to = (from: number, label: string, rel: string): Markup =>
    element("a", { href: hrefOf(path, { ...query, from: from || undefined }), rel }, label);
  const last = Math.min(offset + limit, total);
  const where = offset < total ? `${offset + 1} to ${last} of ${total}` : `none beyond ${total}`;
  return [
    element(
      "nav",
      { class: "pager", "aria-label": "More rows" },
      element("span", { class: "soft" }, where),
      ...(offset > 0 ? [to(Math.max(0, offset - limit), "Earlier rows", "prev")] : []),
      ...(last < total ? [to(offset + limit, "Further rows", "next")] : []),
    ),
  ];
}

/** Names with what they mean, those without a meaning left out. */
export function facts(entries: readonly (readonly [string, Child | undefined])[]): Markup {
  const items = entries.flatMap(([name, value]) =>
    value === undefined ? [] : [element("dt", {}, name), element("dd", {}, value)],
  );
  return element("dl", { class: "facts" }, ...items);
}

/** A field of a form that finds; `GET`, so that what was found has an address. */
export function textField(name: string, label: string, value: string): Markup {
  return element(
    "label",
    { class: "long" },
    label,
    element("input", { type: "search", name, value, maxlength: 400 }),
  );
}
