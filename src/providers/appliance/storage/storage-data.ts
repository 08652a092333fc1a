/** The data source `appliance_storage`: what the appliance tells of its partitions. */

import type { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Attributes } from "../../../model/value/value.ts";
import { refusal } from "../../kit/refusal.ts";
import type { Appliance } from "../client/connection.ts";
import type { MonitoringMemory } from "./monitoring.ts";
import { disksValue, readStorage, sizesValue } from "./observe.ts";

export const storageDataName = "appliance_storage";

/** Sizes are null where the appliance tells none. Throws `RemoteError`. */
export async function readStorageData(
  appliance: Appliance,
  memory: MonitoringMemory,
): Promise<Attributes> {
  const reading = await readStorage(appliance, memory);
  const { release, health, filesystems } = reading;
  const partitions = reading.partitions.status === "read" ? reading.partitions.value : [];
  for (const part of [reading.partitions, health]) {
    if (part.status === "unreadable" && part.rule === "failed") throw failed(part.reason);
  }
  if (filesystems.status === "unreadable" && filesystems.rule === "failed") {
    throw failed(filesystems.reason);
  }
  const sizes = filesystems.status === "read" ? filesystems.value : undefined;
  return {
    release,
    health: health.status === "read" ? health.value : null,
    disks: disksValue(partitions),
    filesystems_gb: sizes === undefined ? null : sizesValue(sizes),
    partitions: partitions.map(({ disk, purpose, description }) => ({
      disk,
      purpose,
      description: description ?? null,
      size_gb: sizes?.get(purpose) ?? null,
    })),
  };
}

function failed(message: string): RemoteError {
  return refusal("protocol", message);
}
