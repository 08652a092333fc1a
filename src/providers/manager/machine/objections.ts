/** What stands against a change of a VM or a disk, judged with the facts of it. Pure. */

import type { LowerRequest, Objection } from "../../../model/provider/provider.ts";
import { nowhere } from "../../../model/said/problem.ts";
import { changing } from "../../kit/schema/attributes.ts";
import { busyWith, hardwareNeeded } from "../../kit/vm/attached-vm.ts";
import { isSince } from "../client/service-content.ts";
import { problem, warning } from "../codes.ts";
import { type ChangeFacts, readFacts } from "./change-facts.ts";
import { sparseFormat } from "./disk-device.ts";
import { diskIn, vmIn } from "./names.ts";
import { nestedSince } from "./vm-attributes.ts";

/** Differences of less than a megabyte come of rounding, GB. */
export const sizeTolerance = 1 / 1024;

export function vmObjections(change: LowerRequest): readonly Objection[] {
  if (change.action !== "update" || change.facts === undefined) return [];
  const facts = readFacts(change.facts);
  const { nested_hv_enabled: nested, delta_disk_format: format } = vmIn(changing(change));
  return [
    ...(nested === undefined ? [] : nestedObjections(facts, nested)),
    ...(format === undefined ? [] : formatObjections(facts, format)),
    ...facts.tasks.map((task) => warning(nowhere, "MGR019", busyWith(task))),
  ];
}

export function diskObjections(change: LowerRequest): readonly Objection[] {
  if (change.action !== "update" || change.facts === undefined) return [];
  const facts = readFacts(change.facts);
  const { size_gb: wanted } = diskIn(changing(change));
  if (wanted === undefined) return [];
  const shrink = shrinkObjection(wanted, diskIn(change.prior.attributes).size_gb);
  return [
    ...(shrink === undefined ? growObjections(facts) : [shrink]),
    ...facts.tasks.map((task) => warning(nowhere, "MGR019", busyWith(task))),
  ];
}

function nestedObjections(facts: ChangeFacts, wanted: boolean): readonly Objection[] {
  const { api_version: apiVersion, hardware_version: hardware, host_nested: hostNested } = facts;
  const host = facts.host ?? "of the VM";
  if (!isSince(apiVersion, nestedSince)) {
    const detail = `The host manager speaks version ${apiVersion}; ${nestedSince} is needed.`;
    const fix = "Remove nested_hv_enabled, or upgrade the host manager.";
    return [problem(nowhere, "MGR010", { detail, fix })];
  }
  if (!wanted) return [];
  const objections: Objection[] = [];
  if (hardware !== null && hardware < hardwareNeeded) {
    const detail = `The VM has virtual hardware version ${hardware}; ${hardwareNeeded} is needed.`;
    const fix = "Upgrade the virtual hardware of the VM, or remove nested_hv_enabled.";
    objections.push(problem(nowhere, "MGR011", { detail, fix }));
  }
  if (hostNested === false) {
    const detail =
      `Host ${host} says that it cannot nest (nestedHVSupported is false): its processors lack ` +
      "hardware virtualization or second-level address translation, or it is turned off there.";
    const fix = "Move the VM to a host that can, or remove nested_hv_enabled.";
    objections.push(problem(nowhere, "MGR012", { detail, fix }));
  }
  if (hostNested === null) {
    objections.push(
      warning(nowhere, "MGR013", {
        detail: `Host ${host} shows no nestedHVSupported, so the server may refuse the change.`,
      }),
    );
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
    return warning(nowhere, "MGR020", {
      detail: `New delta disks are put on top of ${files}. ${lasts}`,
      fix: "Leave delta_disk_format out unless that is what is wanted.",
    });
  }
  return warning(nowhere, "MGR021", {
    detail: `New delta disks are put on top of ${files}, which are deltas already. ${lasts}`,
  });
}

function formatHindrances(facts: ChangeFacts, format: string): readonly Objection[] {
  const { hardware_version: hardware, api_version: apiVersion, disks, snapshots } = facts;
  if (disks.length === 0) {
    const detail = "The VM has no disk that could get another format.";
    return [problem(nowhere, "MGR016", { detail, fix: "Remove delta_disk_format." })];
  }
  if (snapshots.length > 0) {
    const names = snapshots.map((name) => JSON.stringify(name)).join(", ");
    const detail =
      `The VM has snapshots (${names}), so its disks are deltas of those; deltas on top of them ` +
      "would stand in the way when a snapshot is removed.";
    const fix = "Remove the snapshots first, or leave delta_disk_format out.";
    return [problem(nowhere, "MGR022", { detail, fix })];
  }
  if (format !== sparseFormat) return [];
  if (hardware !== null && hardware < hardwareNeeded) {
    const detail = `The VM has virtual hardware version ${hardware}; ${hardwareNeeded} is needed.`;
    const fix = "Upgrade the virtual hardware of the VM, or choose another delta_disk_format.";
    return [problem(nowhere, "MGR017", { detail, fix })];
  }
  if (isSince(apiVersion, nestedSince)) return [];
  const detail = `The host manager speaks version ${apiVersion}; ${nestedSince} is needed.`;
  const fix = "Choose another delta_disk_format, or upgrade the host manager.";
  return [problem(nowhere, "MGR018", { detail, fix })];
}

function shrinkObjection(wanted: number, present: number | undefined): Objection | undefined {
  if (present === undefined || wanted >= present - sizeTolerance) return undefined;
  const detail = `The disk has ${present} GB, and ${wanted} GB are wanted. Disks only grow.`;
  return problem(nowhere, "MGR014", { detail, fix: `Set size_gb to at least ${present}.` });
}

function growObjections({ snapshots, is_delta: isDelta }: ChangeFacts): readonly Objection[] {
  if (snapshots.length === 0) {
    if (!isDelta) return [];
    const detail =
      "The disk is the delta of a linked clone, and has the size of the disk that it stands on.";
    const fix = "Make it a disk of its own first (consolidate it), or leave size_gb as it is.";
    return [problem(nowhere, "MGR023", { detail, fix })];
  }
  const names = snapshots.map((name) => JSON.stringify(name)).join(", ");
  const detail =
    `The VM has ${snapshots.length} snapshot${snapshots.length === 1 ? "" : "s"} (${names}), and ` +
    "disks do not grow below a snapshot.";
  const fix = "Remove the snapshots first, or leave size_gb as it is.";
  return [problem(nowhere, "MGR015", { detail, fix })];
}
