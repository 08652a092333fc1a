/**
 * Reading: partitions, health and sizes of the appliance. It never finds the storage missing: an
 * appliance that answers has one.
 */

import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Observation, UnreadableReason, Wanted } from "../../../model/provider/observation.ts";
import type { FactsAnswer, FactsRequest } from "../../../model/provider/provider.ts";
import type { Attributes, Value } from "../../../model/value/value.ts";
import { once } from "../../kit/once.ts";
import { answerEach, observeEach, silent } from "../../kit/reading.ts";
import { refusal } from "../../kit/refusal.ts";
import type { Appliance } from "../client/connection.ts";
import { type PrefixName, prefixName, type Release } from "../client/release.ts";
import type { Disks } from "./layout.ts";
import { type MonitoringMemory, readSizes } from "./monitoring.ts";
import { disksOfList, type Partition, purposesOf, readPartitions } from "./partitions.ts";
import { type Sizes, sizesOf } from "./size.ts";
import { storageIdentity, storageTypeName } from "./storage.ts";
import { readAttributes, type StorageFacts } from "./storage-facts.ts";

/** One thing that was asked for by itself. */
export type Read<T> =
  | { readonly status: "read"; readonly value: T }
  | {
      readonly status: "unreadable";
      /** `by rule`: the appliance does not offer it. */
      readonly rule: UnreadableReason;
      readonly reason: string;
      /** The appliance itself has answered so: it can be done without. */
      readonly isAnswered: boolean;
      readonly error?: RemoteError;
    };

export type StorageReading = {
  /** Of the interface that is spoken. */
  readonly release: Release;
  readonly prefix: PrefixName;
  /** Whether the list of partitions says so, or a setting; else it is a guess. */
  readonly isReleaseKnown: boolean;
  readonly partitions: Read<readonly Partition[]>;
  readonly health: Read<string>;
  readonly filesystems: Read<Sizes>;
};

/**
 * Each of the three is optional: the specification knows the resize alone. Throws `RemoteError`
 * where the appliance does not answer, or lets nobody in, and where nothing of all works.
 */
export async function readStorage(
  appliance: Appliance,
  memory: MonitoringMemory,
): Promise<StorageReading> {
  const dialect = await appliance.dialect();
  const guess: Release = dialect.prefix === "/api" ? "7.0" : "6.5";
  let listed: Release | undefined;
  const partitions = await read(async (): Promise<Read<readonly Partition[]>> => {
    const list = await readPartitions(appliance);
    listed = list.release;
    return { status: "read", value: list.partitions };
  });
  if (partitions.status === "unreadable" && !partitions.isAnswered) throw errorOf(partitions);
  const purposes = purposesOf(disksOfRead(partitions));
  const [health, filesystems] = await Promise.all([
    read(async () => ({ status: "read", value: await readHealth(appliance) })),
    read(async (): Promise<Read<Sizes>> => {
      const answer = await readSizes(appliance, memory, purposes);
      if (answer.status === "read") return { status: "read", value: answer.sizes };
      return { status: "unreadable", rule: "by rule", reason: answer.reason, isAnswered: true };
    }),
  ]);
  const all = [partitions, health, filesystems];
  if (partitions.status === "unreadable" && all.every(isFailure)) throw errorOf(partitions);
  return {
    release: appliance.release ?? listed ?? guess,
    prefix: prefixName(dialect),
    isReleaseKnown: (appliance.release ?? listed) !== undefined,
    partitions,
    health,
    filesystems,
  };
}

function isFailure(item: Read<unknown>): boolean {
  return item.status === "unreadable" && item.rule === "failed";
}

function errorOf({ error, reason }: Extract<Read<unknown>, { status: "unreadable" }>): RemoteError {
  return error ?? refusal("protocol", reason);
}

function disksOfRead(partitions: Read<readonly Partition[]>): Disks {
  return partitions.status === "read" ? disksOfList(partitions.value) : new Map();
}

/** Same order, one observation each; there is but one thing to read. */
export function observe(
  appliance: Appliance,
  memory: MonitoringMemory,
  wanted: readonly Wanted[],
): Promise<readonly Observation[]> {
  const reading = once(() => readStorage(appliance, memory));
  return observeEach(
    wanted,
    { [storageTypeName]: async ({ recorded }) => observationOf(await reading(), recorded) },
    (error) => silent(error.message),
  );
}

/** What a change is judged and lowered with: attributes, as fresh as can be, or null. */
export function readFacts(
  appliance: Appliance,
  memory: MonitoringMemory,
  requests: readonly FactsRequest[],
): Promise<readonly FactsAnswer[]> {
  const reading = once(() => readStorage(appliance, memory));
  return answerEach(requests, async ({ prior }): Promise<StorageFacts> => {
    const { filesystems, health, partitions, release, prefix } = await reading();
    // One that does not answer now is not one that shows nothing.
    if (filesystems.status === "unreadable" && !filesystems.isAnswered) throw errorOf(filesystems);
    const why = (item: Read<unknown>) => (item.status === "read" ? null : item.reason);
    return {
      release,
      prefix,
      disks:
        partitions.status === "read" ? disksValue(partitions.value) : readAttributes(prior).disks,
      health: health.status === "read" ? health.value : null,
      filesystems_gb: filesystems.status === "read" ? sizesValue(filesystems.value) : null,
      now_ms: appliance.nowMs(),
      untold: { disks: why(partitions), health: why(health), filesystems_gb: why(filesystems) },
    };
  });
}

export function disksValue(partitions: readonly Partition[]): StorageFacts["disks"] {
  return Object.fromEntries(disksOfList(partitions));
}

export function sizesValue(sizes: Sizes): { readonly [purpose: string]: number } {
  return Object.fromEntries([...sizes].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function observationOf(reading: StorageReading, recorded: Attributes | undefined): Observation {
  const { partitions, health, filesystems } = reading;
  const release = reading.isReleaseKnown ? reading.release : recorded?.release;
  const attributes: { [name: string]: Value } = { release: release ?? reading.release };
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
  note("disks", partitions, (list) => disksValue(list));
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
  const known = new Set(purposesOf(disksOfRead(partitions)));
  const before = [...sizesOf(recorded?.filesystems_gb)].filter(([name]) => known.has(name));
  return new Map([...before, ...sizes]);
}

async function readHealth(appliance: Appliance): Promise<string> {
  const value = await appliance.get("/appliance/health/storage");
  if (typeof value === "string") return value.toLowerCase();
  throw refusal("protocol", "the storage health is no text");
}

async function read<T>(work: () => Promise<Read<T>>): Promise<Read<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const { status = 0, message: reason } = error;
    // Whether anybody is let in at all is another question.
    const isOffered = ![404, 405, 501].includes(status);
    const isAnswered = !isOffered || status >= 500;
    return {
      status: "unreadable",
      rule: isOffered ? "failed" : "by rule",
      reason,
      isAnswered,
      error,
    };
  }
}
