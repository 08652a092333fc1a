/** A VM as its properties show it: which are asked for, and what they say (wire facts D.4). */

import { textOf, type XmlElement } from "../../../lib/xml/xml.ts";
import type { PowerState } from "../../../model/operation/power.ts";
import type { ManagedObject, ManagedRef, SoapFault } from "../client/client.ts";
import { booleanIn, listIn, refOf, refsIn, textIn } from "../client/element.ts";
import { plainName } from "../client/moref.ts";
import { type ParentDisk } from "./change-facts.ts";
import { type Disk, readDisks } from "./disk-device.ts";
import { powerOf } from "./power.ts";

const namePath = "name";
const nestedPath = "config.nestedHVEnabled";
const hardwarePath = "config.version";
const toolsRunningPath = "guest.toolsRunningStatus";
const toolsStatusPath = "guest.toolsStatus";
export const devicesPath = "config.hardware.device";
export const snapshotPath = "snapshot";
export const recentTaskPath = "recentTask";

export const uuidPath = "config.instanceUuid";

/** What every read of a VM asks for. */
export const vmPaths: readonly string[] = [
  namePath,
  "parent",
  uuidPath,
  "config.uuid",
  "config.template",
  hardwarePath,
  nestedPath,
  "config.files.vmPathName",
  "datastore",
  "runtime.powerState",
  "runtime.connectionState",
  "runtime.host",
  toolsRunningPath,
  toolsStatusPath,
];

export type VmProperties = {
  readonly id: string;
  readonly name: string;
  readonly instanceUuid: string | undefined;
  /** Of the BIOS, which copies of a VM may share. */
  readonly biosUuid: string | undefined;
  readonly isTemplate: boolean;
  /** The folder that holds it; undefined in a vApp. */
  readonly parent: ManagedRef | undefined;
  readonly host: string | undefined;
  /** Why what the server shows of the VM is not what it is; undefined while it is in touch. */
  readonly lost: string | undefined;
  readonly power: PowerState | undefined;
  /** The server's own word for it. */
  readonly powerWord: string;
  /**
   * Of the guest. `absent`: none are installed, or they have never run; undefined: they may come.
   */
  readonly tools: "running" | "absent" | undefined;
  readonly hardwareVersion: number | undefined;
  /** Undefined where it is not told; a flag that was never set is false. */
  readonly nested: boolean | undefined;
  /** The server is older than the flag. */
  readonly nestedUnknown: boolean;
  /** `[datastore] folder/name.vmx`. */
  readonly homePath: string | undefined;
  /** Ids of all datastores that it uses. */
  readonly datastores: readonly string[];
  /** Undefined where the devices were not asked for, or are not shown. */
  readonly disks: readonly Disk[] | undefined;
  /** Names of its snapshots; undefined where they were not asked for. */
  readonly snapshots: readonly string[];
  readonly recentTasks: readonly string[];
  /** By path: what may not be read. */
  readonly refused: ReadonlyMap<string, SoapFault>;
};

/** Throws `RemoteError` of kind protocol for a disk without a size. */
export function readVmProperties(object: ManagedObject): VmProperties {
  const { ref, values, refused, unknown } = object;
  const text = (path: string): string | undefined => textAt(values.get(path));
  const hardwareVersion = hardwareOf(text(hardwarePath));
  const connection = text("runtime.connectionState") ?? "connected";
  const devices = values.get(devicesPath);
  // Without any configuration shown, a flag that is not there was not left unset.
  const isShown = hardwareVersion !== undefined && !refused.has(nestedPath);
  const nestedUnknown = unknown.has(nestedPath);
  return {
    id: ref.id,
    name: plainName(text(namePath) ?? ""),
    instanceUuid: text(uuidPath)?.toLowerCase(),
    biosUuid: text("config.uuid")?.toLowerCase(),
    isTemplate: booleanIn(values.get("config.template")) ?? false,
    parent: refOf(values.get("parent")),
    host: refOf(values.get("runtime.host"))?.id,
    lost: connection === "connected" ? undefined : connection,
    power: powerOf(text("runtime.powerState")),
    powerWord: text("runtime.powerState") ?? "",
    tools: toolsOf(text(toolsRunningPath), text(toolsStatusPath)),
    hardwareVersion,
    nested: booleanIn(values.get(nestedPath)) ?? (isShown && !nestedUnknown ? false : undefined),
    nestedUnknown,
    homePath: text("config.files.vmPathName"),
    datastores: refsIn(values.get("datastore")),
    disks: devices === undefined ? undefined : readDisks(devices),
    snapshots: snapshotNames(values.get(snapshotPath)),
    recentTasks: refsIn(values.get(recentTaskPath)),
    refused,
  };
}

/** Its disks as parents of new ones; none where they are not shown. */
export function parentDisks({ disks = [] }: Pick<VmProperties, "disks">): readonly ParentDisk[] {
  return disks.map(
    ({ id, fileName = "", diskMode = "persistent", datastoreId = "", isDelta }): ParentDisk => ({
      disk_id: id,
      file_name: fileName,
      disk_mode: diskMode,
      datastore_moref: datastoreId,
      is_delta: isDelta,
    }),
  );
}

/** Whether they run, one property tells; whether there are any, only the other. */
function toolsOf(running: string | undefined, status: string | undefined): VmProperties["tools"] {
  if (running === "guestToolsRunning") return "running";
  return status === "toolsNotInstalled" ? "absent" : undefined;
}

/** Of `vmx-09`. */
function hardwareOf(text: string | undefined): number | undefined {
  const digits = /^vmx-(\d{1,3})$/i.exec(text ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function snapshotNames(value: XmlElement | undefined): readonly string[] {
  const names = (tree: XmlElement): readonly string[] => [
    textIn(tree, "name") ?? "",
    ...listIn(tree, "childSnapshotList").flatMap(names),
  ];
  return listIn(value, "rootSnapshotList").flatMap(names);
}

export function textAt(value: XmlElement | undefined): string | undefined {
  const text = value === undefined ? "" : textOf(value).trim();
  return text === "" ? undefined : text;
}
