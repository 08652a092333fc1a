/**
 * Facts about a VM whose space is to be reclaimed, and what stands against it: at least one disk
 * must be a sparse one (specification, section D), and the wipe works through the tools of the
 * guest (wire facts D.2). Snapshots are no hindrance that anything tells of.
 */

import type { LowerRequest, Objection } from "../../../model/provider/provider.ts";
import { nowhere } from "../../../model/said/problem.ts";
import type { Value } from "../../../model/value/value.ts";
import {
  bagOf,
  type Guarded,
  isFlag,
  isListOf,
  isNullOr,
  isRecordOf,
  isText,
} from "../../kit/schema/shape.ts";
import { problem, warning } from "../codes.ts";
import { type Disk, sparseFormat } from "../machine/disk-device.ts";
import { reclaimIn } from "../machine/names.ts";

/** The format is as of `manager_disk`; `sesparse` also for the sparse child of another format. */
const isReclaimDisk = isRecordOf({
  id: isText,
  label: isText,
  format: isText,
  datastore: isNullOr(isText),
});

export type ReclaimDisk = Guarded<typeof isReclaimDisk>;

/** Facts may come from a saved plan: what is not as it should be counts as absent. */
export const readReclaimFacts = bagOf({
  /** Name of the VM. */
  vm: [isText, ""],
  instance_uuid: [isText, null],
  /** Name of the host that runs it, or its id. */
  host: [isText, null],
  power: [isText, null],
  tools_running: [isFlag, false],
  disks: [isListOf(isReclaimDisk), []],
  /** Tasks of the VM that have not ended, as people are told of them. */
  running: [isListOf(isText), []],
});

export type ReclaimFacts = ReturnType<typeof readReclaimFacts>;

const sparse = "sesparse";

/** A disk of another kind gives nothing back, whatever is done to it. */
export function isSparse({
  format,
  isDelta,
  deltaFormat,
}: Pick<Disk, "format" | "isDelta" | "deltaFormat">): boolean {
  return format === sparse || (isDelta && deltaFormat === sparseFormat);
}

export function reclaimDisk(disk: Disk): ReclaimDisk {
  const { id, label, format, datastore } = disk;
  return { id, label, format: isSparse(disk) ? sparse : format, datastore: datastore ?? null };
}

/** The disks that a shrink works on. */
export function shrunkDisks(
  { disks }: ReclaimFacts,
  disk: Value | undefined,
): readonly ReclaimDisk[] {
  return disks.filter(({ id, format }) => format === sparse && (disk ?? id) === id);
}

export function reclaimObjections(change: LowerRequest): readonly Objection[] {
  if (change.action === "delete" || change.facts === undefined) return [];
  const facts = readReclaimFacts(change.facts);
  const wrong = diskObjection(facts, reclaimIn(change.inputs).disk_id);
  return wrong === undefined ? warnings(facts) : [wrong];
}

function diskObjection(facts: ReclaimFacts, disk: string | undefined): Objection | undefined {
  const { vm, disks } = facts;
  const found = disks
    .map(({ id, label, format }) => `${label === "" ? "disk" : label} (${id}) is ${format}`)
    .join(", ");
  const all = found === "" ? "it has no disks" : found;
  const some = shrunkDisks(facts, null).map(({ id }) => id);
  if (some.length === 0) {
    const detail = `VM ${vm} has no disk of the sparse format: ${all}. No other gives space back.`;
    const fix = "Remove the resource. Sparse disks come with a clone that is made in that format.";
    return problem(nowhere, "MGR101", { detail, fix });
  }
  if (disk === undefined || some.includes(disk)) return undefined;
  const known = disks.some(({ id }) => id === disk);
  const detail = known
    ? `Disk ${disk} of VM ${vm} gives no space back: ${all}.`
    : `VM ${vm} has no disk ${disk}: ${all}.`;
  const fix = `Set disk_id to ${some.join(" or ")}, or leave it out.`;
  return problem(nowhere, "MGR102", { detail, fix });
}

function warnings({
  vm,
  power,
  tools_running: toolsRunning,
  running,
}: ReclaimFacts): readonly Objection[] {
  const list: Objection[] = running.map((task) =>
    warning(nowhere, "MGR104", {
      detail: `Running now: ${task}. The wipe waits until it has ended.`,
    }),
  );
  if (power !== "on" || toolsRunning) return list;
  list.push(
    warning(nowhere, "MGR103", {
      detail: `VM ${vm} is on, and its tools do not run; the wipe works through them and may fail.`,
      fix: "Install or start the tools in the guest.",
    }),
  );
  return list;
}
