/** A VM as its own resource shows it (wire facts A.3.1): what no query answers. */

import { attributeOf, childrenOf, textOf, type XmlElement } from "../../../lib/xml/xml.ts";
import { booleanOf } from "../../kit/narrow.ts";
import { refusal } from "../../kit/refusal.ts";
import type { CloudClient } from "../client/client.ts";
import { apiPathOf } from "../client/href.ts";
import { instantOf } from "../client/instant.ts";
import { type ObservedPower, powerOf, statusWord } from "./power.ts";
import { type CloudTask, readTask } from "./task.ts";
import { verbsOfLink } from "./wire-request.ts";

export type VmSnapshot = {
  /** Instant of its creation in UTC, `2014-05-22T14:39:26.913Z`. */
  readonly createdAt: string;
  readonly poweredOn: boolean;
  readonly sizeBytes: number | bigint;
};

export type VmDisk = {
  /** Megabytes. */
  readonly capacityMb: number;
  /** It is attached, an object of its own: there are no snapshots then (wire facts A.4). */
  readonly isIndependent: boolean;
};

export type VmDocument = {
  readonly name: string;
  /** A number as text (wire facts A.3.2). */
  readonly status: string;
  readonly isDeployed: boolean | undefined;
  /** Absent before API 5.1, and while the VM is being made. */
  readonly nested: boolean | undefined;
  readonly hardwareVersion: number | undefined;
  /** Path of the vApp. */
  readonly vapp: string | undefined;
  /** Path of the host manager; shown to system administrators alone. */
  readonly vc: string | undefined;
  readonly moref: string | undefined;
  /** Verbs whose links it offers now. */
  readonly links: readonly string[];
  /** It shows links at all: one without a link then does not offer the action. */
  readonly showsLinks: boolean;
  readonly disks: readonly VmDisk[];
  /** Queued, running and recently ended ones. */
  readonly tasks: readonly CloudTask[];
  /** Null: it has none. Undefined: it does not say, as in API 1.5. */
  readonly snapshot: VmSnapshot | null | undefined;
};

export async function readVm(client: CloudClient, path: string): Promise<VmDocument> {
  const { root } = await client.get(path, { root: "Vm" });
  return decodeVm(root);
}

/** Throws `RemoteError` of kind protocol for a snapshot that says not when it was made. */
export function decodeVm(root: XmlElement): VmDocument {
  const links = linkPaths(root);
  const extension = descend(root, "VCloudExtension");
  const manager = find(extension, "VmVimObjectRef");
  return {
    name: attributeOf(root, "name") ?? "",
    status: attributeOf(root, "status") ?? "",
    isDeployed: booleanOf(attributeOf(root, "deployed")),
    nested: booleanOf(attributeOf(root, "nestedHypervisorEnabled")),
    hardwareVersion: hardwareOf(root),
    vapp: links.find(({ rel, path }) => isVapp(rel, path))?.path,
    vc: apiPathOf(hrefIn(find(manager, "VimServerRef"))),
    moref: textIn(find(manager, "MoRef")),
    links: links.flatMap(({ path }) => verbsOfLink(path)),
    showsLinks: links.length > 0,
    disks: disksOf(root),
    tasks: tasksOf(root),
    snapshot: snapshotOf(root),
  };
}

/** Tasks that an object lists as its own. */
export function tasksOf(root: XmlElement): readonly CloudTask[] {
  return childrenOf(root, root.namespace, "Tasks").flatMap((list) =>
    childrenOf(list, root.namespace, "Task").map((task) => readTask(task)),
  );
}

export function runningTasks(vm: { readonly tasks: readonly CloudTask[] }): readonly CloudTask[] {
  return vm.tasks.filter((task) => !task.hasEnded);
}

/** Undefined for a status that says nothing of power. */
export function powerOfVm(vm: VmDocument): ObservedPower | undefined {
  const running = runningTasks(vm).map((task) => task.operation);
  const power = powerOf(vm.status, vm.isDeployed, running);
  return power === "deployment" ? undefined : power;
}

