/** Texts of attributes that are sent as XML. */

import { uncarriedIn } from "../../lib/xml/xml-text.ts";
import type { PlannedAttributes } from "../../model/value/value.ts";

/** What of them XML cannot carry, in words; undefined when it can. */
export function uncarriedText(attributes: PlannedAttributes): string | undefined {
  for (const [name, value] of Object.entries(attributes)) {
    const character = typeof value === "string" ? uncarriedIn(value) : undefined;
    if (character === undefined) continue;
    return `${name} holds the character ${character}, which XML cannot carry.`;
  }
  return undefined;
}
