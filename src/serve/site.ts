/** What the application is made of, and how it answers with a page. */

import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Board } from "../model/board/board.ts";
import type { SchemaRegistry } from "../model/value/resource-schema.ts";
import { type BoardPage, boardPageText } from "../render/board/frame.ts";
import { type Message, messagePage } from "../render/board/message-page.ts";
import type { OidcLogin } from "./oidc.ts";
import type { BrowserSession, Sessions } from "./sessions.ts";
import type { LoginSettings } from "./settings.ts";

export type Site = {
  readonly board: Board;
  readonly types: SchemaRegistry;
  readonly version: string;
  readonly now: () => number;
  readonly sessions: Sessions;
  /** Host headers that are answered, and origins whose forms are taken. */
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
  /** People reach it by https, and so cookies go no other way. */
  readonly secure: boolean;
  /** Of sessions. */
  readonly cookie: { readonly name: string; readonly path: string };
  readonly login: LoginSettings;
  /** Of a login by token: that token, and who has started the server. */
  readonly token: string;
  readonly owner: string;
  /** Of a login by OIDC. */
  readonly oidc: OidcLogin | undefined;
  /** Faults that no page tells in full. */
  readonly onFault: (error: unknown, id: string) => void;
};

export type SiteEnv = {
  Bindings: HttpBindings;
  Variables: { session: BrowserSession; peer: string };
};
export type SiteContext = Context<SiteEnv>;

export type Status = 200 | 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421 | 500 | 503;

/** A page that says one thing, to whoever asks. */
export function say(
  site: Pick<Site, "version">,
  context: Context,
  status: Status,
  message: Message,
): Response | Promise<Response> {
  return context.html(boardPageText(messagePage(message), aboutOf(site)), status);
}

export function notFound(
  site: Site,
  context: SiteContext,
  text: string,
): Response | Promise<Response> {
  const onward = { href: "states", label: "All states" };
  return say(site, context, 404, { title: "Not found", text, onward });
}

/** A page for somebody who is logged in. */
export async function show(
  site: Site,
  context: SiteContext,
  page: BoardPage,
  status: Status = 200,
): Promise<Response> {
  const session = context.get("session");
  const { told, person, token } = session;
  const waiting = await site.board.waiting();
  session.told = undefined;
  const reader = {
    ...{ person, token, nowMs: site.now(), waiting },
    ...(told === undefined ? {} : { told }),
    mayLogOut: site.login.kind !== "header",
  };
  return context.html(boardPageText(page, aboutOf(site), reader), status);
}

function aboutOf(site: Pick<Site, "version"> & Partial<Pick<Site, "board">>): string {
  const { version, board } = site;
  return `vmform ${version}${board === undefined ? "" : `; ${board.location}`}`;
}
