/** What tasks do to the world at their ends. */

import type { ManagerDurations, ManagerRules } from "../../kit/generated/documents.ts";
import { faultOf, type ManagerFault, objectNotFound } from "../soap/fault.ts";
import { type DataObject, refTo } from "../soap/soap-value.ts";
import {
  freeKb,
  hasTools,
  isSparse,
  type ManagerDatastore,
  type ManagerDisk,
  type ManagerVm,
  spaceOf,
  withPower,
} from "./inventory.ts";
import type { DiskMove, ManagerEffect, ManagerTask } from "./task.ts";

/** What effects look at and change. */
export type EffectState = {
  readonly durations: ManagerDurations;
  readonly rules: ManagerRules;
  readonly datastores: ReadonlyMap<string, ManagerDatastore>;
  readonly vms: Map<string, ManagerVm>;
};

export type EffectOutcome =
  | { readonly fault: ManagerFault }
  | { readonly result: DataObject | null };

const done: EffectOutcome = { result: null };

/** Applies a task's effect; a fault where the world has changed so that it cannot take place. */
export function applyEffect(
  state: EffectState,
  { vmId, effect, endMs }: Pick<ManagerTask, "vmId" | "effect" | "endMs">,
): EffectOutcome {
  const vm = state.vms.get(vmId);
  if (vm === undefined) return { fault: objectNotFound(refTo("VirtualMachine", vmId)) };
  const { tools } = state.durations;
  switch (effect.kind) {
    case "power":
      state.vms.set(vmId, withPower(vm, effect.power, endMs, tools));
      return done;
    case "reset":
      // The guest boots anew.
      state.vms.set(vmId, withPower({ ...vm, power: "poweredOff" }, "poweredOn", endMs, tools));
      return done;
    case "reconfigure":
      return reconfigure(state, vm, effect, endMs);
    case "relocate":
      return relocate(state, vm, effect, endMs);
    case "wipe":
      return wipe(state, vm, endMs);
    case "shrink":
      return shrink(state, vm, effect.keys);
    case "none":
      return done;
  }
}

type EffectOf<K extends ManagerEffect["kind"]> = Extract<ManagerEffect, { readonly kind: K }>;

function reconfigure(
  state: EffectState,
  vm: ManagerVm,
  effect: EffectOf<"reconfigure">,
  endMs: number,
): EffectOutcome {
  const disks = vm.disks.map((disk) => {
    const kb = effect.capacities.find((each) => each.key === disk.key)?.kb ?? disk.capacityKb;
    const isThin = disk.format === "thin" || isSparse(disk);
    return {
      ...disk,
      capacityKb: kb,
      allocatedKb: isThin ? disk.allocatedKb : disk.allocatedKb + kb - disk.capacityKb,
    };
  });
  const full = lackOfSpace(state, vm.disks, disks);
  if (full !== undefined) return { fault: full };
  state.vms.set(vm.id, {
    ...vm,
    name: effect.name ?? vm.name,
    annotation: effect.annotation ?? vm.annotation,
    nested: effect.nested ?? vm.nested,
    disks,
    changes: vm.changes + 1,
    changedMs: endMs,
  });
  return done;
}

function relocate(
  state: EffectState,
  vm: ManagerVm,
  effect: EffectOf<"relocate">,
  endMs: number,
): EffectOutcome {
  const { relocate: rule } = state.rules;
  if (rule === "ignored") return done;
  const disks = vm.disks.map((disk) => {
    const move = effect.disks.find((each) => each.key === disk.key);
    const target = move?.datastoreId ?? effect.datastoreId;
    const datastoreId = target ?? disk.datastoreId;
    if (move?.addDelta === true && rule !== "format_ignored") {
      return deltaOn(disk, move, datastoreId);
    }
    const moved = {
      ...disk,
      datastoreId,
      // All files below go to the same place, wherever the disk itself was before.
      ...(disk.bases === undefined || target === null
        ? {}
        : { bases: disk.bases.map((base) => ({ ...base, datastoreId })) }),
    };
    return move === undefined || rule === "format_ignored" ? moved : converted(moved, move);
  });
  const full = lackOfSpace(state, vm.disks, disks);
  if (full !== undefined) return { fault: full };
  state.vms.set(vm.id, {
    ...vm,
    datastoreId: effect.datastoreId ?? vm.datastoreId,
    hostId: effect.hostId ?? vm.hostId,
    folderId: effect.folderId ?? vm.folderId,
    disks,
    changes: vm.changes + 1,
    changedMs: endMs,
  });
  return done;
}

