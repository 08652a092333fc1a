/**
 * Facts about a VM or a disk that is to change: how they are written, and how pure code reads
 * them.
 */

import type { Attributes } from "../../../model/value/value.ts";
import { mapsIn, numberIn, textIn, textsIn } from "../../kit/narrow.ts";
import type { ParentDisk } from "./wire-request.ts";

export type ChangeFacts = {
  readonly apiVersion: string;
  /** Tasks of the VM that have not ended, as people are told of them. */
  readonly tasks: readonly string[];
  readonly powerState: string | undefined;
  readonly hardwareVersion: number | undefined;
  readonly host: string | undefined;
  /** Whether the host can nest; undefined where it does not tell. */
  readonly hostNested: boolean | undefined;
  readonly datastoreMoref: string | undefined;
  readonly disks: readonly ParentDisk[];
  /** Names. */
  readonly snapshots: readonly string[];
  /** Text of the device of the disk that changes. */
  readonly device: string | undefined;
  /** It is a delta, of a linked clone or of a snapshot. */
  readonly isDelta: boolean;
};

export function writeFacts(facts: ChangeFacts): Attributes {
  return {
    api_version: facts.apiVersion,
    tasks: facts.tasks,
    power_state: facts.powerState ?? null,
    hardware_version: facts.hardwareVersion ?? null,
    host: facts.host ?? null,
    host_nested: facts.hostNested ?? null,
    datastore_moref: facts.datastoreMoref ?? null,
    disks: facts.disks.map((disk) => ({ ...disk })),
    snapshots: facts.snapshots,
    device: facts.device ?? null,
    is_delta: facts.isDelta,
  };
}

/** Facts may come from a saved plan: what is not as it should be counts as absent. */
export function readFacts(facts: Attributes): ChangeFacts {
  const { host_nested: nested } = facts;
  return {
    apiVersion: textIn(facts, "api_version") ?? "",
    tasks: textsIn(facts, "tasks"),
    powerState: textIn(facts, "power_state"),
    hardwareVersion: numberIn(facts, "hardware_version"),
    host: textIn(facts, "host"),
    hostNested: typeof nested === "boolean" ? nested : undefined,
    datastoreMoref: textIn(facts, "datastore_moref"),
    disks: mapsIn(facts.disks).map((disk) => ({
      disk_id: textIn(disk, "disk_id") ?? "",
      file_name: textIn(disk, "file_name") ?? "",
      disk_mode: textIn(disk, "disk_mode") ?? "",
      datastore_moref: textIn(disk, "datastore_moref") ?? "",
      is_delta: disk.is_delta === true,
    })),
    snapshots: textsIn(facts, "snapshots"),
    device: textIn(facts, "device"),
    isDelta: facts.is_delta === true,
  };
}
