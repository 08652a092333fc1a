/**
 * Folder sharing over HTTP (specification, section B, endpoints 8 to 12; the PATCH of one mapping:
 * wire facts B.3). Every call needs a guest that is on with its tools running; calls about mappings
 * need sharing to be enabled too, unless the world says otherwise.
 */

import type { Answer } from "../kit/answer.ts";
import { changed, jsonReply, textReply, unchanged } from "../kit/answer.ts";
import type { DaemonCall } from "./call.ts";
import { readJsonBody, refuse, segmentOf, textMember } from "./call.ts";
import { busyRefusal } from "./daemon-state.ts";
import type { Refusal } from "./refusal.ts";
import { envelopeReply, isRefusal, plainRefusal, vixRefusal } from "./refusal.ts";
import type { SharedFolder, VirtualMachine } from "./virtual-machine.ts";
import { toolsRun } from "./virtual-machine.ts";
import { findVm, isOn } from "./vms.ts";

/** The body is the bare word `true` or `false`, echoed as the message (wire facts B.3, row 8). */
export function setSharing(call: DaemonCall): Answer {
  const operation = "vm.EnableSharedFolders";
  const vm = findGuest(call, operation);
  if (isRefusal(vm)) return refuse(vm);
  if (call.body !== "true" && call.body !== "false") {
    return refuse(
      plainRefusal(`strconv.ParseBool: parsing ${JSON.stringify(call.body)}: invalid syntax`),
    );
  }
  const sharing = call.body === "true";
  const reply = envelopeReply(200, call.body);
  if (vm.sharing === sharing) return unchanged(reply);
  call.state.vms.set(vm.id, { ...vm, sharing });
  return changed(reply);
}

/** Names of the mappings, an array as text/plain (wire facts B.3, row 10). */
export function listFolders(call: DaemonCall): Answer {
  const vm = findSharingGuest(call, "vm.TotalSharedFolders");
  if (isRefusal(vm)) return refuse(vm);
  return unchanged(textReply(200, JSON.stringify(vm.folders.map((folder) => folder.guestPath))));
}

export function getFolder(call: DaemonCall): Answer {
  const vm = findSharingGuest(call, "vm.SharedFolderState");
  if (isRefusal(vm)) return refuse(vm);
  const folder = findFolder(vm, segmentOf(call, 1));
  if (folder === undefined) return refuse(vixRefusal(25, "vm.SharedFolderState"));
  return unchanged(jsonReply(200, folder));
}

export function addFolder(call: DaemonCall): Answer {
  const operation = "vm.AddSharedFolder";
  const folder = readFolder(call, operation, null);
  if (isRefusal(folder)) return refuse(folder);
  const vm = findSharingGuest(call, operation);
  if (isRefusal(vm)) return refuse(vm);
  if (findFolder(vm, folder.guestPath) !== undefined) return refuse(vixRefusal(23, operation));
  call.state.vms.set(vm.id, { ...vm, folders: [...vm.folders, folder] });
  return changed(jsonReply(200, folder));
}

export function changeFolder(call: DaemonCall): Answer {
  const operation = "vm.SetSharedFolderState";
  const guestPath = segmentOf(call, 1);
  const folder = readFolder(call, operation, guestPath);
  if (isRefusal(folder)) return refuse(folder);
  const vm = findSharingGuest(call, operation);
  if (isRefusal(vm)) return refuse(vm);
  const present = findFolder(vm, guestPath);
  if (present === undefined) return refuse(vixRefusal(25, operation));
  const reply = jsonReply(200, folder);
  if (present.hostPath === folder.hostPath && present.flags === folder.flags) {
    return unchanged(reply);
  }
  const folders = vm.folders.map((each) => (each === present ? folder : each));
  call.state.vms.set(vm.id, { ...vm, folders });
  return changed(reply);
}

export function removeFolder(call: DaemonCall): Answer {
  const operation = "vm.RemoveSharedFolder";
  const vm = findSharingGuest(call, operation);
  if (isRefusal(vm)) return refuse(vm);
  const present = findFolder(vm, segmentOf(call, 1));
  if (present === undefined) return refuse(vixRefusal(25, operation));
  const folders = vm.folders.filter((each) => each !== present);
  call.state.vms.set(vm.id, { ...vm, folders });
  return changed({ status: 204, headers: {}, body: "" });
}

/** A VM that is on with its tools running, without work in progress (wire facts B.4). */
function findGuest(call: DaemonCall, operation: string): VirtualMachine | Refusal {
  const vm = findVm(call);
  if (isRefusal(vm)) return vm;
  const busy = busyRefusal(call.state, vm.id, operation);
  if (busy !== undefined) return busy;
  if (!isOn(call, vm)) return vixRefusal(3006, operation);
  return toolsRun(vm, call.nowMs) ? vm : vixRefusal(3016, operation);
}

function findSharingGuest(call: DaemonCall, operation: string): VirtualMachine | Refusal {
  const vm = findGuest(call, operation);
  if (isRefusal(vm) || vm.sharing || !call.state.rules.sharing_required) return vm;
  return vixRefusal(6, operation);
}

function findFolder(vm: VirtualMachine, guestPath: string): SharedFolder | undefined {
  return vm.folders.find((folder) => folder.guestPath === guestPath);
}

/**
 * The mapping in the body. All three members are needed, as the emulator asks; `guestPath` is a
 * name without slashes and, for a present mapping, the one in the path; flags are 0 or 4; the host
 * path exists (wire facts B.4).
 */
function readFolder(
  call: DaemonCall,
  operation: string,
  present: string | null,
): SharedFolder | Refusal {
  const json = readJsonBody(call.body);
  if (isRefusal(json)) return json;
  const guestPath = textMember(json, "guestpath");
  const hostPath = textMember(json, "hostpath");
  if (typeof guestPath !== "string") return guestPath;
  if (typeof hostPath !== "string") return hostPath;
  const flags = json.members.get("flags");
  if (guestPath === "" || hostPath === "" || flags === undefined) return plainRefusal("EOF");
  if (guestPath.includes("/") || (present !== null && guestPath !== present)) {
    return vixRefusal(3, operation);
  }
  if (flags !== 0 && flags !== 4) return vixRefusal(3, operation);
  const known = call.state.rules.host_paths;
  if (known !== undefined && !known.includes(hostPath)) return vixRefusal(4, operation);
  return { guestPath, hostPath, flags };
}
