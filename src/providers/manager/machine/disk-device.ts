/**
 * Virtual disks among the devices of a VM, and the change of one. A changed device is sent back as
 * it was read, every element of it in its place, with another size (wire facts D.4, D.6).
 */

import { type XmlElement } from "../../../lib/xml/xml.ts";
import { parseXml, XmlError } from "../../../lib/xml/xml-reader.ts";
import { writeXml } from "../../../lib/xml/xml-writer.ts";
import { refusal } from "../../kit/refusal.ts";
import { childIn, instanceNamespace, listIn, refOf, textIn, typeOf } from "../client/element.ts";
import { datastoreOfPath } from "../client/moref.ts";

/** `unknown` is a value of its own: the server leaves open how the disk was made. */
export type DiskFormat = "thin" | "zeroedthick" | "eagerzeroedthick" | "sesparse" | "unknown";

export type Disk = {
  /** Key of the device within its VM, such as `2000`. */
  readonly id: string;
  /** Such as `Hard disk 1`. */
  readonly label: string;
  /** Undefined where the server does not tell it. */
  readonly uuid: string | undefined;
  readonly capacityBytes: bigint;
  readonly format: DiskFormat;
  readonly fileName: string | undefined;
  readonly datastore: string | undefined;
  readonly datastoreId: string | undefined;
  readonly diskMode: string | undefined;
  /** It holds only what differs from a parent: the delta of a linked clone, or of a snapshot. */
  readonly isDelta: boolean;
  /** What children of this disk would be, or a delta is itself; undefined where it is not told. */
  readonly deltaFormat: string | undefined;
  /** The whole device, as it is sent back. */
  readonly device: string;
};

const sparseBacking = "VirtualDiskSeSparseBackingInfo";
const flatBacking = "VirtualDiskFlatVer2BackingInfo";
export const sparseFormat = "seSparseFormat";
export const defaultDeltaFormat = "redoLogFormat";

/** Of `config.hardware.device`. Throws `RemoteError` of kind protocol for a disk without a size. */
export function readDisks(devices: XmlElement | undefined): readonly Disk[] {
  return listIn(devices, "VirtualDevice").flatMap((device) => readDisk(device) ?? []);
}

function readDisk(device: XmlElement): Disk | undefined {
  if (typeOf(device) !== "VirtualDisk") return undefined;
  const id = textIn(device, "key") ?? "";
  const backing = childIn(device, "backing");
  const fileName = textIn(backing, "fileName");
  return {
    id,
    label: textIn(childIn(device, "deviceInfo"), "label") ?? "",
    uuid: textIn(backing, "uuid")?.toLowerCase(),
    capacityBytes: capacityOf(device),
    format: formatOf(backing),
    fileName,
    datastore: datastoreOfPath(fileName),
    datastoreId: refOf(childIn(backing, "datastore"))?.id,
    diskMode: textIn(backing, "diskMode"),
    isDelta: childIn(backing, "parent") !== undefined,
    deltaFormat:
      textIn(backing, "deltaDiskFormat") ??
      (typeOf(backing) === sparseBacking ? sparseFormat : undefined),
    device: writeXml(sendable(device), { [instanceNamespace]: "xsi" }),
  };
}

/** Bytes are exact where the server tells them, which it does since its version 5.5. */
function capacityOf(device: XmlElement): bigint {
  const bytes = textIn(device, "capacityInBytes") ?? "";
  if (/^\d+$/.test(bytes)) return BigInt(bytes);
  const kb = textIn(device, "capacityInKB") ?? "";
  if (/^\d+$/.test(kb)) return BigInt(kb) * 1024n;
  throw refusal(
    "protocol",
    `the host manager does not tell the size of disk ${textIn(device, "key") ?? ""}`,
  );
}

function formatOf(backing: XmlElement | undefined): DiskFormat {
  if (typeOf(backing) === sparseBacking) return "sesparse";
  if (typeOf(backing) !== flatBacking) return "unknown";
  if (textIn(backing, "thinProvisioned") === "true") return "thin";
  switch (textIn(backing, "eagerlyScrub")) {
    case "true":
      return "eagerzeroedthick";
    case "false":
      return "zeroedthick";
    default:
      return "unknown";
  }
}

/** Size of a device, kilobytes; undefined for a text that is no device. */
export function deviceKilobytes(device: string): bigint | undefined {
  const kb = textIn(parseDevice(device), "capacityInKB") ?? "";
  return /^\d+$/.test(kb) ? BigInt(kb) : undefined;
}

/** The device of a disk with another size; undefined for a text that is no device. */
export function resizedDevice(device: string, capacityKb: bigint): XmlElement | undefined {
  const root = parseDevice(device);
  if (root === undefined || deviceKilobytes(device) === undefined) return undefined;
  return {
    ...root,
    children: root.children.map((child) => {
      if (typeof child === "string") return child;
      if (child.local === "capacityInKB") return { ...child, children: [`${capacityKb}`] };
      if (child.local !== "capacityInBytes") return child;
      return { ...child, children: [`${capacityKb * 1024n}`] };
    }),
  };
}

function parseDevice(device: string): XmlElement | undefined {
  try {
    const root = parseXml(device);
    return typeOf(root) === "VirtualDisk" ? root : undefined;
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

/** Types of XML Schema, whose prefix has to be kept; all others are the service's own. */
const schemaTypes =
  /^(anyType|anyURI|base64Binary|boolean|byte|dateTime|double|float|int|long|short|string)$/;

/** Prefixes in values are lost when XML is read: the names of types get the ones we declare. */
export function sendable(element: XmlElement, isRoot = true): XmlElement {
  const hasElements = element.children.some((child) => typeof child !== "string");
  return {
    ...element,
    local: isRoot ? "device" : element.local,
    attributes: element.attributes.map((attribute) => {
      if (attribute.namespace !== instanceNamespace || attribute.local !== "type") return attribute;
      const [name = "", prefix] = attribute.value.split(":").toReversed();
      const isSchema = prefix !== undefined && schemaTypes.test(name);
      return { ...attribute, value: isSchema ? `xsd:${name}` : name };
    }),
    children: element.children
      .filter((child) => typeof child !== "string" || !hasElements)
      .map((child) => (typeof child === "string" ? child : sendable(child, false))),
  };
}