/** Why the power of a VM is not known. */
export function unknownPower(name: string, status: string): string {
  if (statusWord(status) === "POWERED_OFF") {
    return `the cloud does not tell whether VM ${name}, which is off, is deployed`;
  }
  const word = status.trim() === "" ? "no status" : `the status ${statusWord(status)}`;
  return `VM ${name} has ${word}, which says nothing of its power`;
}

/** Of `9`, or `vmx-09`; a list names the newest last. */
export function hardwareVersionOf(text: string | undefined): number | undefined {
  const last = /^(?:.*vmx-)?(\d{1,3})$/is.exec(text?.trim() ?? "")?.[1];
  return last === undefined ? undefined : Number(last);
}

type LinkPath = { readonly rel: string; readonly path: string };

function linkPaths(root: XmlElement): readonly LinkPath[] {
  return childrenOf(root, root.namespace, "Link").flatMap((link) => {
    const path = apiPathOf(attributeOf(link, "href") ?? "");
    return path === undefined ? [] : [{ rel: attributeOf(link, "rel") ?? "", path }];
  });
}

function isVapp(rel: string, path: string): boolean {
  return rel === "up" && path.startsWith("/api/vApp/vapp-");
}

/** In a namespace of its own, whose URI is not ours to know: found by name below its section. */
function hardwareOf(root: XmlElement): number | undefined {
  const system = find(descend(root, "VirtualHardwareSection"), "VirtualSystemType");
  return hardwareVersionOf(textIn(system));
}

/**
 * Of the `HostResource` of each disk, whose attributes stand in the API's namespace, as in replies
 * that libcloud and go-vcloud-director decode; `disk` is the href of an independent one.
 */
function disksOf(root: XmlElement): readonly VmDisk[] {
  return allNamed(descend(root, "VirtualHardwareSection"), "HostResource").flatMap((element) => {
    const own = (local: string): string | undefined =>
      attributeOf(element, local, root.namespace) ?? attributeOf(element, local);
    const capacity = own("capacity")?.trim() ?? "";
    if (!/^\d{1,12}$/.test(capacity)) return [];
    return [{ capacityMb: Number(capacity), isIndependent: own("disk") !== undefined }];
  });
}

function allNamed(element: XmlElement | undefined, local: string): readonly XmlElement[] {
  const below = (element?.children ?? []).filter((child) => typeof child !== "string");
  return below.flatMap((child) => (child.local === local ? [child] : allNamed(child, local)));
}

function snapshotOf(root: XmlElement): VmSnapshot | null | undefined {
  const [section] = childrenOf(root, root.namespace, "SnapshotSection");
  if (section === undefined) return undefined;
  const [snapshot] = childrenOf(section, root.namespace, "Snapshot");
  if (snapshot === undefined) return null;
  const createdMs = instantOf(attributeOf(snapshot, "created"));
  if (createdMs === undefined) {
    throw refusal("protocol", "the cloud shows a snapshot and not when it was made");
  }
  const size = attributeOf(snapshot, "size")?.trim() ?? "";
  const bytes = /^\d+$/.test(size) ? BigInt(size) : 0n;
  return {
    createdAt: new Date(createdMs).toISOString(),
    poweredOn: booleanOf(attributeOf(snapshot, "poweredOn")) ?? false,
    sizeBytes: bytes <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bytes) : bytes,
  };
}

function descend(root: XmlElement, local: string): XmlElement | undefined {
  return root.children.find(
    (child): child is XmlElement => typeof child !== "string" && child.local === local,
  );
}

/** First element with this local name below another, whatever its namespace. */
function find(element: XmlElement | undefined, local: string): XmlElement | undefined {
  const below = element?.children ?? [];
  for (const child of below) {
    if (typeof child === "string") continue;
    const found = child.local === local ? child : find(child, local);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hrefIn(element: XmlElement | undefined): string {
  return element === undefined ? "" : (attributeOf(element, "href") ?? "");
}

function textIn(element: XmlElement | undefined): string | undefined {
  const text = element === undefined ? "" : textOf(element).trim();
  return text === "" ? undefined : text;
}
