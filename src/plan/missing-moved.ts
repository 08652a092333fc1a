/** A resource whose address changed without a `moved` entry: which entry is missing? */

import { type Address, parseAddress, resourceOf } from "../model/address.ts";
import type { DesiredInstance } from "../model/desired.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { PlanInput } from "./input.ts";
import { problem } from "./problem.ts";

/** Resources that have at least one instance. */
export type ResourcesInUse = {
  readonly desired: ReadonlySet<Address>;
  readonly recorded: ReadonlySet<Address>;
};

export function resourcesInUse({ desired, recorded }: PlanInput): ResourcesInUse {
  return {
    desired: new Set(desired.instances.map(({ address }) => resourceOf(address))),
    recorded: new Set(recorded.objects.map(({ address }) => resourceOf(address))),
  };
}

/**
 * The object of an instance is recorded at `holder`, which nothing wants any more. Where a resource
 * moved with all its instances, the text is the same for all of them, and so is the entry.
 */
export function renameProblem(
  instance: DesiredInstance,
  identity: string,
  holder: Address,
  inUse: ResourcesInUse,
): Diagnostic {
  const whole = wholeMove(holder, instance.address, inUse);
  if (whole !== undefined) {
    return problem(instance, "PLN003", "Resource was renamed", {
      detail: `Its object is recorded in ${whole.from}, which left the configuration.`,
      fix: entry(whole.from, whole.to),
    });
  }
  return problem(instance, "PLN003", "Resource was renamed", {
    detail: `${identity} is recorded as ${holder}, which left the configuration.`,
    fix: entry(holder, instance.address),
  });
}

function entry(from: Address, to: Address): string {
  return `Add: moved: [{ from: '${from}', to: '${to}' }]`;
}

/** One entry for the resources will do: keys agree, and no other instance is in its way. */
function wholeMove(
  holder: Address,
  address: Address,
  inUse: ResourcesInUse,
): { readonly from: Address; readonly to: Address } | undefined {
  const key = parseAddress(holder)?.key;
  if (key === undefined || key !== parseAddress(address)?.key) return undefined;
  const [from, to] = [resourceOf(holder), resourceOf(address)];
  return inUse.desired.has(from) || inUse.recorded.has(to) ? undefined : { from, to };
}