/** An empty delta, whose base is the disk as it was (reference: none of its files is moved). */
function deltaOn(disk: ManagerDisk, move: DiskMove, datastoreId: string): ManagerDisk {
  const { path, format } = disk;
  const number = Number(/-(\d{6})\.vmdk$/.exec(path)?.[1] ?? 0) + 1;
  const stem = path.replace(/(-\d{6})?\.vmdk$/, "");
  const delta = move.deltaDiskFormat ?? "redoLogFormat";
  return {
    ...disk,
    linked: true,
    bases: [{ datastoreId: disk.datastoreId, path, format }, ...(disk.bases ?? [])],
    path: `${stem}-${String(number).padStart(6, "0")}.vmdk`,
    datastoreId,
    format: delta === "seSparseFormat" ? "sesparse" : "zeroedthick",
    deltaDiskFormat: delta,
    deltaGrainSize: move.deltaGrainSize,
    allocatedKb: 0,
    staleKb: 0,
    shrinkableKb: null,
  };
}

/** Only the deltas of linked clones take another format by their delta format. */
function converted(disk: ManagerDisk, move: DiskMove): ManagerDisk {
  const linked = disk.linked && !move.unlink;
  const ofDelta =
    linked && move.deltaDiskFormat !== null
      ? move.deltaDiskFormat === "seSparseFormat"
        ? ("sesparse" as const)
        : ("zeroedthick" as const)
      : null;
  const format = ofDelta ?? move.format ?? disk.format;
  const isSame = format === disk.format;
  return {
    ...disk,
    linked,
    format,
    deltaDiskFormat: move.deltaDiskFormat ?? disk.deltaDiskFormat,
    deltaGrainSize: move.deltaGrainSize ?? disk.deltaGrainSize,
    allocatedKb:
      isSame || linked ? disk.allocatedKb : spaceOf(format, disk.capacityKb, disk.allocatedKb),
    shrinkableKb: isSame ? disk.shrinkableKb : null,
  };
}

/** The first datastore that has no room for the disks as they will be. */
function lackOfSpace(
  state: EffectState,
  before: readonly ManagerDisk[],
  after: readonly ManagerDisk[],
): ManagerFault | undefined {
  for (const datastore of state.datastores.values()) {
    const sum = (disks: readonly ManagerDisk[]): number =>
      disks
        .filter((disk) => disk.datastoreId === datastore.id)
        .reduce((total, disk) => total + disk.allocatedKb, 0);
    const more = sum(after) - sum(before);
    if (more <= 0 || more <= freeKb(state, datastore)) continue;
    const message = `Insufficient disk space on datastore '${datastore.name}'.`;
    return faultOf("NoDiskSpace", message, {
      file: `[${datastore.name}] ${after[0]?.path ?? ""}`,
      datastore: datastore.name,
    });
  }
  return undefined;
}

/** The guest marks what it does not use; the VM must be on with its tools all the time. */
function wipe(state: EffectState, vm: ManagerVm, endMs: number): EffectOutcome {
  if (!hasTools(vm, endMs)) {
    return { fault: faultOf("WipeDiskFault", "The guest's tools went away during the wipe.") };
  }
  const disks = vm.disks.map((disk) =>
    isSparse(disk) ? { ...disk, shrinkableKb: Math.min(disk.staleKb, disk.allocatedKb) } : disk,
  );
  state.vms.set(vm.id, { ...vm, disks });
  const items = disks.filter(isSparse).map((disk) => ({
    is: "VirtualMachineWipeResult",
    diskId: disk.key,
    shrinkableDiskSpace: disk.shrinkableKb ?? 0,
  }));
  return { result: { is: "ArrayOfVirtualMachineWipeResult", items } };
}

/** Gives back what the wipe has found; the next shrink needs another wipe. */
function shrink(state: EffectState, vm: ManagerVm, keys: readonly number[]): EffectOutcome {
  const disks = vm.disks.map((disk) => {
    if (!keys.includes(disk.key) || disk.shrinkableKb === null) return disk;
    // The guest may have written to some of it since.
    const kb = Math.min(disk.shrinkableKb, disk.staleKb);
    return {
      ...disk,
      allocatedKb: disk.allocatedKb - kb,
      staleKb: disk.staleKb - kb,
      reclaimedKb: disk.reclaimedKb + kb,
      shrinkableKb: null,
    };
  });
  state.vms.set(vm.id, { ...vm, disks });
  return done;
}
