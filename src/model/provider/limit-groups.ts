/** Which time limits a type has: groups of its operations, as `timeouts` names them. */

import type { ResourceType } from "./provider.ts";

type Limited = Pick<ResourceType, "ownership" | "schema"> &
  Partial<Pick<ResourceType, "recordOnly" | "power" | "tasks" | "wordRequestLimitMs">>;

/** In the order of the reference. */
export function limitGroups(type: Limited): readonly string[] {
  const { ownership, schema, recordOnly = false, power, tasks, wordRequestLimitMs } = type;
  const makes = ownership === "owned" && !recordOnly;
  const all = Object.values(schema.attributes);
  const inputs = all.filter(({ computed, local }) => !computed && !local);
  const changes = recordOnly || inputs.some(({ forceNew }) => !forceNew);
  const waits = power?.toolsWait !== undefined || all.some(({ volatile }) => volatile);
  return [
    ...(makes ? ["create"] : []),
    ...(changes ? ["update"] : []),
    ...(makes ? ["delete"] : []),
    ...(power === undefined ? [] : ["power"]),
    ...(waits ? ["wait"] : []),
    ...(tasks === true || wordRequestLimitMs !== undefined ? ["request"] : []),
  ];
}
