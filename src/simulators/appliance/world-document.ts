/** The `appliance` part of a world file: settings and what is there at the start. */

import type { ApplianceMachine } from "../appliance-machine.ts";
import { applianceDisks } from "../kit/appliance-layout.ts";
import type { Report } from "../kit/document.ts";
import type { AppliancePart, ApplianceRules } from "../kit/generated/documents.ts";
import type { AppliancePartition, ApplianceWorld } from "./appliance-state.ts";
import { usableKb } from "./appliance-state.ts";

/** Key of the appliance's VM unless the world file names another. */
export const defaultVm = "vcsa";

/** `machineAt` gives the VM with a key, as the manager's world has it. */
export function applianceWorldOf(
  part: AppliancePart,
  {
    nowMs,
    machineAt,
    report,
  }: {
    readonly nowMs: number;
    readonly machineAt: (key: string) => ApplianceMachine | undefined;
    readonly report: Report;
  },
): ApplianceWorld {
  const { durations_ms: durations, rules, users, vm = defaultVm, health } = part;
  const machine = machineAt(vm);
  if (machine === undefined && part.vm !== undefined) {
    report(["appliance", "vm"], `the manager has no VM ${JSON.stringify(vm)}`);
  }
  return {
    durations,
    rules,
    users,
    vm: machine === undefined ? null : vm,
    health,
    partitions: partitionsOf(rules, machine, nowMs),
    resizes: [],
    nextNumber: 1,
  };
}

/** All partitions fill their disks at the start. */
function partitionsOf(
  rules: ApplianceRules,
  machine: ApplianceMachine | undefined,
  nowMs: number,
): readonly AppliancePartition[] {
  return applianceDisks(rules.release).flatMap(({ number, partition }) => {
    const disk = machine?.disks.find((each) => each.number === number);
    if (disk === undefined) return [];
    const kb = usableKb(disk.sizeKb);
    const usedKb = Math.floor(kb * 0.3);
    return [{ name: partition, disk: number, sizes: [{ fromMs: nowMs, kb }], usedKb }];
  });
}
