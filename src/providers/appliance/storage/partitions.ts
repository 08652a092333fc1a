/**
 * The list of partitions: which disk holds which. It gives no sizes and no order, and may be empty
 * (wire facts C.3).
 */

import type { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Value } from "../../../model/value/value.ts";
import { isList, isMap, memberOf } from "../../../model/value/value.ts";
import { refusal } from "../../kit/refusal.ts";
import type { Appliance } from "../client/connection.ts";
import { apiDialect, type Release } from "../client/release.ts";
import { type Disks, layout65, purposeOf } from "./layout.ts";

export type Partition = {
  /** Number of the VMDK, as text. */
  readonly disk: string;
  readonly purpose: string;
  /** In the appliance's own words, from 6.7 on. */
  readonly description?: string;
};

export type Listed = {
  readonly release: Release;
  /** By disk, then by name. */
  readonly partitions: readonly Partition[];
};

/** Throws `RemoteError`. */
export async function readPartitions(appliance: Appliance): Promise<Listed> {
  const dialect = await appliance.dialect();
  const value = await appliance.get("/appliance/system/storage");
  if (!isList(value)) throw unreadable("the list of partitions is no list");
  const partitions = value.map(partitionOf).toSorted(compare);
  // Descriptions came together with the resize that tells sizes.
  const described = value.some((item) => memberOf(item, "description") !== undefined);
  const asked = dialect === apiDialect ? "7.0" : described ? "6.7" : "6.5";
  return { release: appliance.release ?? asked, partitions };
}

/** Empty when nothing was listed. */
export function disksOfList(partitions: readonly Partition[]): Disks {
  const disks = new Map<string, string[]>();
  for (const { disk, purpose } of partitions) {
    const held = disks.get(disk) ?? [];
    if (purpose !== "" && !held.includes(purpose)) held.push(purpose);
    disks.set(disk, held);
  }
  return disks;
}

/** What there may be on an appliance, whether it lists it or not. */
export function purposesOf(disks: Disks): readonly string[] {
  return [...new Set([...(disks.size === 0 ? layout65 : disks).values()].flat())];
}

function partitionOf(item: Value): Partition {
  const disk = memberOf(item, "disk");
  const partition = memberOf(item, "partition");
  const number = typeof disk === "number" ? String(disk) : disk;
  if (typeof number !== "string" || typeof partition !== "string") {
    throw unreadable("the list of partitions holds an item without disk and partition");
  }
  const description = textOf(memberOf(item, "description"));
  return {
    disk: number,
    purpose: purposeOf(partition),
    ...(description === undefined ? {} : { description }),
  };
}

function textOf(description: Value | undefined): string | undefined {
  const text = isMap(description) ? memberOf(description, "default_message") : description;
  return typeof text === "string" && text !== "" ? text : undefined;
}

function compare(left: Partition, right: Partition): number {
  const difference = Number(left.disk) - Number(right.disk);
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  if (left.disk !== right.disk) return left.disk < right.disk ? -1 : 1;
  return left.purpose < right.purpose ? -1 : left.purpose > right.purpose ? 1 : 0;
}

function unreadable(message: string): RemoteError {
  return refusal("protocol", message);
}
