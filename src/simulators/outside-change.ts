/** Changes behind the clients' backs, of whichever interface: one map with one named change. */

import type { ApplianceState } from "./appliance/appliance-state.ts";
import type { ApplianceChangeDocument } from "./appliance/outside-change.ts";
import { applianceChangeNames, readApplianceChange } from "./appliance/outside-change.ts";
import type { CloudState } from "./cloud/cloud-state.ts";
import type { CloudChangeDocument } from "./cloud/outside-change.ts";
import { cloudChangeNames, readCloudChange } from "./cloud/outside-change.ts";
import type { DaemonState } from "./daemon/daemon-state.ts";
import type { DaemonChangeDocument } from "./daemon/outside-change.ts";
import { daemonChangeNames, readDaemonChange } from "./daemon/outside-change.ts";
import type { Cursor } from "./decode.ts";
import { readMembers } from "./decode.ts";
import type { ManagerState } from "./manager/manager-state.ts";
import type { ManagerChangeDocument } from "./manager/outside-change.ts";
import { managerChangeNames, readManagerChange } from "./manager/outside-change.ts";

/** As written in fault scripts and sent to the control surface. */
export type ChangeDocument =
  | DaemonChangeDocument
  | CloudChangeDocument
  | ManagerChangeDocument
  | ApplianceChangeDocument;

/** A change that was read; throws `RangeError` when what it names is absent (or present). */
export type WorldChange = (
  states: {
    readonly daemon: DaemonState;
    readonly cloud: CloudState;
    readonly manager: ManagerState;
    readonly appliance: ApplianceState;
  },
  nowMs: number,
) => void;

const changeNames: readonly string[] = [
  ...daemonChangeNames,
  ...cloudChangeNames,
  ...managerChangeNames,
  ...applianceChangeNames,
];

/** Reads a map with exactly one change. */
export function readChange(cursor: Cursor, seed: number): WorldChange {
  const member = readMembers(cursor, changeNames);
  const given = changeNames.filter((name) => member(name).value !== undefined);
  const [name] = given;
  if (name === undefined || given.length > 1) {
    cursor.report(cursor.path, `exactly one of ${changeNames.join(", ")} is expected`);
    return () => {};
  }
  if (cloudChangeNames.includes(name)) {
    const change = readCloudChange(name, member(name), seed);
    return ({ cloud }, nowMs) => change(cloud, nowMs);
  }
  if (managerChangeNames.includes(name)) {
    const change = readManagerChange(name, member(name));
    return ({ manager }, nowMs) => change(manager, nowMs);
  }
  if (applianceChangeNames.includes(name)) {
    const change = readApplianceChange(name, member(name));
    return ({ appliance }, nowMs) => change(appliance, nowMs);
  }
  const change = readDaemonChange(name, member(name), seed);
  return ({ daemon }, nowMs) => change(daemon, nowMs);
}
