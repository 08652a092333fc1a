/** Changes behind the clients' backs, of whichever interface: one map with one named change. */

import type { ApplianceState } from "./appliance/appliance-state.ts";
import { settleAppliance } from "./appliance/appliance-state.ts";
import { applianceChanges } from "./appliance/outside-change.ts";
import { cloudChanges } from "./cloud/outside-change.ts";
import type { CloudState } from "./cloud/world/cloud-state.ts";
import { settleCloud } from "./cloud/world/cloud-state.ts";
import type { DaemonState } from "./daemon/daemon-state.ts";
import { settle } from "./daemon/daemon-state.ts";
import { daemonChanges } from "./daemon/outside-change.ts";
import { makeChange } from "./kit/change.ts";
import type { Written } from "./kit/document.ts";
import type { WorldChange } from "./kit/generated/documents.ts";
import { managerChanges } from "./manager/outside-change.ts";
import type { ManagerState } from "./manager/world/manager-state.ts";
import { settleManager } from "./manager/world/manager-state.ts";

/** As written in fault scripts and sent to the control surface. */
export type ChangeDocument = Written<WorldChange>;

type States = {
  readonly daemon: DaemonState;
  readonly cloud: CloudState;
  readonly manager: ManagerState;
  readonly appliance: ApplianceState;
};

/** Makes a change. Throws `RangeError` when what it names is absent (or present). */
export function changeWorld(states: States, change: WorldChange, nowMs: number): void {
  const { daemon, cloud, manager, appliance } = states;
  settle(daemon, nowMs);
  settleCloud(cloud, nowMs);
  settleManager(manager, nowMs);
  settleAppliance(appliance, nowMs);
  const isMade =
    makeChange(daemonChanges, { state: daemon, nowMs }, change) ||
    makeChange(cloudChanges, { state: cloud, nowMs }, change) ||
    makeChange(managerChanges, { state: manager, nowMs }, change) ||
    makeChange(applianceChanges, { state: appliance, nowMs }, change);
  if (!isMade) throw new TypeError("a change has a name that no simulator knows");
}
