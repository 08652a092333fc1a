/** The parts of running simulators that every request shares. */

import { type ApplianceState, settleAppliance } from "./appliance/appliance-state.ts";
import { type CloudState, cloudWorldOf, settleCloud, usedMb } from "./cloud/world/cloud-state.ts";
import { type DaemonState, settle, worldOf } from "./daemon/daemon-state.ts";
import type { FaultPlan } from "./faults.ts";
import type { Changes, SimulatorClock } from "./kit/clock.ts";
import {
  type DocumentSource,
  decodeDocument,
  reportUncarried,
  SimulatorInputError,
} from "./kit/document.ts";
import type { RequestLog } from "./kit/request-log.ts";
import { freeKb } from "./manager/world/inventory.ts";
import { type ManagerState, managerWorldOf, settleManager } from "./manager/world/manager-state.ts";
import { type ChangeDocument, changeWorld } from "./outside-change.ts";
import type { World } from "./world.ts";
import type { WorldStore } from "./world-store.ts";

/** A change behind the clients' backs; one map with one named change. */
export type OutsideChange = ChangeDocument;

export type SimulatorCore = {
  readonly seed: number;
  readonly clock: SimulatorClock;
  readonly daemon: DaemonState;
  readonly cloud: CloudState;
  readonly manager: ManagerState;
  readonly appliance: ApplianceState;
  readonly log: RequestLog;
  readonly store: WorldStore;
  /** Announced whenever the world is saved. */
  readonly changes: Changes;
  /** Aborted when the simulators stop. */
  readonly signal: AbortSignal;
  faults: FaultPlan;
};

/** The world as it is now, plain data. */
export function snapshotOf(
  core: Pick<SimulatorCore, "seed" | "clock" | "daemon" | "cloud" | "manager" | "appliance">,
): World {
  const simulatedMs = core.clock.now();
  settle(core.daemon, simulatedMs);
  settleCloud(core.cloud, simulatedMs);
  settleManager(core.manager, simulatedMs);
  settleAppliance(core.appliance, simulatedMs);
  return {
    formatVersion: 1,
    seed: core.seed,
    clock: { simulatedMs, realMs: Date.now() },
    daemon: worldOf(core.daemon),
    cloud: cloudWorldOf(core.cloud),
    manager: managerWorldOf(core.manager),
    appliance: core.appliance.world,
  };
}

export type DatastoreSpace = {
  readonly interface: "cloud" | "manager";
  /** As on the wire: the UUID of a cloud's, the reference of a manager's. */
  readonly id: string;
  readonly name: string;
  readonly capacityMb: number;
  readonly usedMb: number;
};

export function spaceOf({
  cloud,
  manager,
  clock,
}: Pick<SimulatorCore, "cloud" | "manager" | "clock">): readonly DatastoreSpace[] {
  settleCloud(cloud, clock.now());
  settleManager(manager, clock.now());
  const ofCloud = [...cloud.datastores.values()].map((store): DatastoreSpace => {
    const { id, name, capacityMb } = store;
    return { interface: "cloud", id, name, capacityMb, usedMb: usedMb(cloud, store) };
  });
  const ofManager = [...manager.datastores.values()].map((store): DatastoreSpace => {
    const { id, name, capacityKb } = store;
    const usedKb = capacityKb - freeKb(manager, store);
    return { interface: "manager", id, name, capacityMb: capacityKb / 1024, usedMb: usedKb / 1024 };
  });
  return [...ofCloud, ...ofManager];
}

/** Makes an outside change and saves the world. Throws `SimulatorInputError`. */
export async function applyChange(core: SimulatorCore, document: DocumentSource): Promise<void> {
  const change = decodeDocument(document, "WorldChange", (wanted, report) => {
    for (const [name, written] of Object.entries(wanted)) {
      if (/cloud|manager/.test(name)) reportUncarried(written, [name], report);
    }
    return wanted;
  });
  try {
    changeWorld(core, change, core.clock.now());
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SimulatorInputError([`${document.place([])}: ${error.message}`], { cause: error });
  }
  await core.store.save();
}
