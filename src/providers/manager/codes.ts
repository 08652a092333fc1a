/** What the types of host management say about configurations and changes, by stable code. */

import type { Explanation } from "../../model/said/explanation.ts";
import { problemsOf } from "../../model/said/problem.ts";

export const managerCodes = {
  MGR001: {
    summary: "VM is not named",
    explanation: "A VM exists already and is looked up, by name, path, moref or instance_uuid.",
    fix: "Set one of them.",
  },
  MGR002: {
    summary: "Id of the VM cannot be used",
    explanation: "The text is no id of a VM.",
    fix:
      "Use the id, such as vm-12, the address of the VM in the object browser, or " +
      "${manager_vm.NAME.moref}.",
  },
  MGR003: {
    summary: "Disk is not named",
    explanation: "A disk belongs to a VM and is looked up by disk_id or label.",
    fix: "Set disk_id, or label.",
  },
  MGR010: {
    summary: "Nested virtualization needs a newer host manager",
    explanation: "The host manager speaks an older version, which does not know the switch.",
    fix: "Remove nested_hv_enabled, or upgrade the host manager.",
  },
  MGR011: {
    summary: "Nested virtualization needs newer virtual hardware",
    explanation: "The virtual hardware of the VM is too old for it, and vmform upgrades none.",
    fix: "Upgrade the virtual hardware of the VM, or remove nested_hv_enabled.",
  },
  MGR012: {
    summary: "Host cannot nest virtual machines",
    explanation:
      "The host says that its processors lack what nesting needs, or that it is turned off.",
    fix: "Move the VM to another host, or remove nested_hv_enabled.",
  },
  MGR013: {
    summary: "Host does not tell whether it can nest",
    explanation: "The capability is not shown, so the server may refuse the change.",
    fix: "Nothing has to be done; a refusal is told when it comes.",
  },
  MGR014: {
    summary: "Disk cannot shrink",
    explanation: "A disk only grows; a smaller size would cut what the guest has written.",
    fix: "Set size_gb to at least the present size.",
  },
  MGR015: {
    summary: "Disk has snapshots",
    explanation: "A disk with snapshots cannot grow, since they stand on its size.",
    fix: "Remove the snapshots of the VM first.",
  },
  MGR016: {
    summary: "VM has no disks",
    explanation: "delta_disk_format says what disks are to be moved to, and there are none.",
    fix: "Remove delta_disk_format.",
  },
  MGR017: {
    summary: "Sparse disks need newer virtual hardware",
    explanation: "The virtual hardware of the VM is too old for the sparse format.",
    fix: "Upgrade the virtual hardware of the VM, or choose another delta_disk_format.",
  },
  MGR018: {
    summary: "Sparse disks need a newer host manager",
    explanation: "The host manager speaks a version without the sparse format.",
    fix: "Choose another delta_disk_format, or upgrade the host manager.",
  },
  MGR019: {
    summary: "Something is being done to the VM already",
    explanation: "Another task runs on the VM, so the change waits until it has ended.",
    fix: "Nothing has to be done; wait for the task first if you want to know its result.",
  },
  MGR020: {
    summary: "VM becomes a linked clone of its present disks",
    explanation:
      "delta_disk_format puts new delta disks on top of disks that are none. The present files " +
      "stay, are only read from then on, and are needed as long as the VM exists; the disks " +
      "cannot be grown any more. It needs the consent linked-clone.",
    fix: "Leave delta_disk_format out unless that is what is wanted.",
  },
  MGR021: {
    summary: "Delta disks get another level",
    explanation:
      "The interface converts no delta: another delta_disk_format puts new deltas on top of the " +
      "present ones, which stay and are only read from then on.",
    fix: "Nothing has to be done; each change of the format adds a level that costs speed.",
  },
  MGR022: {
    summary: "VM has snapshots",
    explanation:
      "The disks of a VM with snapshots are deltas of those, and deltas on top of them would " +
      "stand in the way when a snapshot is removed.",
    fix: "Remove the snapshots first, or leave delta_disk_format out.",
  },
  MGR023: {
    summary: "Disk is a delta",
    explanation: "The delta of a linked clone has the size of the disk that it stands on.",
    fix: "Make it a disk of its own first (consolidate it), or leave size_gb as it is.",
  },
  MGR024: {
    summary: "Name of the alarm cannot be used",
    explanation: "The name has the form of the ids that the host manager itself gives to alarms.",
    fix: "Choose another name.",
  },
  MGR101: {
    summary: "VM has no sparse disk",
    explanation: "Only disks of the sparse format give space back, and the VM has none.",
    fix: "Remove the resource. Sparse disks come with a clone that is made in that format.",
  },
  MGR102: {
    summary: "Disk gives no space back",
    explanation:
      "The disk that is named does not exist, or is of a format that gives no space back.",
    fix: "Set disk_id to one that the message names, or leave it out.",
  },
  MGR103: {
    summary: "Tools of the guest do not run",
    explanation: "The wipe works through the tools of the guest and may fail without them.",
    fix: "Install or start the tools in the guest.",
  },
  MGR104: {
    summary: "Something is being done to the VM already",
    explanation: "Another task runs on the VM, so the wipe waits until it has ended.",
    fix: "Nothing has to be done; wait for the task first if you want to know its result.",
  },
  MGR105: {
    summary: "Id of the VM cannot be used",
    explanation: "vm of a manager_disk_reclaim is the id of a VM.",
    fix: "Use ${manager_vm.NAME.moref}.",
  },
  MGR106: {
    summary: "Period cannot be used",
    explanation: "every is a whole number of minutes, hours, days or weeks, above zero.",
    fix: "Write a period such as 30d; the units are m, h, d and w.",
  },
  MGR107: {
    summary: "Text cannot be sent",
    explanation:
      "The interface speaks XML, which has no way to write some characters, such as control " +
      "characters. They come along unseen when a text is pasted.",
    fix: "Take the character out.",
  },
} as const satisfies { readonly [code: string]: Explanation };

export const { problem, warning } = problemsOf(managerCodes);
