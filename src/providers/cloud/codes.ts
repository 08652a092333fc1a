/** What the cloud's types have to say about a configuration or a change, by stable code. */

import type { Explanation } from "../../model/said/explanation.ts";
import { problemsOf } from "../../model/said/problem.ts";

export const cloudCodes = {
  CLD001: {
    summary: "VM is not named",
    explanation:
      "A VM of the cloud exists already and is looked up, by name and vapp_name, or href.",
    fix: "Set name, or href.",
  },
  CLD002: {
    summary: "Link of the VM cannot be used",
    explanation: "href is no link of a VM of this cloud; that of a template, for example, is none.",
    fix: "Use the link or path of the VM itself, such as /api/vApp/vm-….",
  },
  CLD003: {
    summary: "VM of the snapshot cannot be used",
    explanation: "vm of a cloud_snapshot is the path of a VM.",
    fix: "Write vm: ${cloud_vm.NAME.href}.",
  },
  CLD010: {
    summary: "Nested virtualization needs another API version",
    explanation: "The session speaks an older version of the API, which does not know the switch.",
    fix:
      "Set api_version to the one the message names if the cloud offers it, or remove " +
      "nested_hv_enabled.",
  },
  CLD011: {
    summary: "Nested virtualization needs newer virtual hardware",
    explanation: "The virtual hardware of the VM is too old for it, and vmform upgrades none.",
    fix: "Upgrade the virtual hardware of the VM, or remove nested_hv_enabled.",
  },
  CLD012: {
    summary: "Moving a VM needs a system administrator",
    explanation:
      "The cloud offers a move between datastores to system administrators only, and did not " +
      "offer it to this user.",
    fix: "Log in as a system administrator (org: system), or remove datastore.",
  },
  CLD013: {
    summary: "Something is being done to the VM already",
    explanation:
      "Another task runs on the VM, or in its vApp. The cloud does one at a time, so the change " +
      "waits until it has ended.",
    fix: "Nothing has to be done; wait for the task first if you want to know its result.",
  },
  CLD014: {
    summary: "Snapshots need another API version",
    explanation: "The session speaks a version of the API without snapshots.",
    fix:
      "Set api_version to the one the message names if the cloud offers it, or remove the " +
      "snapshot.",
  },
  CLD015: {
    summary: "Datastore cannot be used",
    explanation:
      "No datastore, or more than one, has this name at the host manager of the VM, or it is " +
      "disabled or full.",
    fix: "Name one that the host manager of the VM has and that takes VMs.",
  },
  CLD016: {
    summary: "Datastore may be too small",
    explanation:
      "The disks of all VMs that this plan moves there could take more than is free. Thin disks " +
      "may need less.",
    fix: "Make room, or take another datastore.",
  },
  CLD017: {
    summary: "The cloud does not offer this to the user",
    explanation:
      "A VM shows links to what the user of the session may do with it as it is now. One that is " +
      "missing while nothing runs is a right that the user does not have.",
    fix: "Log in as somebody with that right, or take the change out of the configuration.",
  },
  CLD018: {
    summary: "VM with an independent disk takes no snapshot",
    explanation: "The cloud refuses snapshots of a VM while an independent disk is attached to it.",
    fix: "Detach the disk in the cloud, or remove the snapshot.",
  },
  CLD019: {
    summary: "Text cannot be sent",
    explanation:
      "The interface speaks XML, which has no way to write some characters, such as control " +
      "characters. They come along unseen when a text is pasted.",
    fix: "Take the character out.",
  },
} as const satisfies { readonly [code: string]: Explanation };

export const { problem, warning } = problemsOf(cloudCodes);
