/**
 * What a wipe and a shrink have brought, per disk. A wipe tells what can be given back; a shrink
 * tells nothing (wire facts D.2), so the files of the disks are measured before and after it.
 */

import { textOf, type XmlElement } from "../../../lib/xml/xml.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Value } from "../../../model/value/value.ts";
import { isMap } from "../../../model/value/value.ts";
import type { ManagerClient } from "../client/client.ts";
import { childIn, listIn, textIn } from "../client/element.ts";
import { faultOf, kindOfFault } from "../client/fault.ts";
import { vmObjectType, vmRef } from "../client/moref.ts";
import { envelopeOf } from "../client/soap.ts";
import { readDisks } from "../machine/disk-device.ts";
import { devicesPath } from "../machine/vm-properties.ts";
import { isSparse } from "./reclaim-facts.ts";

/** Bytes by id of the disk. */
export type Sizes = ReadonlyMap<string, bigint>;

const layoutPath = "layoutEx";

/**
 * What the files of each sparse disk take, those it is based on included. Undefined where nobody
 * can tell: what was not brought up to date before may be hours old, and would show no difference.
 */
export async function measureDisks(client: ManagerClient, vm: string): Promise<Sizes | undefined> {
  try {
    if (!(await refresh(client, vm))) return undefined;
    const { objects } = await client.read([vmRef(vm)], {
      [vmObjectType]: [layoutPath, devicesPath],
    });
    const values = objects.get(vm)?.values;
    const layout = values?.get(layoutPath);
    if (layout === undefined) return undefined;
    const all = layoutSizes(layout);
    const sparse = readDisks(values?.get(devicesPath)).filter((disk) => isSparse(disk));
    return new Map([...all].filter(([id]) => sparse.some((disk) => disk.id === id)));
  } catch (error) {
    // It is only good to know.
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

/** Changes nothing but what the server believes, and wants no more than the right to read. */
async function refresh(client: ManagerClient, vm: string): Promise<boolean> {
  const method = "RefreshStorageInfo";
  try {
    await client.call({ method, envelope: envelopeOf(method, vmRef(vm)), class: "read" });
    return true;
  } catch (error) {
    const fault = faultOf(error);
    // A server without the method has nothing to bring up to date.
    if (fault !== undefined) return kindOfFault(fault) === "invalid";
    throw error;
  }
}

/** A disk is a chain of files, each of which is listed apart with its size. */
function layoutSizes(layout: XmlElement): Sizes {
  const files = new Map(
    listIn(layout, "file").map((file) => [textIn(file, "key") ?? "", bytesIn(file, "size")]),
  );
  const sizes = new Map<string, bigint>();
  for (const disk of listIn(layout, "disk")) {
    const id = textIn(disk, "key") ?? "";
    const keys = listIn(disk, "chain").flatMap((unit) =>
      listIn(unit, "fileKey").map((key) => textOf(key).trim()),
    );
    const parts = keys.map((key) => files.get(key));
    // A file without size makes a sum that says nothing.
    if (id === "" || parts.length === 0 || parts.includes(undefined)) continue;
    sizes.set(
      id,
      parts.reduce<bigint>((sum, part) => sum + (part ?? 0n), 0n),
    );
  }
  return sizes;
}

/**
 * What a task says of each disk, in kilobytes on the wire: the list of a wipe, whose type the
 * public description has (`VirtualMachineWipeResult`).
 */
export function toldSizes(result: XmlElement | undefined): Sizes {
  const sizes = new Map<string, bigint>();
  if (result === undefined) return sizes;
  for (const item of [result, ...result.children]) {
    if (typeof item === "string") continue;
    const id = textIn(item, "diskId") ?? "";
    const kilobytes = bytesIn(item, "shrinkableDiskSpace");
    if (/^\d+$/.test(id) && kilobytes !== undefined) sizes.set(id, kilobytes * 1024n);
  }
  return sizes;
}

function bytesIn(element: XmlElement, name: string): bigint | undefined {
  const text = textIn(element, name) ?? "";
  return childIn(element, name) !== undefined && /^\d+$/.test(text) ? BigInt(text) : undefined;
}

/** As a value: exact whatever its size. */
export function sizesValue(sizes: Sizes): { readonly [id: string]: Value } {
  return Object.fromEntries(
    [...sizes].map(([id, bytes]) => {
      const number = Number(bytes);
      return [id, Number.isSafeInteger(number) ? number : bytes];
    }),
  );
}

/** Of a value that `sizesValue` made; undefined for any other. */
export function readSizes(value: Value | undefined): Sizes | undefined {
  if (value === undefined || !isMap(value)) return undefined;
  const sizes = new Map<string, bigint>();
  for (const [id, bytes] of Object.entries(value)) {
    if (typeof bytes === "bigint") sizes.set(id, bytes);
    else if (typeof bytes === "number" && Number.isSafeInteger(bytes)) sizes.set(id, BigInt(bytes));
  }
  return sizes;
}

/** `1610612736 bytes (1.5 GB)`. */
export function bytesText(bytes: bigint): string {
  const units = ["KB", "MB", "GB", "TB"];
  let amount = Number(bytes);
  let unit = "";
  for (const next of units) {
    if (amount < 1024) break;
    amount /= 1024;
    unit = next;
  }
  return unit === "" ? `${bytes} bytes` : `${bytes} bytes (${Number(amount.toFixed(1))} ${unit})`;
}
