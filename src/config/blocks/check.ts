/** The `checks` block as it is written: what should hold of what is managed. */

import type { BlockEntry } from "../read/blocks.ts";
import { readEntryMap } from "../read/entry-map.ts";
import { blockShape } from "../read/form/schemas.ts";
import type { Report } from "../report.ts";
import { type Condition, conditionOf } from "./condition.ts";

export type Check = Condition & { readonly name: string };

export function readChecks(
  entries: ReadonlyMap<string, BlockEntry>,
  report: Report,
): readonly Check[] {
  return [...entries.values()].flatMap((entry) => {
    const { name, place } = entry;
    const found = conditionOf(
      readEntryMap(entry, `check ${name}`, blockShape("ConditionBlock"), report),
    );
    return found === undefined ? [] : [{ ...found, name, place }];
  });
}
