/**
 * HTML and SVG that cannot be anything else than what it was meant to be: text becomes markup here
 * alone, escaped, and what is markup can be made in no other way. Names of elements and attributes
 * are ours, never data.
 */

import { escapeControls } from "../text/safe-text.ts";

/** A piece of a page. Only this file makes any. */
export class Markup {
  readonly #html: string;

  private constructor(html: string) {
    this.#html = html;
  }

  get html(): string {
    return this.#html;
  }

  static element(name: string, attributes: MarkupAttributes, children: readonly Child[]): Markup {
    const written = Object.entries(attributes).map(([key, value]) => {
      if (value === undefined || value === false) return "";
      return value === true ? ` ${key}` : ` ${key}="${escaped(String(value))}"`;
    });
    const start = `<${name}${written.join("")}>`;
    if (childless.has(name)) return new Markup(start);
    return new Markup(`${start}${children.map(htmlOf).join("")}</${name}>`);
  }

  /** Text whose lines stay lines, as in `pre`. */
  static lines(text: string): Markup {
    return new Markup(text.split("\n").map(escaped).join("\n"));
  }

  /** The one way around escaping, for a script or style of ours: a constant, never data. */
  static raw(name: "script" | "style", text: string): Markup {
    if (text.includes("</")) throw new Error(`a ${name} that would end early`);
    return new Markup(`<${name}>${text}</${name}>`);
  }
}

export type MarkupAttributes = {
  readonly [name: string]: string | number | boolean | undefined;
};
export type Child = Markup | string;

const childless: ReadonlySet<string> = new Set(["meta", "link", "br", "hr", "input"]);

export function element(
  name: string,
  attributes: MarkupAttributes,
  ...children: readonly Child[]
): Markup {
  return Markup.element(name, attributes, children);
}

function htmlOf(child: Child): string {
  return typeof child === "string" ? escaped(child) : child.html;
}

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** What an eye would not see is written out, so that no name can look like another one. */
function escaped(text: string): string {
  return escapeControls(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
