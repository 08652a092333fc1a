/**
 * Facts about a VM whose space is to be reclaimed, and what stands against it: at least one disk
 * must be a sparse one (specification, section D), and the wipe works through the tools of the
 * guest (wire facts D.2). Snapshots are no hindrance that anything tells of.
 */

import type { LowerRequest, Objection } from "../../../model/provider/provider.ts";
import { nowhere } from "../../../model/said/problem.ts";
import type { Attributes, Value } from "../../../model/value/value.ts";
import { mapsIn, textIn, textsIn } from "../../kit/narrow.ts";
import { problem, warning } from "../codes.ts";
import { type Disk, sparseFormat } from "../machine/disk-device.ts";

export type ReclaimDisk = {
  readonly id: string;
  readonly label: string;
  /** As of `manager_disk`; `sesparse` also for the sparse child of another format. */
  readonly format: string;
  readonly datastore: string | undefined;
};

export type ReclaimFacts = {
  /** Name of the VM. */
  readonly vm: string;
  readonly instanceUuid: string | undefined;
  /** Name of the host that runs it, or its id. */
  readonly host: string | undefined;
  readonly power: string | undefined;
  readonly toolsRunning: boolean;
  readonly disks: readonly ReclaimDisk[];
  /** Tasks of the VM that have not ended, as people are told of them. */
  readonly running: readonly string[];
};

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
  return { id, label, format: isSparse(disk) ? sparse : format, datastore };
}

export function writeReclaimFacts(facts: ReclaimFacts): Attributes {
  return {
    vm: facts.vm,
    instance_uuid: facts.instanceUuid ?? null,
    host: facts.host ?? null,
    power: facts.power ?? null,
    tools_running: facts.toolsRunning,
    disks: facts.disks.map(({ id, label, format, datastore = null }) => ({
      id,
      label,
      format,
      datastore,
    })),
    running: facts.running,
  };
}

/** Facts may come from a saved plan: what is not as it should be counts as absent. */
export function readReclaimFacts(facts: Attributes): ReclaimFacts {
  return {
    vm: textIn(facts, "vm") ?? "",
    instanceUuid: textIn(facts, "instance_uuid"),
    host: textIn(facts, "host"),
    power: textIn(facts, "power"),
    toolsRunning: facts.tools_running === true,
    disks: mapsIn(facts.disks).map((disk) => ({
      id: textIn(disk, "id") ?? "",
      label: textIn(disk, "label") ?? "",
      format: textIn(disk, "format") ?? "",
      datastore: textIn(disk, "datastore"),
    })),
    running: textsIn(facts, "running"),
  };
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
  const { disk_id: disk = null } = change.inputs;
  const wrong = diskObjection(facts, typeof disk === "string" ? disk : undefined);
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

function warnings({ vm, power, toolsRunning, running }: ReclaimFacts): readonly Objection[] {
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
