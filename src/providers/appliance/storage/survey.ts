/** What the appliance tells of its storage, for a simulated twin of it. */

import { compact } from "../../../lib/compact.ts";
import type { Survey } from "../../../model/provider/survey.ts";
import type { Appliance } from "../client/connection.ts";
import { layout65 } from "./layout.ts";
import type { MonitoringMemory } from "./monitoring.ts";
import { readStorage, type StorageReading } from "./observe.ts";
import { disksOfList } from "./partitions.ts";

/** Throws `RemoteError`. */
export async function surveyAppliance(
  appliance: Appliance,
  memory: MonitoringMemory,
): Promise<Survey> {
  const reading = await readStorage(appliance, memory);
  const { release, prefix, partitions, health, filesystems } = reading;
  const listed = disksOfList(partitions.status === "read" ? partitions.value : []);
  const sizes = filesystems.status === "read" ? filesystems.value : new Map<string, number>();
  return {
    account: { name: appliance.user },
    version: release,
    traits: {
      ...{ prefix, listed: listed.size > 0, sampled: sizes.size > 0 },
      ...(health.status === "read" ? { health: health.value } : {}),
    },
    ...{ managers: [], hosts: [], datastores: [], groups: [], machines: [], alarms: [] },
    partitions: [...(listed.size > 0 ? listed : layout65)].flatMap(([disk, names]) =>
      names.map((name) => ({ name, disk: Number(disk), ...compact({ sizeGb: sizes.get(name) }) })),
    ),
    unknown: untold(reading, listed.size > 0),
  };
}

function untold({ filesystems }: StorageReading, isListed: boolean): readonly string[] {
  return [
    ...(isListed
      ? []
      : ["the appliance lists no partitions: those of release 6.5 stand in for them"]),
    ...(filesystems.status === "read"
      ? []
      : [`how large its file systems are: ${filesystems.reason}`]),
  ];
}
