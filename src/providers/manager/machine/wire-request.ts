/**
 * Mutating requests by verb: the one place that previewing and sending share. Elements stand in the
 * order of the service's description (wire facts D.3, D.4).
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { RequestPreview } from "../../../model/operation/operation.ts";
import { type PlannedAttributes, unknown } from "../../../model/value/value.ts";
import { isAbsentOr, isFlag, isNumber, isRecordOf, isText } from "../../kit/schema/shape.ts";
import { node, refNode, textNode } from "../client/element.ts";
import { vmRef } from "../client/moref.ts";
import { envelopeOf } from "../client/soap.ts";
import { isParentDisks, type ParentDisk } from "./change-facts.ts";
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

/** What a disk grows to, and the text of its device as it was read. */
export const isGrowth = isRecordOf({ gb: isNumber, device: isText });

function growArguments({ size_gb: size }: PlannedAttributes): readonly XmlElement[] | undefined {
  if (!isGrowth(size)) return undefined;
  const { gb, device } = size;
  const resized = resizedDevice(device, kilobytesOf(gb));
  if (resized === undefined) return undefined;
  const change = node("deviceChange", [textNode("operation", "edit"), resized]);
  return [node("spec", [change])];
}

/** Whole kilobytes, never less than was asked for. */
export function kilobytesOf(gb: number): bigint {
  return BigInt(Math.ceil(gb * 1024 ** 2));
}

/** All files of the VM go there, those below its disks too. */
const isPlace = isRecordOf({ moref: isText });

function relocateArguments({ datastore }: PlannedAttributes): readonly XmlElement[] | undefined {
  return isPlace(datastore) ? [node("spec", [datastoreNode(datastore.moref)])] : undefined;
}

/** That the VM becomes a linked clone is agreed to; where a move comes before, disks are absent. */
export const isDeltaWork = isRecordOf({
  format: isText,
  links: isFlag,
  disks: isAbsentOr(isParentDisks),
});

/**
 * Each disk gets a child of the format, beside its present file. No file is moved, so nothing else
 * must be asked for with it.
 */
function deltaArguments(inputs: PlannedAttributes): readonly XmlElement[] | undefined {
  const { datastore, delta_disk_format: delta } = inputs;
  if (!isPlace(datastore) || !isDeltaWork(delta) || !delta.disks) return undefined;
  return [
    node("spec", [
      datastoreNode(datastore.moref),
      textNode("diskMoveType", "createNewChildDiskBacking"),
      ...delta.disks.map((disk) => locator(disk, delta.format)),
    ]),
  ];
}

function locator(disk: ParentDisk, format: string): XmlElement {
  const backing = [
    textNode("fileName", disk.file_name),
    textNode("diskMode", disk.disk_mode),
    textNode("deltaDiskFormat", format),
    // Kilobytes; the server's own default, valid for this format alone.
    ...(format === sparseFormat ? [textNode("deltaGrainSize", 4)] : []),
  ];
  return node("disk", [
    textNode("diskId", disk.disk_id),
    datastoreNode(disk.datastore_moref),
    node("diskBackingInfo", backing, "VirtualDiskFlatVer2BackingInfo"),
  ]);
}

function datastoreNode(moref: string): XmlElement {
  return refNode("datastore", { type: "Datastore", id: moref });
}
