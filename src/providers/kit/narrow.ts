/** Narrowing of values: a reply or a handle may be anything. */

import { memberOf, type Value } from "../../model/value/value.ts";

/** A member that is a text. */
export function textIn(value: Value | undefined, name: string): string | undefined {
  const text = memberOf(value, name);
  return typeof text === "string" ? text : undefined;
}

/** A member that is a number. */
export function numberIn(value: Value | undefined, name: string): number | undefined {
  const number = memberOf(value, name);
  return typeof number === "number" ? number : undefined;
}

/** As XML writes it; some servers write it in capitals. */
export function booleanOf(text: string | undefined): boolean | undefined {
  switch (text?.trim().toLowerCase()) {
    case "true":
    case "1":
      return true;
    case "false":
    case "0":
      return false;
    default:
      return undefined;
  }
}
