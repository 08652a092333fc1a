/**
 * Sizes: what is wanted of a disk, what its filesystems show, and what follows. A filesystem is
 * smaller than the disk it fills: its own tables and journal take a few percent (a 25 GB disk shows
 * 24.4 GB), and the system's disk has parts that no filesystem shows.
 */

import { isMap } from "../../../model/value/value.ts";
import { canonicalKey } from "./layout.ts";

/** Sizes by name, GB. A GB is 2^30 bytes, as everywhere around virtual disks. */
export type Sizes = ReadonlyMap<string, number>;

export type WantedSize = {
  /** As `canonicalKey` gives it. */
  readonly key: string;
  readonly gb: number;
  readonly partitions: readonly string[];
};

/** What part of its disk a filesystem may lack, and a rest for small ones, GB. */
const lackPart = 0.06;
const lackRestGb = 0.1;
/** The system's disk of 12 GB shows about 10.7 GB. */
const rootLackPart = 0.2;
/** By how much a filesystem must exceed a disk to prove that the disk is larger. */
const excessPart = 0.005;
const excessRestGb = 0.01;

/** The least that the filesystems of a disk of this size show together, GB. */
export function leastGb(gb: number, partitions: readonly string[]): number {
  const part = partitions.includes("root") ? rootLackPart : lackPart;
  return Math.max(0, gb * (1 - part) - lackRestGb);
}

/** What the filesystems of a disk show together, GB; undefined when none of them can be read. */
export function shownGb(partitions: readonly string[], filesystems: Sizes): number | undefined {
  const sizes = partitions.flatMap((name) => filesystems.get(name) ?? []);
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * `grow`: the disk's partitions are to be grown. `shrink`: it is larger than what is wanted, and
 * never becomes smaller. `enough`: nothing to do.
 */
export type Standing = "grow" | "shrink" | "enough";

/** `appliedGb`: what was last asked for under the same key, if anything was. */
export function standingOf(
  { gb, partitions }: Pick<WantedSize, "gb" | "partitions">,
  appliedGb: number | undefined,
  shown: number | undefined,
): Standing {
  const isBelow = shown !== undefined && shown < leastGb(gb, partitions);
  if (appliedGb === gb) return isBelow ? "grow" : "enough";
  if (appliedGb !== undefined && gb < appliedGb) return "shrink";
  // What somebody else has grown further is not ours to undo.
  if (shown !== undefined && shown > gb * (1 + excessPart) + excessRestGb) return "shrink";
  return appliedGb !== undefined || shown === undefined || isBelow ? "grow" : "enough";
}

/**
 * What the largest partition of a growing disk must show afterwards, GB: enough for the wanted
 * size, and, where a small growth hides in the tolerance, more than before.
 */
export function goalOf(
  { gb, partitions }: Pick<WantedSize, "gb" | "partitions">,
  appliedGb: number | undefined,
  filesystems: Sizes,
): { readonly partition: string; readonly gb: number } | undefined {
  const partition = largestOf(partitions, filesystems);
  if (partition === undefined) return undefined;
  const shown = shownGb(partitions, filesystems);
  const own = filesystems.get(partition) ?? 0;
  const least = Math.max(leastGb(gb, partitions), halfway(gb, appliedGb, shown));
  const others = (shown ?? own) - own;
  return { partition, gb: Math.max(0, floorGb(least - others)) };
}

/** To a hundredth, as sizes are read; what binary fractions lose is not lost here. */
function floorGb(gb: number): number {
  return Math.floor(gb * 100 + 1e-6) / 100;
}

/** Halfway between what is shown and what the same filesystem will show of the larger disk. */
function halfway(gb: number, appliedGb: number | undefined, shown: number | undefined): number {
  // More than the disk of before can hold: it has grown already.
  if (appliedGb === undefined || shown === undefined || shown > appliedGb || appliedGb <= 0) {
    return 0;
  }
  return (shown + (gb * shown) / appliedGb) / 2;
}

function largestOf(partitions: readonly string[], filesystems: Sizes): string | undefined {
  const size = (name: string): number => filesystems.get(name) ?? -1;
  return partitions.toSorted((left, right) => size(right) - size(left))[0];
}

/** Sizes as attributes hold them: names without a number are left out. */
export function sizesOf(value: unknown): Sizes {
  const sizes = new Map<string, number>();
  if (!isMap(value)) return sizes;
  for (const [name, size] of Object.entries(value)) {
    if (typeof size === "number" || typeof size === "bigint") sizes.set(name, Number(size));
  }
  return sizes;
}

/** `sizes_gb` by canonical key. */
export function wishesOf(value: unknown): Sizes {
  return new Map([...sizesOf(value)].map(([key, gb]) => [canonicalKey(key), gb]));
}

/** `24.41 GB`, without zeros at its end. */
export function sizeText(gb: number): string {
  return `${Number(gb.toFixed(2))} GB`;
}

const kbPerGb = 1024 * 1024;

/** GB of a number of KB, to a hundredth. */
export function gbOfKb(kb: number): number {
  return Math.round((kb / kbPerGb) * 100) / 100;
}

/**
 * GB of a size in the reply of a resize. It is documented as MB and was recorded as KB (wire facts
 * C.2): the one that is nearer to what the partition should have.
 */
export function gbOfReply(size: number, aboutGb: number): number {
  const asMb = size / 1024;
  const asKb = size / kbPerGb;
  const distance = (gb: number): number => Math.abs(Math.log(gb / Math.max(aboutGb, 0.01)));
  const gb = size > 0 && distance(asMb) < distance(asKb) ? asMb : asKb;
  return Math.round(gb * 100) / 100;
}
