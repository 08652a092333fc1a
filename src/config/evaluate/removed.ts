/** The `removed` block: addresses that left the configuration, and what becomes of the objects. */

import type { RemovedBlock } from "../../model/generated/config.ts";
import { type Address, parseAddress, resourceOf } from "../../model/value/address.ts";
import { readAddress } from "../blocks/entry-address.ts";
import type { BlockEntry } from "../read/blocks.ts";
import { removedShape } from "../read/schemas.ts";
import { didYouMean } from "../read/spelling.ts";
import { readStaticBlock } from "../read/static-block.ts";
import type { Report } from "../report.ts";
import type { InstancesByResource } from "./links.ts";
import type { Module } from "./module.ts";

export type Removal = { readonly from: Address; readonly destroy: boolean };

/**
 * Whether an address was ever recorded is not known here: a name that never was does nothing. A
 * type that does not exist is a slip of the finger.
 */
export function readRemoved(
  entries: readonly BlockEntry[],
  instances: InstancesByResource,
  module: Module,
  report: Report,
): readonly Removal[] {
  const seen = new Set<Address>();
  return entries.flatMap((entry) => {
    const block = readStaticBlock<RemovedBlock>(entry, removedShape, "RemovedBlock", report);
    if (block === undefined) return [];
    const { place } = entry;
    const written = readAddress(block.from);
    if (!written.ok) {
      report.add("CFG042", { detail: written.detail, fix: written.fix, place });
      return [];
    }
    const from = written.address;
    const problem = removalProblem(from, instances, module, seen);
    seen.add(from);
    if (problem === undefined) return [{ from, destroy: block.destroy ?? true }];
    report.add("CFG042", { ...problem, place });
    return [];
  });
}

type RemovalProblem = { readonly detail: string; readonly fix?: string | undefined };

function removalProblem(
  from: Address,
  instances: InstancesByResource,
  module: Module,
  seen: ReadonlySet<Address>,
): RemovalProblem | undefined {
  if (seen.has(from)) return { detail: `${from} is named twice.`, fix: "Keep one of the entries." };
  const type = parseAddress(from)?.type ?? "";
  if (!Object.hasOwn(module.types.schemas, type)) {
    const fix = didYouMean(type, Object.keys(module.types.schemas));
    return { detail: `There is no resource type ${type}.`, fix };
  }
  const resource = resourceOf(from);
  const declared = instances.get(resource);
  if (declared === undefined || module.broken.has(resource)) return undefined;
  if (resource !== from && !declared.some(({ address }) => address === from)) return undefined;
  const fix = "Remove the resource, or the entry.";
  return { detail: `${from} is still in the configuration.`, fix };
}
