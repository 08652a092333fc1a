/**
 * The frame of a page: one file that asks nobody for anything. Its policy allows the one style and
 * the one script that stand in it, by their hashes, and nothing else.
 */

import { createHash } from "node:crypto";
import { type PageKind, pageMark } from "../../lib/page-mark.ts";
import { element, Markup } from "./markup.ts";
import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";

export type Page = {
  readonly kind: PageKind;
  readonly title: string;
  readonly body: readonly Markup[];
};

/** Ends without a newline. */
export function pageText({ kind, title, body }: Page): string {
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(pageStyle)}'`,
    `script-src '${hashOf(pageScript)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("meta", { name: "color-scheme", content: "light dark" }),
    element("meta", { name: "referrer", content: "no-referrer" }),
    element("meta", { name: "generator", content: `vmform ${kind}` }),
    element("title", {}, title),
    Markup.raw("style", pageStyle),
  );
  const whole = element(
    "html",
    { lang: "en" },
    head,
    element("body", {}, element("main", {}, ...body), Markup.raw("script", pageScript)),
  );
  const text = `<!doctype html>\n${whole.html}`;
  if (!text.includes(pageMark(kind))) throw new Error("a page that would not be known as one");
  return text;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
