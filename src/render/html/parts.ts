/** Pieces that all pages have in common. */

import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { type Child, element, type Markup } from "./markup.ts";

/** A heading with what belongs to it; nothing where nothing does. */
export function section(title: string, ...children: readonly Markup[]): readonly Markup[] {
  return children.length === 0 ? [] : [element("section", {}, heading(title), ...children)];
}

function heading(title: string): Markup {
  return element("h2", {}, title);
}

export function paragraph(...children: readonly Child[]): Markup {
  return element("p", {}, ...children);
}

export function code(text: string): Markup {
  return element("code", {}, text);
}

/** Numbers under the verdict, those that are zero left out. */
export function countList(counts: readonly (readonly [label: string, count: number])[]): Markup {
  const items = counts
    .filter(([, count]) => count > 0)
    .map(([label, count]) => element("li", {}, element("b", {}, String(count)), ` ${label}`));
  return element("ul", { class: "counts" }, ...items);
}

export function tableOf(header: readonly string[], rows: readonly Markup[]): Markup {
  const cells = header.map((name) => element("th", { scope: "col" }, name));
  const head = element("thead", {}, element("tr", {}, ...cells));
  const whole = element("table", {}, head, element("tbody", {}, ...rows));
  return element("div", { class: "wide" }, whole);
}

/** A command to be copied, after what it is for. */
export function commandLine(words: string, command: string): Markup {
  return element("p", { class: "command" }, `${words}: `, code(command));
}

/** Longest list of lines of one kind. */
const linesMax = 50;

export function lineList(lines: readonly string[], all: string): readonly Markup[] {
  if (lines.length === 0) return [];
  const items = lines.slice(0, linesMax).map((text) => element("li", {}, code(cut(text))));
  const more = lines.length - items.length;
  const note = more > 0 ? [paragraph(`and ${more} more (in full: ${all})`)] : [];
  return [element("ul", {}, ...items), ...note];
}

/** Longest text of one value or line. */
const textMax = 400;

export function cut(text: string): string {
  if (text.length <= textMax) return text;
  return `${text.slice(0, textMax)}… (${text.length} characters)`;
}

export function diagnosticNotes(diagnostics: readonly Diagnostic[]): readonly Markup[] {
  return diagnostics.map(({ severity, code: name, summary, detail, fix }) =>
    element(
      "p",
      { class: `told ${severity}` },
      element("b", {}, `${severity} ${name}: ${summary}.`),
      ` ${detail}${fix === undefined ? "" : ` ${fix}`}`,
    ),
  );
}
