/** The `daemon` part of a world file: settings and the VMs that are there at the start. */

import type { Cursor } from "../decode.ts";
import { isAbsent, readChoice, readEntries, readFlag, readMembers, readText } from "../decode.ts";
import type { DaemonWorld } from "./daemon-state.ts";
import type { DurationsDocument, RulesDocument } from "./settings.ts";
import { readDurations, readRules } from "./settings.ts";
import type { PowerState, SharedFolder, VirtualMachine } from "./virtual-machine.ts";
import { newVirtualMachine, powerStates, withPower } from "./virtual-machine.ts";

export type FolderDocument = { readonly host_path: string; readonly writable?: boolean };

export type VmDocument = {
  /** The id by default. */
  readonly name?: string;
  readonly tag?: string;
  /** Off by default; a VM that is on has booted. */
  readonly power?: PowerState;
  /** Guest tools are installed; true by default. */
  readonly tools?: boolean;
  /** Made of the seed and the id by default. */
  readonly address?: string;
  /** Folder sharing is enabled; false by default. */
  readonly sharing?: boolean;
  /** By guest path. */
  readonly folders?: { readonly [guestPath: string]: FolderDocument };
};

export type DaemonDocument = {
  readonly durations_ms?: DurationsDocument;
  readonly rules?: RulesDocument;
  /** By id. */
  readonly vms?: { readonly [id: string]: VmDocument };
};

export function readDaemonDocument(cursor: Cursor, seed: number): DaemonWorld {
  const member = readMembers(cursor, ["durations_ms", "rules", "vms"]);
  return {
    durations: readDurations(member("durations_ms")),
    rules: readRules(member("rules")),
    vms: readEntries(member("vms")).map(([id, vm]) => {
      if (id === "" || id === "." || id === ".." || id.includes("/")) {
        vm.report(vm.path, "an id is a name without slashes");
      }
      return readVm(vm, id, seed, vmNames);
    }),
    operations: [],
    nextOperation: 1,
  };
}

export const vmNames: readonly string[] = [
  "name",
  "tag",
  "power",
  "tools",
  "address",
  "sharing",
  "folders",
];

/** `known` are the names that may stand beside a VM's own. An absent or null VM has defaults. */
export function readVm(
  cursor: Cursor,
  id: string,
  seed: number,
  known: readonly string[],
): VirtualMachine {
  const member = readMembers(cursor.value === null ? { ...cursor, value: {} } : cursor, known);
  const made = newVirtualMachine(
    {
      id,
      name: readText(member("name"), id),
      tag: readText(member("tag"), ""),
      toolsInstalled: readFlag(member("tools"), true),
    },
    seed,
  );
  return withPower(
    {
      ...made,
      address: readText(member("address"), made.address),
      sharing: readFlag(member("sharing"), false),
      folders: readFolders(member("folders")),
    },
    readChoice(member("power"), powerStates, "off"),
  );
}

function readFolders(cursor: Cursor): readonly SharedFolder[] {
  if (isAbsent(cursor)) return [];
  return readEntries(cursor).map(([guestPath, folder]) => {
    if (guestPath === "" || guestPath.includes("/")) {
      folder.report(folder.path, "a guest path is a name without slashes");
    }
    return readFolder(folder, guestPath, ["host_path", "writable"]);
  });
}

export function readFolder(
  cursor: Cursor,
  guestPath: string,
  known: readonly string[],
): SharedFolder {
  const member = readMembers(cursor, known);
  return {
    guestPath,
    hostPath: readText(member("host_path")),
    flags: readFlag(member("writable"), true) ? 4 : 0,
  };
}
