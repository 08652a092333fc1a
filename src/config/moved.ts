/** The `moved` block: addresses that changed. */

import { type Address, parseAddress, resourceOf, toAddress } from "../model/address.ts";
import type { MovedBlock } from "../model/generated/config.ts";
import type { BlockEntry } from "./blocks.ts";
import type { InstancesByResource } from "./links.ts";
import type { Report } from "./report.ts";
import { movedShape } from "./schemas.ts";
import { didYouMeanResource } from "./spelling.ts";
import { readStaticBlock } from "./static-block.ts";

export type Move = { readonly from: Address; readonly to: Address };

/** Reads and checks the moves. `known` holds every declared resource, `broken` those unreadable. */
export function readMoved(
  entries: readonly BlockEntry[],
  instances: InstancesByResource,
  broken: ReadonlySet<string>,
  report: Report,
): readonly Move[] {
  const seen = new Set<Address>();
  return entries.flatMap((entry) => {
    const block = readStaticBlock<MovedBlock>(entry, movedShape, "MovedBlock", report);
    if (block === undefined) return [];
    const [from, to] = [toAddress(block.from), toAddress(block.to)];
    const { place } = entry;
    if (from === undefined || to === undefined) {
      const wrong = JSON.stringify(from === undefined ? block.from : block.to);
      const fix = 'Write it like daemon_vm.web or daemon_vm.web["a"].';
      report.add("CFG038", { detail: `${wrong} is not an address.`, fix, place });
      return [];
    }
    const problem = moveProblem({ from, to }, instances, broken, seen);
    seen.add(from);
    if (problem === undefined) return [{ from, to }];
    report.add("CFG038", { ...problem, place });
    return [];
  });
}

type MoveProblem = { readonly detail: string; readonly fix?: string | undefined };

function moveProblem(
  { from, to }: Move,
  instances: InstancesByResource,
  broken: ReadonlySet<string>,
  seen: ReadonlySet<Address>,
): MoveProblem | undefined {
  if (seen.has(from)) return { detail: `${from} is moved twice.`, fix: "Keep one of the entries." };
  const [old, wanted] = [parseAddress(from), parseAddress(to)];
  if (old?.type !== wanted?.type) {
    return { detail: `${from} and ${to} are of different types; no object can change its type.` };
  }
  if (broken.has(resourceOf(to)) || broken.has(resourceOf(from))) return undefined;
  if (isStillThere(from, to, instances)) {
    const fix = "Remove the resource, or the entry.";
    return { detail: `${from} is still in the configuration.`, fix };
  }
  if (isDeclared(to, instances)) return undefined;
  const fix = didYouMeanResource(to, instances.keys());
  return { detail: `${to} is not in the configuration.`, fix };
}

/**
 * The instance itself, or the whole resource unless it only got keys: `daemon_vm.web` may move to
 * `daemon_vm.web["a"]`.
 */
function isStillThere(from: Address, to: Address, instances: InstancesByResource): boolean {
  const resource = resourceOf(from);
  const all = instances.get(resource);
  if (all === undefined) return false;
  if (all.some((instance) => instance.address === from)) return true;
  return resource === from && resourceOf(to) !== from;
}

/** A whole resource counts as declared whatever its instances are called. */
function isDeclared(address: Address, instances: InstancesByResource): boolean {
  const resource = resourceOf(address);
  const all = instances.get(resource);
  if (all === undefined || resource === address) return all !== undefined;
  return all.some((instance) => instance.address === address);
}
