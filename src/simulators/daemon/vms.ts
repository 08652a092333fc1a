/**
 * VMs over HTTP: create, clone, list, retrieve, delete, power, address (specification, section B,
 * endpoints 1 to 7 and 13; answers: wire facts B.3 and B.4).
 */

import type { Answer, SimulatorReply } from "../kit/answer.ts";
import { jsonReply, textReply, unchanged } from "../kit/answer.ts";
import type { DaemonCall } from "./call.ts";
import { perform, readJsonBody, refuse, segmentOf, textMember } from "./call.ts";
import { busyRefusal, isBeingMade, workOn } from "./daemon-state.ts";
import { doneMessage, isPowerWord, operationOfWord, restingText, stepOf } from "./power-machine.ts";
import type { Refusal } from "./refusal.ts";
import { envelopeReply, isRefusal, plainRefusal, unknownVm, vixRefusal } from "./refusal.ts";
import type { VirtualMachine } from "./virtual-machine.ts";
import { hasAddress, newVirtualMachine } from "./virtual-machine.ts";

/** Ids as text/plain; `?tags=a,b` keeps VMs with one of the tags (wire facts B.3, row 3). */
export function listVms(call: DaemonCall): Answer {
  const wanted = call.query.get("tags");
  const tags = wanted === null || wanted === "" ? null : new Set(wanted.split(","));
  const ids: string[] = [];
  for (const vm of call.state.vms.values()) if (tags?.has(vm.tag) ?? true) ids.push(vm.id);
  return unchanged(textReply(200, JSON.stringify(ids)));
}

/** Only for a VM that is on (specification, section B, endpoint 4). */
export function getVm(call: DaemonCall): Answer {
  const vm = findVm(call);
  if (isRefusal(vm)) return refuse(vm);
  if (!isOn(call, vm)) return refuse(vixRefusal(3006, "vm.ReadVariable"));
  return unchanged(vmReply(vm));
}

export function getPower(call: DaemonCall): Answer {
  const vm = findVm(call);
  if (isRefusal(vm)) return refuse(vm);
  const work = workOn(call.state, vm.id);
  const text =
    work?.kind === "power" ? work.step.text : restingText(vm, call.state.rules, call.nowMs);
  return unchanged(envelopeReply(200, text));
}

export function getAddress(call: DaemonCall): Answer {
  const vm = findVm(call);
  if (isRefusal(vm)) return refuse(vm);
  if (!isOn(call, vm)) return refuse(vixRefusal(3006, "vm.ReadVariable"));
  if (hasAddress(vm, call.nowMs)) return unchanged(envelopeReply(200, vm.address));
  if (call.state.rules.address_missing === 408) return refuse(plainRefusal("Request timeout", 408));
  return refuse(vixRefusal(3000, "vm.WaitForToolsInGuest"));
}

/** Makes a VM from the default template or a copy of another; seen only once it is complete. */
export async function createVm(call: DaemonCall): Promise<Answer> {
  const wanted = readCreation(call.body);
  if (isRefusal(wanted)) return refuse(wanted);
  const { state, nowMs } = call;
  const { id, parentId } = wanted;
  if (!isFileName(id)) return refuse(vixRefusal(3, "vm.Clone"));
  const parent = parentId === null ? null : findParent(call, parentId);
  if (parent !== null && isRefusal(parent)) return refuse(parent);
  if (state.vms.has(id) || isBeingMade(state, id)) return refuse(vixRefusal(23, "vm.Clone"));
  const toolsInstalled = parent?.toolsInstalled ?? true;
  const vm = newVirtualMachine(
    { id, name: wanted.name, tag: wanted.tag, toolsInstalled },
    state.seed,
  );
  const durationMs = parent === null ? state.durations.create : state.durations.clone;
  const span = { startMs: nowMs, endMs: nowMs + durationMs };
  return perform(call, { kind: "create", vm, parentId, ...span }, "vm.Clone", () => vmReply(vm));
}

