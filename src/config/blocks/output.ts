/** The `outputs` block as it is written. */

import type { BlockEntry } from "../read/blocks.ts";
import { readEntryMap } from "../read/entry-map.ts";
import { blockShape } from "../read/form/schemas.ts";
import type { ConfigValue } from "../read/value.ts";
import type { Place, Report } from "../report.ts";
import { type Condition, conditionsOf } from "./condition.ts";

export type Output = {
  readonly name: string;
  readonly value: ConfigValue;
  readonly sensitive: boolean;
  readonly description: string | undefined;
  readonly place: Place;
  /** Preconditions. */
  readonly conditions: readonly Condition[];
};

export function readOutputs(
  entries: ReadonlyMap<string, BlockEntry>,
  report: Report,
): readonly Output[] {
  return [...entries.values()].flatMap((entry) => {
    const { name, place } = entry;
    const members = readEntryMap(entry, `output ${name}`, blockShape("OutputBlock"), report);
    const value = members?.get("value");
    if (members === undefined || value === undefined) return [];
    const sensitive = constantOf(members.get("sensitive")) === true;
    const description = constantOf(members.get("description"));
    const text = typeof description === "string" ? description : undefined;
    const conditions = conditionsOf(members.get("preconditions"));
    return [{ name, value, sensitive, description: text, place, conditions }];
  });
}

function constantOf(value: ConfigValue | undefined): unknown {
  return value?.kind === "constant" ? value.value : undefined;
}
