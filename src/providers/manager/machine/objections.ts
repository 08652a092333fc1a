/** What stands against a change of a VM or a disk, judged with the facts of it. Pure. */

import type { LowerRequest, Objection } from "../../../model/provider.ts";
import type { Value } from "../../../model/value.ts";
import { busyWarnings, hardwareNeeded } from "../../kit/attached-vm.ts";
import { objection } from "../../kit/objections.ts";
import { isSince } from "../client/service-content.ts";
import { type ChangeFacts, readFacts } from "./change-facts.ts";
import { sparseFormat } from "./disk-device.ts";
import { nestedSince } from "./vm-attributes.ts";

/** Differences of less than a megabyte come of rounding, GB. */
export const sizeTolerance = 1 / 1024;

export function vmObjections(change: LowerRequest): readonly Objection[] {
  if (change.action !== "update" || change.facts === undefined) return [];
  const facts = readFacts(change.facts);
  const { changed, inputs } = change;
  const nested = changed.includes("nested_hv_enabled") ? inputs.nested_hv_enabled : undefined;
  const format = changed.includes("delta_disk_format") ? inputs.delta_disk_format : undefined;
  return [
    ...(typeof nested === "boolean" ? nestedObjections(facts, nested) : []),
    ...(typeof format === "string" ? formatObjections(facts, format) : []),
    ...busyWarnings("MGR019", facts.tasks),
  ];
}

export function diskObjections(change: LowerRequest): readonly Objection[] {
  if (change.action !== "update" || change.facts === undefined) return [];
  const facts = readFacts(change.facts);
  const { size_gb: wanted } = change.inputs;
  if (!change.changed.includes("size_gb") || typeof wanted !== "number") return [];
  const shrink = shrinkObjection(wanted, change.prior.attributes.size_gb);
  return [
    ...(shrink === undefined ? growObjections(facts) : [shrink]),
    ...busyWarnings("MGR019", facts.tasks),
  ];
}

function nestedObjections(facts: ChangeFacts, wanted: boolean): readonly Objection[] {
  const { apiVersion, hardwareVersion: hardware, host = "of the VM", hostNested } = facts;
  if (!isSince(apiVersion, nestedSince)) {
    const detail = `The host manager speaks version ${apiVersion}; ${nestedSince} is needed.`;
    const fix = "Remove nested_hv_enabled, or upgrade the host manager.";
    return [objection("MGR010", "Nested virtualization needs a newer host manager", detail, fix)];
  }
  if (!wanted) return [];
  const objections: Objection[] = [];
  if (hardware !== undefined && hardware < hardwareNeeded) {
    const detail = `The VM has virtual hardware version ${hardware}; ${hardwareNeeded} is needed.`;
    const fix = "Upgrade the virtual hardware of the VM, or remove nested_hv_enabled.";
    objections.push(
      objection("MGR011", "Nested virtualization needs newer virtual hardware", detail, fix),
    );
  }
  if (hostNested === false) {
    const detail =
      `Host ${host} says that it cannot nest (nestedHVSupported is false): its processors lack ` +
      "hardware virtualization or second-level address translation, or it is turned off there.";
    const fix = "Move the VM to a host that can, or remove nested_hv_enabled.";
    objections.push(objection("MGR012", "Host cannot nest virtual machines", detail, fix));
  }
  if (hostNested === undefined) {
    objections.push({
      severity: "warning",
      code: "MGR013",
      summary: "Host does not tell whether it can nest",
      detail: `Host ${host} shows no nestedHVSupported, so the server may refuse the change.`,
    });
  }
  return objections;
}

function formatObjections(facts: ChangeFacts, format: string): readonly Objection[] {
  const against = formatHindrances(facts, format);
  return against.length > 0 ? against : [deltaWarning(facts)];
}

/** What a plan's `~` does not show: where the data is afterwards, and that there is no way back. */
function deltaWarning({ disks }: ChangeFacts): Objection {
  const whole = disks.filter((disk) => !disk.is_delta);
  const files = (whole.length > 0 ? whole : disks).map(({ file_name: file }) => file).join(", ");
  const lasts =
    "Their files stay where they are and hold the data as before: who deletes them, or empties " +
    "their datastore, loses the VM. Disks that are deltas cannot be grown any more.";
  if (whole.length > 0) {
    return {
      severity: "warning",
      code: "MGR020",
      summary: "VM becomes a linked clone of its present disks",
      detail: `New delta disks are put on top of ${files}. ${lasts}`,
      fix: "Leave delta_disk_format out unless that is what is wanted.",
    };
  }
  return {
    severity: "warning",
    code: "MGR021",
    summary: "Delta disks get another level",
    detail: `New delta disks are put on top of ${files}, which are deltas already. ${lasts}`,
  };
}

function formatHindrances(facts: ChangeFacts, format: string): readonly Objection[] {
  const { hardwareVersion: hardware, apiVersion, disks, snapshots } = facts;
  if (disks.length === 0) {
    const detail = "The VM has no disk that could get another format.";
    return [objection("MGR016", "VM has no disks", detail, "Remove delta_disk_format.")];
  }
  if (snapshots.length > 0) {
    const names = snapshots.map((name) => JSON.stringify(name)).join(", ");
    const detail =
      `The VM has snapshots (${names}), so its disks are deltas of those; deltas on top of them ` +
      "would stand in the way when a snapshot is removed.";
    const fix = "Remove the snapshots first, or leave delta_disk_format out.";
    return [objection("MGR022", "VM has snapshots", detail, fix)];
  }
  if (format !== sparseFormat) return [];
  if (hardware !== undefined && hardware < hardwareNeeded) {
    const detail = `The VM has virtual hardware version ${hardware}; ${hardwareNeeded} is needed.`;
    const fix = "Upgrade the virtual hardware of the VM, or choose another delta_disk_format.";
    return [objection("MGR017", "Sparse disks need newer virtual hardware", detail, fix)];
  }
  if (isSince(apiVersion, nestedSince)) return [];
  const detail = `The host manager speaks version ${apiVersion}; ${nestedSince} is needed.`;
  const fix = "Choose another delta_disk_format, or upgrade the host manager.";
  return [objection("MGR018", "Sparse disks need a newer host manager", detail, fix)];
}

function shrinkObjection(wanted: number, present: Value | undefined): Objection | undefined {
  if (typeof present !== "number" || wanted >= present - sizeTolerance) return undefined;
  const detail = `The disk has ${present} GB, and ${wanted} GB are wanted. Disks only grow.`;
  return objection("MGR014", "Disk cannot shrink", detail, `Set size_gb to at least ${present}.`);
}

function growObjections({ snapshots, isDelta }: ChangeFacts): readonly Objection[] {
  if (snapshots.length === 0) {
    if (!isDelta) return [];
    const detail =
      "The disk is the delta of a linked clone, and has the size of the disk that it stands on.";
    const fix = "Make it a disk of its own first (consolidate it), or leave size_gb as it is.";
    return [objection("MGR023", "Disk is a delta", detail, fix)];
  }
  const names = snapshots.map((name) => JSON.stringify(name)).join(", ");
  const detail =
    `The VM has ${snapshots.length} snapshot${snapshots.length === 1 ? "" : "s"} (${names}), and ` +
    "disks do not grow below a snapshot.";
  const fix = "Remove the snapshots first, or leave size_gb as it is.";
  return [objection("MGR015", "Disk has snapshots", detail, fix)];
}
