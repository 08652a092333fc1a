/** What an attached object is looked up by, against the object that was found. */

import { stringifyJson } from "../../lib/json.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import { isSame } from "../../model/value/comparison.ts";
import {
  type Attributes,
  isKnown,
  type PlannedAttributes,
  type Value,
} from "../../model/value/value.ts";

/** How the object differs from the one that is meant, in words; undefined when it may be it. */
export function otherObject(
  type: ResourceType,
  wanted: PlannedAttributes,
  found: Attributes,
): string | undefined {
  for (const { name, lookup } of Object.values(type.schema.attributes)) {
    const given = wanted[name] ?? null;
    const is = found[name] ?? null;
    if (!lookup || given === null || is === null || !isKnown(given)) continue;
    if (isSame(type, name, given, is)) continue;
    return `its ${name} is ${shown(is)}, not ${shown(given)}`;
  }
  return undefined;
}

function shown(value: Value): string {
  return typeof value === "string" ? value : stringifyJson(value);
}