/** Only for a VM that is off or suspended, and 204 without a body (wire facts B.3, B.4). */
export async function deleteVm(call: DaemonCall): Promise<Answer> {
  const vm = findVm(call);
  if (isRefusal(vm)) return refuse(vm);
  const busy = busyRefusal(call.state, vm.id, "vm.Delete");
  if (busy !== undefined) return refuse(busy);
  if (vm.power === "on" || vm.power === "paused") return refuse(vixRefusal(3007, "vm.Delete"));
  const span = { startMs: call.nowMs, endMs: call.nowMs + call.state.durations.delete };
  return perform(call, { kind: "delete", vmId: vm.id, ...span }, "vm.Delete", () => ({
    status: 204,
    headers: {},
    body: "",
  }));
}

/** The body is the bare word; quotes or white space make it another word (wire facts B.1, B.2). */
export async function changePower(call: DaemonCall): Promise<Answer> {
  const word = call.body;
  const vm = findVm(call);
  if (isRefusal(vm)) return refuse(vm);
  if (!isPowerWord(word)) return refuse(plainRefusal("The op name is not supported."));
  const { state, nowMs } = call;
  const operation = operationOfWord(word);
  const busy = busyRefusal(state, vm.id, operation);
  if (busy !== undefined) return refuse(busy);
  const reply = envelopeReply(200, doneMessage(word));
  if (word === "on" && vm.power === "on" && state.rules.on_when_on === 200) return unchanged(reply);
  const step = stepOf(word, vm, state.durations, nowMs);
  if (isRefusal(step)) return refuse(step);
  const span = { startMs: nowMs, endMs: nowMs + step.durationMs };
  return perform(call, { kind: "power", vmId: vm.id, step, ...span }, operation, () => reply);
}

/** The VM of the first path segment, or the refusal for an id that is not there. */
export function findVm(call: DaemonCall): VirtualMachine | Refusal {
  const id = segmentOf(call, 0);
  return call.state.vms.get(id) ?? unknownVm(id);
}

/** On and at rest: while its power changes a VM is not powered on. */
export function isOn(call: DaemonCall, vm: VirtualMachine): boolean {
  return vm.power === "on" && workOn(call.state, vm.id) === undefined;
}

function findParent(call: DaemonCall, parentId: string): VirtualMachine | Refusal {
  const { state } = call;
  const parent = state.vms.get(parentId);
  if (parent === undefined) return unknownVm(parentId);
  // Several copies of one VM may be made at the same time; any other work on it excludes them.
  if (workOn(state, parentId) !== undefined) return vixRefusal(5, "vm.Clone");
  const runs = parent.power === "on" || parent.power === "paused";
  if (runs && state.rules.clone_of_running_parent === "refused")
    return vixRefusal(3007, "vm.Clone");
  return parent;
}

type Creation = {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  readonly parentId: string | null;
};

function readCreation(body: string): Creation | Refusal {
  const json = readJsonBody(body);
  if (isRefusal(json)) return json;
  const id = textMember(json, "id");
  const name = textMember(json, "name");
  const tag = textMember(json, "tag");
  const parentId = textMember(json, "parentid");
  if (typeof id !== "string") return id;
  if (typeof name !== "string") return name;
  if (typeof tag !== "string") return tag;
  if (typeof parentId !== "string") return parentId;
  if (id === "") return plainRefusal("EOF");
  return {
    id,
    name: name === "" ? id : name,
    tag,
    parentId: parentId === "" ? null : parentId,
  };
}

/** An id is a folder name on the host. */
function isFileName(id: string): boolean {
  return id !== "." && id !== ".." && !id.includes("/") && !id.includes("\0");
}

function vmReply(vm: VirtualMachine): SimulatorReply {
  return jsonReply(200, { id: vm.id, name: vm.name, tag: vm.tag });
}
