/**
 * Sizes of filesystems, which only monitoring tells: one query for all of them. It samples every
 * five minutes, so a new size shows that much later (wire facts C.3).
 */

import { stringifyJson } from "../../../lib/json.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Value } from "../../../model/value/value.ts";
import { isList, memberOf } from "../../../model/value/value.ts";
import { refusal } from "../../kit/refusal.ts";
import type { Appliance } from "../client/connection.ts";
import type { Dialect } from "../client/release.ts";
import { gbOfKb, type Sizes } from "./size.ts";

/** Names that this appliance has refused; of one session, since only an upgrade changes them. */
export type MonitoringMemory = { readonly refused: Set<string> };

export type SizesAnswer =
  | { readonly status: "read"; readonly sizes: Sizes }
  /** The appliance tells none, as a rule. */
  | { readonly status: "none"; readonly reason: string };

const itemPrefix = "storage.totalsize.filesystem.";
/** Twelve samples: one of them has a value, even just after a restart. */
const windowMs = 60 * 60_000;

/** What earlier releases call the same filesystems. */
const earlierNames: ReadonlyMap<string, string> = new Map([
  ["core", "coredump"],
  ["db", "vcdb_core_inventory"],
  ["dblog", "vcdb_transaction_log"],
  ["seat", "vcdb_seat"],
]);

/** Sizes by purpose; purposes without a sample are left out. Throws `RemoteError`. */
export async function readSizes(
  appliance: Appliance,
  memory: MonitoringMemory,
  purposes: readonly string[],
): Promise<SizesAnswer> {
  // Anything else could change the query.
  const names = purposes
    .filter((name) => /^[a-z0-9_]+$/.test(name))
    .toSorted((left, right) => Number(right === "root") - Number(left === "root"));
  const sizes = new Map(await ask(appliance, memory, names));
  const isUntold = names.every((name) => memory.refused.has(name));
  const earlier = names.flatMap((purpose) => {
    const name = isUntold || sizes.has(purpose) ? undefined : earlierNames.get(purpose);
    return name === undefined ? [] : [[purpose, name] as const];
  });
  const more = await ask(
    appliance,
    memory,
    earlier.map(([, name]) => name),
  );
  for (const [purpose, name] of earlier) {
    const size = more.get(name);
    if (size !== undefined) sizes.set(purpose, size);
  }
  if (sizes.size > 0) return { status: "read", sizes };
  const reason = isUntold
    ? "this appliance does not tell the sizes of its filesystems"
    : "the appliance has no samples of the sizes of its filesystems within the last hour";
  return { status: "none", reason };
}

/** One query; where some name is refused, the first alone, and then each of the others. */
async function ask(
  appliance: Appliance,
  memory: MonitoringMemory,
  names: readonly string[],
): Promise<Sizes> {
  const open = names.filter((name) => !memory.refused.has(name));
  const [first, ...others] = open;
  if (first === undefined) return new Map();
  const together = await attempt(appliance, open);
  if (together !== undefined) return together;
  const alone = open.length === 1 ? undefined : await attempt(appliance, [first]);
  if (alone === undefined) memory.refused.add(first);
  // Every appliance has a root: where that is not told, nothing is.
  const isUntold = alone === undefined && first === names[0];
  const rest = isUntold ? [] : await Promise.all(others.map((name) => attempt(appliance, [name])));
  others.forEach((name, index) => {
    if (rest[index] === undefined) memory.refused.add(name);
  });
  return new Map([alone, ...rest].flatMap((sizes) => [...(sizes ?? [])]));
}

/** Undefined when the appliance knows no such item, or no such query. */
async function attempt(appliance: Appliance, names: readonly string[]): Promise<Sizes | undefined> {
  try {
    const query = queryOf(await appliance.dialect(), names, appliance.nowMs());
    return samplesOf(await appliance.get(`/appliance/monitoring/query?${query}`), names);
  } catch (error) {
    const refused = error instanceof RemoteError && ["invalid", "not-found"].includes(error.kind);
    if (refused) return undefined;
    throw error;
  }
}

function queryOf({ prefix }: Dialect, names: readonly string[], nowMs: number): string {
  const isRest = prefix !== "/api";
  const item = isRest ? "item." : "";
  const asked = names.map((name, index) =>
    isRest ? `item.names.${index + 1}=${itemPrefix}${name}` : `names=${itemPrefix}${name}`,
  );
  return [
    ...asked,
    `${item}interval=MINUTES5`,
    `${item}function=MAX`,
    `${item}start_time=${new Date(nowMs - windowMs).toISOString()}`,
    `${item}end_time=${new Date(nowMs).toISOString()}`,
  ].join("&");
}

/** Samples are texts, empty where there is none; the last one counts. */
function samplesOf(value: Value, names: readonly string[]): Sizes {
  if (!isList(value)) throw unreadable("the monitoring query answered no list");
  const sizes = new Map<string, number>();
  for (const item of value) {
    const name = memberOf(item, "name");
    const data = memberOf(item, "data");
    if (typeof name !== "string" || !isList(data)) {
      throw unreadable("the monitoring query answered an item without name and data");
    }
    const purpose = name.startsWith(itemPrefix) ? name.slice(itemPrefix.length) : "";
    const kb = lastNumber(name, data);
    if (names.includes(purpose) && kb !== undefined) sizes.set(purpose, gbOfKb(kb));
  }
  return sizes;
}

function lastNumber(name: string, data: readonly Value[]): number | undefined {
  const written = data.findLast((sample) => sample !== "" && sample !== null);
  if (written === undefined) return undefined;
  const isScalar = typeof written === "string" || typeof written === "number";
  const number = isScalar ? Number(written) : Number.NaN;
  // Nothing has no size: a filesystem that is not mounted.
  if (number === 0) return undefined;
  if (number > 0 && number < Number.MAX_SAFE_INTEGER) return number;
  throw unreadable(`a sample of ${name} is ${stringifyJson(written)}, which is no size`);
}

function unreadable(message: string): RemoteError {
  return refusal("protocol", message);
}
