/** What an earlier `drift --accept` has recorded, and nothing has changed since. */

import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import { blame } from "./blame.ts";
import type { ToldRun } from "./runs.ts";

/** The command as the history of runs names it. */
export const acceptingCommand = "drift --accept";

export type AcceptedEarlier = {
  readonly address: Address;
  readonly attribute: string;
  /** When that run began, milliseconds since 1970. */
  readonly atMs: number;
  readonly runId: string;
};

/** Attributes by name; those that have changed again without being accepted are none. */
export function acceptedEarlier(
  runs: readonly ToldRun[],
  { address, attributes, unaccepted = {} }: RecordedObject,
): readonly AcceptedEarlier[] {
  const names = Object.keys(attributes).filter((name) => !Object.hasOwn(unaccepted, name));
  const found = blame(runs, address, new Set(names));
  return names.toSorted().flatMap((attribute) => {
    const { how, run } = found.get(attribute) ?? {};
    if (how !== "outside" || run?.command !== acceptingCommand) return [];
    return [{ address, attribute, atMs: run.beganMs, runId: run.id }];
  });
}
