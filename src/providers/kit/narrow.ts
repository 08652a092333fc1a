/** Narrowing of values: a reply, a handle or facts of a saved plan may be anything. */

import type { Attributes, Value } from "../../model/value/value.ts";
import { isList, isMap, memberOf } from "../../model/value/value.ts";

function listOf(value: Value | undefined): readonly Value[] {
  return isList(value) ? value : [];
}

/** Members of a list that are maps. */
export function mapsIn(value: Value | undefined): readonly Attributes[] {
  return listOf(value).filter((item) => isMap(item));
}

/** A member that is a text. */
export function textIn(value: Value | undefined, name: string): string | undefined {
  const text = memberOf(value, name);
  return typeof text === "string" ? text : undefined;
}

/** Texts of a member that is a list. */
export function textsIn(value: Value | undefined, name: string): readonly string[] {
  return listOf(memberOf(value, name)).filter((item) => typeof item === "string");
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
