/** The `daemon` part of a world file: settings and the VMs that are there at the start. */

import type { Report } from "../kit/document.ts";
import type { DaemonFolderEntry, DaemonPart, DaemonVmEntry } from "../kit/generated/documents.ts";
import type { DaemonWorld } from "./daemon-state.ts";
import type { SharedFolder, VirtualMachine } from "./virtual-machine.ts";
import { newVirtualMachine, withPower } from "./virtual-machine.ts";

export function daemonWorldOf(part: DaemonPart, seed: number, report: Report): DaemonWorld {
  return {
    durations: part.durations_ms,
    rules: part.rules,
    vms: Object.entries(part.vms).map(([id, vm]) => {
      if (vm.id !== undefined) report(["daemon", "vms", id, "id"], "the key is the id");
      return virtualMachineOf(id, vm, seed);
    }),
    operations: [],
    nextOperation: 1,
  };
}

/** A VM as a world file or a change describes it. */
export function virtualMachineOf(id: string, entry: DaemonVmEntry, seed: number): VirtualMachine {
  const { name = id, tag, tools, sharing } = entry;
  const made = newVirtualMachine({ id, name, tag, toolsInstalled: tools }, seed);
  const folders = Object.entries(entry.folders).map(([path, folder]) => folderOf(path, folder));
  const address = entry.address ?? made.address;
  return withPower({ ...made, address, sharing, folders }, entry.power);
}

export function folderOf(guestPath: string, entry: DaemonFolderEntry): SharedFolder {
  return { guestPath, hostPath: entry.host_path, flags: entry.writable ? 4 : 0 };
}
