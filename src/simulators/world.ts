/**
 * The simulated world: what all interface simulators hold, as plain data. It is read from a world
 * file once, and from then on from the place where it is persisted.
 */

import type { ApplianceWorld } from "./appliance/appliance-state.ts";
import { applianceWorldOf, defaultVm } from "./appliance/world-document.ts";
import { machineOf } from "./appliance-machine.ts";
import type { CloudWorld } from "./cloud/world/cloud-state.ts";
import { cloudWorldOf } from "./cloud/world/world-document.ts";
import type { DaemonWorld } from "./daemon/daemon-state.ts";
import { daemonWorldOf } from "./daemon/world-document.ts";
import type { Report, Written } from "./kit/document.ts";
import {
  decodeDocument,
  filled,
  readYamlFile,
  reportUncarried,
  sourceOfData,
} from "./kit/document.ts";
import type { WorldFile } from "./kit/generated/documents.ts";
import type { ManagerWorld } from "./manager/world/manager-state.ts";
import { managerWorldOf } from "./manager/world/world-document.ts";

export type World = {
  readonly formatVersion: 1;
  readonly seed: number;
  /** A simulated time and the host's time at the same moment, milliseconds since the epoch. */
  readonly clock: { readonly simulatedMs: number; readonly realMs: number };
  readonly daemon: DaemonWorld;
  readonly cloud: CloudWorld;
  readonly manager: ManagerWorld;
  readonly appliance: ApplianceWorld;
};

/** A world file's content. */
export type WorldDocument = Written<WorldFile>;

/** Path of a world file, or its content as data. */
export type WorldSource = string | WorldDocument;

/**
 * The world at its start, which is now if no time is given. A `seed` wins over the source's. Throws
 * `SimulatorInputError` with every problem of the source and its place.
 */
export function readWorldSource(
  source: WorldSource,
  seed: number | undefined,
  nowMs: number = Date.now(),
): World {
  const document =
    typeof source === "string" ? readYamlFile(source) : sourceOfData(source, "world");
  return decodeDocument(document, "WorldFile", (file, report) => {
    for (const part of ["cloud", "manager"] as const) reportUncarried(file[part], [part], report);
    const made = withApplianceVm(file, document.value);
    return readWorld(made, { seed: seed ?? file.seed, nowMs, report });
  });
}

function readWorld(
  file: WorldFile,
  {
    seed,
    nowMs,
    report,
  }: { readonly seed: number; readonly nowMs: number; readonly report: Report },
): World {
  const manager = managerWorldOf(file.manager, { seed, nowMs, report });
  const machineAt = (key: string) => machineOf(manager.vms, key);
  return {
    formatVersion: 1,
    seed,
    clock: { simulatedMs: nowMs, realMs: nowMs },
    daemon: daemonWorldOf(file.daemon, seed, report),
    cloud: cloudWorldOf(file.cloud, { seed, nowMs, report }),
    manager,
    appliance: applianceWorldOf(file.appliance, { nowMs, machineAt, report }),
  };
}

/** With the VM of an appliance that is written down and names none. */
function withApplianceVm(file: WorldFile, written: unknown): WorldFile {
  const { appliance, manager } = file;
  const isWritten =
    typeof written === "object" && written !== null && Object.hasOwn(written, "appliance");
  if (!isWritten || appliance.vm !== undefined || Object.hasOwn(manager.vms, defaultVm)) {
    return file;
  }
  const { release } = appliance.rules;
  const disks = release === "6.5" ? "appliance" : `appliance-${release}`;
  const vm = filled("ManagerVmEntry", { power: "on", disks });
  return { ...file, manager: { ...manager, vms: { ...manager.vms, [defaultVm]: vm } } };
}
