/** What the settings of a provider say of the way to its endpoint. */

import { parseDurationMs } from "../lib/time/duration.ts";
import { isMap, type Value, type ValueMap } from "../model/value/value.ts";

/** By way of an agent. */
export type Way = {
  readonly site: string;
  /** How long a site without an agent is waited for, milliseconds. */
  readonly waitMs: number;
};

const ownNames = ["via", "unavailable"] as const;

/** Undefined where the endpoint is spoken to from here. */
export function wayOf(settings: Value): Way | undefined {
  if (!isMap(settings)) return undefined;
  const { via, unavailable } = settings;
  if (typeof via !== "string") return undefined;
  const [, duration = ""] =
    /^wait (.+)$/.exec(typeof unavailable === "string" ? unavailable : "") ?? [];
  return { site: via, waitMs: parseDurationMs(duration) ?? 0 };
}

/** Settings as the provider itself knows them. */
export function withoutWay(settings: Value): Value {
  if (!isMap(settings)) return settings;
  const own: readonly string[] = ownNames;
  const kept = Object.entries(settings).filter(([name]) => !own.includes(name));
  const { limits, ...rest }: ValueMap = Object.fromEntries(kept);
  if (limits === undefined || !isMap(limits)) return Object.fromEntries(kept);
  // Counted where the run is.
  const { operations_per_endpoint: _counted, ...others } = limits;
  return Object.keys(others).length === 0 ? rest : { ...rest, limits: others };
}
