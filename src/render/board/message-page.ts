/** Pages that say one thing: what went wrong, with the way out, or where to log in. */

import { element, type Markup } from "../html/markup.ts";
import type { BoardPage } from "./frame.ts";

export type Message = {
  readonly title: string;
  readonly text: string;
  /** What the reader can do. */
  readonly fix?: string;
  /** Where to go on, beside this page. */
  readonly onward?: { readonly href: string; readonly label: string };
  /** The browser goes on by itself, after so many seconds. */
  readonly onwardSeconds?: number;
};

export function messagePage({ title, text, fix, onward, onwardSeconds }: Message): BoardPage {
  const way: readonly Markup[] =
    onward === undefined
      ? []
      : [element("p", {}, element("a", { href: onward.href }, onward.label))];
  return {
    title,
    ...(onward === undefined || onwardSeconds === undefined
      ? {}
      : { refreshSeconds: onwardSeconds, refreshTo: onward.href }),
    body: [
      element("h1", {}, title),
      element("p", {}, text),
      ...(fix === undefined ? [] : [element("p", { class: "told" }, fix)]),
      ...way,
    ],
  };
}
