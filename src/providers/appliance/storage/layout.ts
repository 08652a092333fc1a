/**
 * Disks of the appliance and what they hold. Partitions are named by their purpose (`core`),
 * however a release spells them; the layout of release 6.5 stands in where an appliance lists
 * nothing (specification, section C, disk layout).
 */

import { closestName } from "../../../lib/text.ts";

/** Partitions by VMDK number. A disk without any has no filesystem that could grow. */
export type Disks = ReadonlyMap<string, readonly string[]>;

export const layout65: Disks = new Map<string, readonly string[]>([
  ["1", ["root", "boot"]],
  // The package store: it has no mount point after the installation.
  ["2", []],
  ["3", ["swap"]],
  ["4", ["core"]],
  ["5", ["log"]],
  ["6", ["db"]],
  ["7", ["dblog"]],
  ["8", ["seat"]],
  ["9", ["netdump"]],
  ["10", ["autodeploy"]],
  ["11", ["imagebuilder"]],
  ["12", ["updatemgr"]],
]);

/**
 * What the same partition is called elsewhere: by monitoring of earlier releases, in the layout's
 * own words, and by people.
 */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["/", "root"],
  ["coredump", "core"],
  ["core_dumps", "core"],
  ["logs", "log"],
  ["database", "db"],
  ["database_log", "dblog"],
  ["vcdb_core_inventory", "db"],
  ["vcdb_transaction_log", "dblog"],
  ["vcdb_seat", "seat"],
  ["stats", "seat"],
  ["events", "seat"],
  ["tasks", "seat"],
  ["stats_events_and_tasks", "seat"],
  ["network_dump", "netdump"],
  ["auto_deploy", "autodeploy"],
  ["image_builder", "imagebuilder"],
  ["update_manager", "updatemgr"],
]);

const packageStore = /^package(s|_?store)$/;

/** The purpose that a name of the server stands for: `/storage/log`, `lv_root_0`, `vcdb_seat`. */
export function purposeOf(partition: string): string {
  const name = partition
    .trim()
    .toLowerCase()
    .replace(/^\/storage\//, "")
    .replace(/^lv_/, "")
    .replace(/_\d+$/, "");
  return otherNames.get(name) ?? name;
}

/** `4` of `4` and `vmdk4`; undefined for any other text. */
export function diskNumber(key: string): string | undefined {
  return /^(?:vmdk)?([1-9]\d?)$/i.exec(key)?.[1];
}

/** A key of `sizes_gb` as it is compared: a VMDK number without `vmdk`, else the name as it is. */
export function canonicalKey(key: string): string {
  return diskNumber(key) ?? key;
}

export type KeyProblem =
  /** `meant`: the name it may have been. */
  { readonly kind: "unknown"; readonly meant?: string } | { readonly kind: "no-filesystem" };

export type Located = { readonly disk: string; readonly partitions: readonly string[] };

/** The disk that a key names, and all partitions on it; they grow together. */
export function locate(key: string, disks: Disks): Located | KeyProblem {
  const number = diskNumber(key);
  if (number !== undefined) {
    const partitions = disks.get(number);
    if (partitions === undefined) {
      // A list of partitions leaves out a disk that has none.
      const isStore = layout65.get(number)?.length === 0;
      return isStore ? { kind: "no-filesystem" } : { kind: "unknown" };
    }
    return partitions.length === 0 ? { kind: "no-filesystem" } : { disk: number, partitions };
  }
  if (packageStore.test(key)) return { kind: "no-filesystem" };
  for (const [disk, partitions] of disks) {
    if (partitions.includes(key)) return { disk, partitions };
  }
  const meant = meantBy(key, [...disks.values()].flat());
  return meant === undefined ? { kind: "unknown" } : { kind: "unknown", meant };
}

/** The name out of `known` that somebody meant who wrote another. */
export function meantBy(key: string, known: readonly string[]): string | undefined {
  const words = key.toLowerCase().replaceAll(/[^a-z0-9/]+/g, "_");
  const purpose = purposeOf(words);
  return known.includes(purpose) ? purpose : closestName(key, known);
}

/** Purposes of every release that is known. */
export function knownPurposes(): readonly string[] {
  return [...new Set([...[...layout65.values()].flat(), "archive", "invsvc"])];
}

/** `1 (root, boot), 3 (swap), …`: what there is, for people. */
export function describeDisks(disks: Disks): string {
  return [...disks]
    .filter(([, partitions]) => partitions.length > 0)
    .map(([disk, partitions]) => `${disk} (${partitions.join(", ")})`)
    .join(", ");
}
