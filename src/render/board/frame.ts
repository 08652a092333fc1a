/**
 * The frame of the board's pages: navigation, who is logged in, what was asked last. Links are
 * relative and all pages stand beside each other, so that a proxy may serve them under any path.
 * There is no script.
 */

import type { Person } from "../../model/board/board.ts";
import { element, type Markup } from "../html/markup.ts";
import { boardStyleName } from "./board-style.ts";

export type Told = { readonly good: boolean; readonly text: string };

/** What a page knows of its reader. */
export type Reader = {
  readonly person: Person;
  /** Proves that a form came from a page of this session. */
  readonly token: string;
  readonly nowMs: number;
  /** Runs that wait for an approval. */
  readonly waiting: number;
  /** Of the form that was sent last. */
  readonly told?: Told;
  readonly mayLogOut: boolean;
};

export type BoardPage = {
  readonly title: string;
  /** What of the navigation it belongs to. */
  readonly place?: string;
  /** Seconds until the browser asks again; only where nothing is filled in. */
  readonly refreshSeconds?: number;
  /** What it asks for then. Absent: itself. */
  readonly refreshTo?: string;
  readonly body: readonly Markup[];
};

const places = [
  ["states", "States"],
  ["runs", "Runs"],
  ["approvals", "Approvals"],
  ["agents", "Agents"],
  ["audit", "Audit"],
] as const;

/** Without a reader it is for somebody who is not logged in. Ends without a newline. */
export function boardPageText(page: BoardPage, about: string, reader?: Reader): string {
  const { title, place, body } = page;
  const refresh = refreshOf(page);
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("meta", { name: "color-scheme", content: "light dark" }),
    ...(refresh === undefined
      ? []
      : [element("meta", { "http-equiv": "refresh", content: refresh })]),
    element("title", {}, `${title} · vmform`),
    element("link", { rel: "stylesheet", href: boardStyleName }),
  );
  const told = reader?.told;
  const whole = element(
    "html",
    { lang: "en" },
    head,
    element(
      "body",
      {},
      element("a", { class: "skip", href: "#page" }, "To the page"),
      element("header", { class: "bar-top" }, element("div", {}, ...topOf(reader, place))),
      element("main", { id: "page" }, ...(told === undefined ? [] : [toldLine(told)]), ...body),
      element("footer", {}, about),
    ),
  );
  return `<!doctype html>\n${whole.html}`;
}

function refreshOf({ refreshSeconds, refreshTo }: BoardPage): string | undefined {
  if (refreshSeconds === undefined) return undefined;
  return refreshTo === undefined ? String(refreshSeconds) : `${refreshSeconds}; url=${refreshTo}`;
}

function toldLine({ good, text }: Told): Markup {
  return element("p", { class: good ? "told good" : "told error", role: "status" }, text);
}

function topOf(reader: Reader | undefined, place: string | undefined): readonly Markup[] {
  const name = element("a", { class: "name", href: "states" }, "vmform");
  if (reader === undefined) return [name];
  const { person, waiting, token, mayLogOut } = reader;
  const items = places.map(([path, label]) => {
    const badge = path === "approvals" && waiting > 0 ? [badgeOf(waiting)] : [];
    const current = path === place ? "page" : undefined;
    return element(
      "li",
      {},
      element("a", { href: path, "aria-current": current }, label, ...badge),
    );
  });
  const leave = element(
    "form",
    { method: "post", action: "logout" },
    tokenField(token),
    element("button", { type: "submit" }, "Log out"),
  );
  return [
    name,
    element("nav", { "aria-label": "Pages" }, element("ul", {}, ...items)),
    element(
      "div",
      { class: "who" },
      element("span", { class: "soft" }, `${person.who} (${person.role})`),
      ...(mayLogOut ? [leave] : []),
    ),
  ];
}

function badgeOf(waiting: number): Markup {
  const label = waiting > 99 ? "99+" : String(waiting);
  return element("span", { class: "badge", "aria-label": `${waiting} waiting` }, label);
}

export function tokenField(token: string): Markup {
  return element("input", { type: "hidden", name: "token", value: token });
}
