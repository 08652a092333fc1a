/**
 * Mutating requests by verb: the one place that previewing and sending share. Elements stand in the
 * order of the service's description (wire facts D.3, D.4).
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { RequestPreview } from "../../../model/operation/operation.ts";
import {
  memberOf,
  type PlannedAttributes,
  type PlannedValue,
  unknown,
} from "../../../model/value/value.ts";
import { node, refNode, textNode } from "../client/element.ts";
import { vmRef } from "../client/moref.ts";
import { envelopeOf } from "../client/soap.ts";
import { resizedDevice, sparseFormat } from "./disk-device.ts";

type Method = {
  readonly name: string;
  /** What the task of it is called; absent for a call that is done when it answers. */
  readonly task?: RegExp;
  /** Undefined while a value it is made of is not known. */
  readonly args?: (inputs: PlannedAttributes) => readonly XmlElement[] | undefined;
};

/** Servers name a task by its method, with or without what stands behind the verb. */
const methods: { readonly [verb: string]: Method } = {
  "power-on": { name: "PowerOnVM_Task", task: /^powerOn/i },
  "power-off": { name: "PowerOffVM_Task", task: /^powerOff/i },
  shutdown: { name: "ShutdownGuest" },
  suspend: { name: "SuspendVM_Task", task: /^suspend/i },
  reset: { name: "ResetVM_Task", task: /^reset/i },
  nested: { name: "ReconfigVM_Task", task: /^reconfig/i, args: nestedArguments },
  grow: { name: "ReconfigVM_Task", task: /^reconfig/i, args: growArguments },
  relocate: { name: "RelocateVM_Task", task: /^(relocate|migrate)/i, args: relocateArguments },
  "add-deltas": { name: "RelocateVM_Task", task: /^(relocate|migrate)/i, args: deltaArguments },
};

export function methodOf(verb: string): Method | undefined {
  return Object.hasOwn(methods, verb) ? methods[verb] : undefined;
}

/** The request of a verb on a VM; undefined for verbs that have none. */
export function wireRequest(
  verb: string,
  vm: string,
  inputs: PlannedAttributes,
): RequestPreview | undefined {
  const method = methodOf(verb);
  if (method === undefined) return undefined;
  const args = method.args === undefined ? [] : method.args(inputs);
  return {
    method: "POST",
    path: "/sdk",
    contentType: "text/xml",
    body: args === undefined ? unknown : envelopeOf(method.name, vmRef(vm), args),
  };
}

function nestedArguments({ nested_hv_enabled: wanted }: PlannedAttributes): XmlElement[] {
  return [node("spec", [textNode("nestedHVEnabled", wanted === true)])];
}

/** `size_gb` is `{ gb, device }`, the device being the text of it as it was read. */
function growArguments({ size_gb: size }: PlannedAttributes): readonly XmlElement[] | undefined {
  const gb = memberOf(size, "gb");
  const device = memberOf(size, "device");
  if (typeof gb !== "number" || typeof device !== "string") return undefined;
  const resized = resizedDevice(device, kilobytesOf(gb));
  if (resized === undefined) return undefined;
  const change = node("deviceChange", [textNode("operation", "edit"), resized]);
  return [node("spec", [change])];
}

/** Whole kilobytes, never less than was asked for. */
export function kilobytesOf(gb: number): bigint {
  return BigInt(Math.ceil(gb * 1024 ** 2));
}

/** A disk as it is, which is to become the parent of a new one. */
export type ParentDisk = {
  readonly disk_id: string;
  readonly file_name: string;
  readonly disk_mode: string;
  readonly datastore_moref: string;
  readonly is_delta: boolean;
};

/** `datastore` is `{ name, moref }`: all files of the VM go there, those below its disks too. */
function relocateArguments({ datastore }: PlannedAttributes): readonly XmlElement[] | undefined {
  const moref = memberOf(datastore, "moref");
  return typeof moref === "string" ? [node("spec", [datastoreNode(moref)])] : undefined;
}

/**
 * `delta_disk_format` is `{ format, disks }`: each disk gets a child of the format, beside its
 * present file. No file is moved, so nothing else must be asked for with it.
 */
function deltaArguments(inputs: PlannedAttributes): readonly XmlElement[] | undefined {
  const { datastore, delta_disk_format: delta } = inputs;
  const moref = memberOf(datastore, "moref");
  const format = memberOf(delta, "format");
  const disks = memberOf(delta, "disks");
  if (typeof moref !== "string" || typeof format !== "string" || !Array.isArray(disks)) {
    return undefined;
  }
  const located: readonly PlannedValue[] = disks;
  return [
    node("spec", [
      datastoreNode(moref),
      textNode("diskMoveType", "createNewChildDiskBacking"),
      ...located.map((disk) => locator(disk, format)),
    ]),
  ];
}

function locator(disk: PlannedValue, format: string): XmlElement {
  const text = (name: string): string => {
    const value = memberOf(disk, name);
    return typeof value === "string" ? value : "";
  };
  const backing = [
    textNode("fileName", text("file_name")),
    textNode("diskMode", text("disk_mode")),
    textNode("deltaDiskFormat", format),
    // Kilobytes; the server's own default, valid for this format alone.
    ...(format === sparseFormat ? [textNode("deltaGrainSize", 4)] : []),
  ];
  return node("disk", [
    textNode("diskId", text("disk_id")),
    datastoreNode(text("datastore_moref")),
    node("diskBackingInfo", backing, "VirtualDiskFlatVer2BackingInfo"),
  ]);
}

function datastoreNode(moref: string): XmlElement {
  return refNode("datastore", { type: "Datastore", id: moref });
}
