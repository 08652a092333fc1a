/**
 * Reading: partitions, health and sizes of the appliance. It never finds the storage missing: an
 * appliance that answers has one.
 */

import type { Observation, UnreadableReason, Wanted } from "../../model/observation.ts";
import type { FactsAnswer, FactsRequest } from "../../model/provider.ts";
import { RemoteError } from "../../model/remote-error.ts";
import type { Attributes, Value } from "../../model/value.ts";
import type { Appliance } from "./connection.ts";
import { type MonitoringMemory, readSizes } from "./monitoring.ts";
import { disksOfList, type Partition, purposesOf, readPartitions } from "./partitions.ts";
import type { Release } from "./release.ts";
import { type Sizes, sizesOf } from "./size.ts";
import { storageIdentity } from "./storage.ts";

/** One thing that was asked for by itself. */
export type Read<T> =
  | { readonly status: "read"; readonly value: T }
  | { readonly status: "unreadable"; readonly rule: UnreadableReason; readonly reason: string };

export type StorageReading = {
  readonly release: Release;
  readonly partitions: readonly Partition[];
  readonly health: Read<string>;
  readonly filesystems: Read<Sizes>;
};

/** Throws `RemoteError` when not even the partitions can be listed. */
export async function readStorage(
  appliance: Appliance,
  memory: MonitoringMemory,
): Promise<StorageReading> {
  const { release, partitions } = await readPartitions(appliance);
  const purposes = purposesOf(disksOfList(partitions));
  const [health, filesystems] = await Promise.all([
    read(async () => ({ status: "read", value: await readHealth(appliance) })),
    read(async (): Promise<Read<Sizes>> => {
      const answer = await readSizes(appliance, memory, purposes);
      if (answer.status === "read") return { status: "read", value: answer.sizes };
      return { status: "unreadable", rule: "by rule", reason: answer.reason };
    }),
  ]);
  return { release, partitions, health, filesystems };
}

/** Same order, one observation each; there is but one thing to read. */
export async function observe(
  appliance: Appliance,
  memory: MonitoringMemory,
  wanted: readonly Wanted[],
): Promise<readonly Observation[]> {
  try {
    const reading = await readStorage(appliance, memory);
    return wanted.map(({ recorded }) => observationOf(reading, recorded));
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const reason = error.message;
    return wanted.map(() => ({ status: "unreadable", rule: "failed", reason }));
  }
}

/** What a change is judged and lowered with: attributes, as fresh as can be, or null. */
export async function readFacts(
  appliance: Appliance,
  memory: MonitoringMemory,
  requests: readonly FactsRequest[],
): Promise<readonly FactsAnswer[]> {
  try {
    const reading = await readStorage(appliance, memory);
    const { filesystems, health } = reading;
    // One that failed to answer now is not one that shows nothing.
    if (filesystems.status === "unreadable" && filesystems.rule === "failed") {
      return requests.map(() => ({ status: "failed", reason: filesystems.reason }));
    }
    return requests.map(() => ({
      status: "read",
      facts: {
        release: reading.release,
        disks: disksValue(reading.partitions),
        health: health.status === "read" ? health.value : null,
        filesystems_gb: filesystems.status === "read" ? sizesValue(filesystems.value) : null,
      },
    }));
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const reason = error.message;
    return requests.map(() => ({ status: "failed", reason }));
  }
}

export function disksValue(partitions: readonly Partition[]): Value {
  return Object.fromEntries(disksOfList(partitions));
}

export function sizesValue(sizes: Sizes): Value {
  return Object.fromEntries([...sizes].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function observationOf(reading: StorageReading, recorded: Attributes | undefined): Observation {
  const { release, partitions, health, filesystems } = reading;
  const attributes: { [name: string]: Value } = { release, disks: disksValue(partitions) };
  const unreadable: { [name: string]: UnreadableReason } = {};
  const reasons: { [name: string]: string } = {};
  const note = <T>(name: string, item: Read<T>, valueOf: (value: T) => Value): void => {
    if (item.status === "read") {
      attributes[name] = valueOf(item.value);
      return;
    }
    unreadable[name] = item.rule;
    reasons[name] = item.reason;
  };
  note("health", health, (value) => value);
  note("filesystems_gb", filesystems, (sizes) =>
    sizesValue(withRecorded(sizes, reading, recorded)),
  );
  return { status: "found", identity: storageIdentity, attributes, unreadable, reasons };
}

/** A filesystem without a sample just now has the size it had; it is no change of anything. */
function withRecorded(
  sizes: Sizes,
  { partitions }: StorageReading,
  recorded: Attributes | undefined,
): Sizes {
  const known = new Set(purposesOf(disksOfList(partitions)));
  const before = [...sizesOf(recorded?.filesystems_gb)].filter(([name]) => known.has(name));
  return new Map([...before, ...sizes]);
}

async function readHealth(appliance: Appliance): Promise<string> {
  const value = await appliance.get("/appliance/health/storage");
  if (typeof value === "string") return value.toLowerCase();
  const message = "the storage health is no text";
  throw new RemoteError({ kind: "protocol", effect: "none", message });
}

async function read<T>(work: () => Promise<Read<T>>): Promise<Read<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return { status: "unreadable", rule: "failed", reason: error.message };
  }
}
