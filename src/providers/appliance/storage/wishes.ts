/** The wanted sizes of one appliance, each against its disk, what was applied and what is shown. */

import type { LowerRequest } from "../../../model/provider/provider.ts";
import type { Attributes, PlannedAttributes } from "../../../model/value/value.ts";
import { canonicalKey, type Disks, type KeyProblem, layout65, locate } from "./layout.ts";
import { type Sizes, type Standing, shownGb, sizesOf, standingOf, wishesOf } from "./size.ts";
import { readAttributes } from "./storage-facts.ts";

export type Wish = {
  /** As written. */
  readonly key: string;
  readonly gb: number;
  /** Number of its VMDK. */
  readonly disk: string;
  readonly partitions: readonly string[];
  readonly appliedGb?: number;
  /** What its filesystems show together; absent where they cannot be read. */
  readonly shownGb?: number;
  readonly standing: Standing;
};

export type Misfit = { readonly key: string; readonly problem: KeyProblem };

export type Wishes = {
  readonly wishes: readonly Wish[];
  readonly misfits: readonly Misfit[];
  readonly filesystems: Sizes;
  readonly disks: Disks;
};

/** What is known of an appliance when its wanted sizes are judged. */
export type Known = {
  readonly applied: Attributes | null;
  /** Attributes, or facts, with disks and filesystems. */
  readonly read: Attributes;
};

/** Sizes that are not known are left out: `check` refuses them. */
export function wishesFor(wanted: PlannedAttributes, { applied, read }: Known): Wishes {
  const known = readAttributes(read);
  const disks = disksOf(known.disks);
  const filesystems = sizesOf(known.filesystems_gb);
  const asked = wishesOf(applied?.sizes_gb);
  const wishes: Wish[] = [];
  const misfits: Misfit[] = [];
  for (const [key, gb] of sizesOf(wanted.sizes_gb)) {
    const located = locate(key, disks);
    if ("kind" in located) {
      misfits.push({ key, problem: located });
      continue;
    }
    const { disk, partitions } = located;
    const appliedGb = asked.get(canonicalKey(key));
    const shown = shownGb(partitions, filesystems);
    wishes.push({
      key,
      gb,
      disk,
      partitions,
      ...(appliedGb === undefined ? {} : { appliedGb }),
      ...(shown === undefined ? {} : { shownGb: shown }),
      standing: standingOf({ gb, partitions }, appliedGb, shown),
    });
  }
  return { wishes, misfits, filesystems, disks };
}

/**
 * What a resize is for. Where nothing looks as if it had to grow, it is due for another reason, and
 * one request grows whatever can: all of them.
 */
export function growingOf(wishes: readonly Wish[]): readonly Wish[] {
  const growing = wishes.filter(({ standing }) => standing === "grow");
  return growing.length > 0 ? growing : wishes.filter(({ standing }) => standing === "enough");
}

/** Facts are fresher than attributes, and tell what cannot be read just now. */
export function wishesOfChange(change: Extract<LowerRequest, { action: "update" }>): Wishes {
  const { inputs, prior, facts } = change;
  return wishesFor(inputs, { applied: prior.applied, read: facts ?? prior.attributes });
}

/** Those of release 6.5 where the appliance lists none. */
function disksOf(listed: { readonly [number: string]: readonly string[] }): Disks {
  const disks = new Map(Object.entries(listed));
  return disks.size === 0 ? layout65 : disks;
}
