/** `vmform blame`: which run last changed each attribute of an object. Takes no lock. */

import type { RunChange, RunOperation } from "../../model/recorded/run-record.ts";
import { type Address, toAddress } from "../../model/value/address.ts";
import { CommandError, type WorkspaceEnvironment } from "../environment.ts";
import { nearAddressAdvice } from "../near-address.ts";
import { settingsAlone, type WorkspaceOptions } from "../reading.ts";
import { withWorkspace } from "../workspace.ts";
import { notAnAddress } from "../written-address.ts";
import { readRuns, type ToldRun } from "./runs.ts";

export type BlamedAttribute = {
  readonly name: string;
  /**
   * `outside`: it was read otherwise than recorded. `along`: it changed with operations on other
   * objects. `pushed`: with all of recorded state. `unknown`: before the history that is kept.
   */
  readonly how: "operation" | "outside" | "along" | "adopted" | "pushed" | "unknown";
  /** Word of the operation. */
  readonly verb?: string;
  /** Absent where it is unknown. */
  readonly run?: ToldRun;
  /** It was changed outside, and nobody has accepted that. */
  readonly unaccepted: boolean;
};

export type Blame = {
  readonly address: Address;
  /** By name. */
  readonly attributes: readonly BlamedAttribute[];
};

/** Throws `CommandError` where nothing is recorded. */
export async function blameCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  text: string,
): Promise<Blame> {
  const address = toAddress(text);
  if (address === undefined) throw notAnAddress(text);
  const needs = { read: settingsAlone, access: "none" } as const;
  const { state } = await withWorkspace(environment, options, needs, ({ recorded }) => recorded());
  const objects = state.objects.filter(({ objectKey }) => objectKey === "current");
  const object = objects.find((one) => one.address === address);
  if (object === undefined) {
    const known = objects.map((one) => one.address);
    const fix = nearAddressAdvice(address, known, "List what is recorded with: vmform state list");
    throw new CommandError(`Nothing is recorded at ${text}.`, fix);
  }
  const unaccepted = Object.keys(object.unaccepted ?? {});
  const names = new Set([...Object.keys(object.attributes), ...unaccepted]);
  const found = blame(await readRuns(environment, options), address, names);
  const attributes = [...names].toSorted().map((name) => ({
    name,
    ...(found.get(name) ?? { how: "unknown" as const }),
    unaccepted: unaccepted.includes(name),
  }));
  return { address, attributes };
}

type Found = Pick<BlamedAttribute, "how" | "verb" | "run">;

/** From the last run back, under the address that the object had at each. */
export function blame(
  runs: readonly ToldRun[],
  address: Address,
  names: ReadonlySet<string>,
): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  const take = (attributes: readonly string[] | undefined, one: Found): void => {
    for (const name of attributes ?? []) {
      if (names.has(name) && !found.has(name)) found.set(name, one);
    }
  };
  let at = address;
  for (const run of runs.toReversed()) {
    if (found.size === names.size) break;
    if (run.command === "state push") {
      take([...names], { how: "pushed", run });
      break;
    }
    for (const part of partsOf(run)) {
      if (part.address !== at) continue;
      if (!("what" in part)) take(part.attributes, { how: "operation", verb: part.verb, run });
      else if (part.what === "moved") at = part.from ?? at;
      else if (part.what === "forgotten") return found;
      else if (isHow(part.what)) take(part.attributes, { how: part.what, run });
    }
  }
  return found;
}

function isHow(what: RunChange["what"]): what is "outside" | "along" | "adopted" {
  return what === "outside" || what === "along" || what === "adopted";
}

/** What came last first: what is read or noted comes before operations, what moved along after. */
function partsOf({ operations, changes }: ToldRun): readonly (RunOperation | RunChange)[] {
  const along = changes.filter(({ what }) => what === "along");
  const before = changes.filter(({ what }) => what !== "along");
  return [...before, ...operations, ...along].toReversed();
}
