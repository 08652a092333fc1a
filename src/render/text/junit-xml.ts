/** Elements of JUnit XML, which CI servers read. */

import type { XmlElement } from "../../lib/xml/xml.ts";
import { writeXml } from "../../lib/xml/xml-writer.ts";

/** Text may hold whatever it holds. */
export function junitElement(
  local: string,
  attributes: { readonly [name: string]: string | number },
  children: readonly (XmlElement | string)[],
): XmlElement {
  return {
    ...{ namespace: "", local },
    attributes: Object.entries(attributes).map(([name, value]) => ({
      ...{ namespace: "", local: name },
      value: carried(String(value)),
    })),
    children: children.map((child) => (typeof child === "string" ? carried(child) : child)),
  };
}

/** Ends with a newline. */
export function junitDocument(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeXml(root)}\n`;
}

/** Without what XML cannot carry. */
function carried(text: string): string {
  return text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "\uFFFD");
}
