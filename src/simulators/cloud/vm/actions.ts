/**
 * Actions on VMs and vApps. Each begins a task and answers 202 (wire facts A.4). Asked in order: is
 * the action known in this version, is its target there, may the caller, is the vApp busy, is the
 * body right, does the state permit it.
 *
 * The door of `vm`: `power-actions.ts` decides about power, `tasks.ts` begins and shows tasks,
 * `updates.ts` renames; `resources.ts` shows VMs and vApps, of `sections.ts` and the links of
 * `link-set.ts`; `screen.ts` gives tickets.
 */

import { attributeOf, childrenOf, textOf } from "../../../lib/xml/xml.ts";
import type { Answer } from "../../kit/answer.ts";
import type { CloudDurations } from "../../kit/generated/documents.ts";
import { isAtLeast } from "../../kit/version.ts";
import { checkUuid, findTarget, readBody, refuse, type UserCall } from "../rest/call.ts";
import {
  badRequest,
  busyEntity,
  type CloudRefusal,
  isRefusal,
  noAccess,
  notPossible,
  operationDenied,
  unknownAction,
} from "../rest/refusal.ts";
import { managerOf, runningIn, usedMb } from "../world/cloud-state.ts";
import {
  type CloudRight,
  type CloudVm,
  isAdministrator,
  rightOf,
  type Target,
  vmStatus,
} from "../world/inventory.ts";
import { failingPlan, type TaskError } from "../world/task.ts";
import {
  deployIntent,
  discardIntent,
  type Intent,
  isUndeployWord,
  powerIntent,
  undeployIntent,
} from "./power-actions.ts";
import { answerTask } from "./tasks.ts";

type Action = {
  readonly operationName: string;
  /** Beginning of the text for people, while it runs and afterwards. */
  readonly running: string;
  readonly ended: string;
  readonly duration: keyof CloudDurations;
  readonly since?: string;
  readonly administratorOnly?: true;
  /** Not for vApps. */
  readonly vmOnly?: true;
  /** The task names no VM (wire facts A.4, snapshots). */
  readonly nameless?: true;
  readonly intent: (call: UserCall, vms: readonly CloudVm[]) => Intent | CloudRefusal;
};

const power = (
  word: string,
  operationName: string,
  running: string,
  ended: string,
  duration: keyof CloudDurations,
): Action => ({
  operationName,
  running,
  ended,
  duration,
  intent: (_call, vms) => powerIntent(word, vms) ?? { impossible: "cannot do this" },
});

const snapshot = { since: "5.1", nameless: true } as const;

/** By the path behind the target's href. */
const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["power/action/powerOn", power("powerOn", "vappDeploy", "Starting", "Started", "power_on")],
  [
    "power/action/powerOff",
    power("powerOff", "vappPowerOff", "Powering Off", "Powered Off", "power_off"),
  ],
  [
    "power/action/shutdown",
    power("shutdown", "vappShutdownGuest", "Shutting down", "Shut down", "shutdown"),
  ],
  ["power/action/reboot", power("reboot", "vappRebootGuest", "Rebooting", "Rebooted", "reboot")],
  ["power/action/reset", power("reset", "vappReset", "Resetting", "Reset", "reset")],
  ["power/action/suspend", power("suspend", "vappSuspend", "Suspending", "Suspended", "suspend")],
  [
    "action/deploy",
    {
      operationName: "vappDeploy",
      running: "Starting",
      ended: "Started",
      duration: "power_on",
      intent: deploy,
    },
  ],
  [
    "action/undeploy",
    {
      operationName: "vappUndeployPowerOff",
      running: "Stopping",
      ended: "Stopped",
      duration: "undeploy",
      intent: undeploy,
    },
  ],
  [
    "action/discardSuspendedState",
    {
      operationName: "vappDiscardSuspendedState",
      running: "Discarding State",
      ended: "Discarded State",
      duration: "discard",
      intent: (call, vms) => discardIntent(vms, call.state.rules.discard_undeploys),
    },
  ],
  [
    "action/createSnapshot",
    {
      operationName: "vappCreateSnapshot",
      running: "Creating Snapshot",
      ended: "Created Snapshot",
      duration: "create_snapshot",
      ...snapshot,
      intent: createSnapshot,
    },
  ],
  [
    "action/removeAllSnapshots",
    {
      operationName: "vappRemoveAllSnapshots",
      running: "Removing Snapshot",
      ended: "Removed Snapshot",
      duration: "remove_snapshots",
      ...snapshot,
      intent: (_call, vms) => ({ effect: { kind: "remove-snapshots", vmIds: idsOf(vms) } }),
    },
  ],
  [
    "action/revertToCurrentSnapshot",
    {
      operationName: "vappRevertToCurrentSnapshot",
      running: "Reverting to Snapshot",
      ended: "Reverted to Snapshot",
      duration: "revert_snapshot",
      ...snapshot,
      intent: (_call, vms) =>
        vms.some((vm) => vm.snapshot !== null)
          ? { effect: { kind: "revert", vmIds: idsOf(vms) } }
          : { impossible: "has no snapshot" },
    },
  ],
  [
    "action/relocate",
    {
      operationName: "vappRelocateVm",
      running: "Relocating",
      ended: "Relocated",
      duration: "relocate",
      administratorOnly: true,
      vmOnly: true,
      intent: relocate,
    },
  ],
  ["action/enableNestedHypervisor", nestedAction(true)],
  ["action/disableNestedHypervisor", nestedAction(false)],
]);

export const actionPaths: readonly string[] = [...actions.keys()];

/** Begins the action of the given path on the target of the first segment. */
export function beginAction(call: UserCall, path: string): Answer {
  const action = actions.get(path);
  const { state, draft } = call;
  if (action === undefined || !isAtLeast(draft.version, action.since ?? "1.5")) {
    return refuse(call, unknownAction());
  }
  const target = findTarget(call);
  if (isRefusal(target)) return refuse(call, target);
  if (action.vmOnly === true && target.kind !== "vm") {
    return refuse(call, unknownAction());
  }
  if (action.administratorOnly === true && !isAdministrator(call.user)) {
    return refuse(call, { ...operationDenied(), violation: true });
  }
  const right = rightOf(path);
  if (right !== undefined && isWithheld(call, target, right)) {
    return refuse(call, { ...operationDenied(), violation: true });
  }
  const name = target.kind === "vm" ? target.vm.name : target.vapp.name;
  const [running] = runningIn(state, target.vapp.id);
  if (running !== undefined) return refuse(call, busyEntity(draft, target, running));
  const vms = vmsOfTarget(target);
  const kind = target.kind === "vm" ? "VM" : "vApp";
  const unsettled = vms.find((vm) => !isSettled(vm));
  if (unsettled !== undefined) {
    return refuse(call, notPossible(kind, name, "is in a state that does not permit it"));
  }
  const intent = action.intent(call, vms);
  if (isRefusal(intent)) return refuse(call, intent);
  if (!("effect" in intent)) {
    return refuse(call, notPossible(kind, name, reasonOf(kind, intent.impossible)));
  }
  const id = target.kind === "vm" ? target.vm.id : target.vapp.id;
  const shownName = action.nameless === true ? "" : name;
  const what = `${target.kind === "vm" ? "Virtual Machine" : "Virtual Application"} ${shownName}`;
  const { violation, ...planned } = intent;
  const answer = answerTask(call, {
    operationName: action.operationName,
    runningText: `${action.running} ${what}(${id})`,
    endedText: `${action.ended} ${what}(${id})`,
    owner: { kind: target.kind, id, name: shownName },
    vappId: target.vapp.id,
    durationMs: state.durations[action.duration],
    ...planned,
  });
  return violation === undefined ? answer : { ...answer, violation };
}

/** DELETE of a VM or vApp, which must be undeployed (wire facts A.4). */
export function deleteResource(call: UserCall): Answer {
  const target = findTarget(call);
  if (isRefusal(target)) return refuse(call, target);
  const isVm = target.kind === "vm";
  const { id, name } = isVm ? target.vm : target.vapp;
  const [running] = runningIn(call.state, target.vapp.id);
  if (running !== undefined) return refuse(call, busyEntity(call.draft, target, running));
  const vms = vmsOfTarget(target);
  if (vms.some((vm) => vm.deployed || vm.status === vmStatus.on)) {
    const kind = isVm ? "VM" : "vApp";
    const advice = `Stop the ${kind} and try again.`;
    return refuse(
      call,
      badRequest(`The requested operation could not be executed on ${kind} "${name}". ${advice}`),
    );
  }
  const what = `${isVm ? "Virtual Machine" : "Virtual Application"} (${id})`;
  return answerTask(call, {
    operationName: isVm ? "vappDeleteVm" : "vdcDeleteVapp",
    runningText: `Deleting ${what}`,
    endedText: `Deleted ${what}`,
    owner: { kind: target.kind, id, name },
    vappId: target.vapp.id,
    durationMs: call.state.durations.delete,
    effect: { kind: "delete", vmIds: idsOf(vms), vappId: isVm ? null : target.vapp.id },
  });
}

function vmsOfTarget(target: Target): readonly CloudVm[] {
  return target.kind === "vm" ? [target.vm] : target.vms;
}

function idsOf(vms: readonly CloudVm[]): readonly string[] {
  return vms.map((vm) => vm.id);
}

function isSettled(vm: CloudVm): boolean {
  const { on, off, suspended } = vmStatus;
  return vm.status === on || vm.status === off || vm.status === suspended;
}

/** A vApp is refused for its VMs (wire facts A.6.2). */
function reasonOf(kind: "VM" | "vApp", reason: string): string {
  const isVapp = kind === "vApp" && reason === "is not powered on";
  return isVapp ? "does not have any powered on VMs" : reason;
}

function deploy(call: UserCall, vms: readonly CloudVm[]): Intent | CloudRefusal {
  const body = readBody(call, "deployVAppParams", "DeployVAppParams");
  if (isRefusal(body)) return body;
  return deployIntent(vms, attributeOf(body, "powerOn") !== "false");
}

function undeploy(call: UserCall, vms: readonly CloudVm[]): Intent | CloudRefusal {
  const body = readBody(call, "undeployVAppParams", "UndeployVAppParams");
  if (isRefusal(body)) return body;
  const [written] = childrenOf(body, call.draft.dialect.namespace, "UndeployPowerAction");
  const word = written === undefined ? "" : textOf(written).trim();
  if (word !== "" && !isUndeployWord(word)) return badRequest(`Unknown power action ${word}.`);
  return undeployIntent(vms, isUndeployWord(word) ? word : "powerOff");
}

/** Replaces an earlier one without a word; memory defaults to true (wire facts A.4). */
function createSnapshot(call: UserCall, vms: readonly CloudVm[]): Intent | CloudRefusal {
  const body = readBody(call, "createSnapshotParams", "CreateSnapshotParams");
  if (isRefusal(body)) return body;
  const memory = attributeOf(body, "memory") !== "false";
  const name = attributeOf(body, "name") ?? "";
  const held = vms.find((vm) => vm.independentDisk);
  if (held !== undefined) return { impossible: "has an independent disk attached" };
  const replaced = vms.find((vm) => vm.snapshot !== null);
  const effect = { kind: "snapshot", vmIds: idsOf(vms), name, memory } as const;
  if (replaced === undefined) return { effect };
  return { effect, violation: `The snapshot of VM "${replaced.name}" is silently replaced.` };
}

function isWithheld({ user }: UserCall, target: Target, right: CloudRight): boolean {
  const has = ({ withheld = [] }: Pick<CloudVm, "withheld">): boolean => !withheld.includes(right);
  return user.withheld.includes(right) || !vmsOfTarget(target).every(has);
}

function relocate(call: UserCall, vms: readonly CloudVm[]): Intent | CloudRefusal {
  const body = readBody(call, "relocateVmParams", "RelocateParams");
  if (isRefusal(body)) return body;
  const [wanted] = childrenOf(body, call.draft.dialect.namespace, "Datastore");
  const href = wanted === undefined ? undefined : attributeOf(wanted, "href");
  const id = /\/api\/admin\/extension\/datastore\/([^/?#]+)$/.exec(href ?? "")?.[1];
  if (id === undefined) return badRequest("RelocateParams needs a Datastore with its href.");
  const bad = checkUuid(id);
  if (bad !== undefined) return bad;
  const datastore = call.state.datastores.get(id);
  if (datastore === undefined) return noAccess(call.draft, "datastore", id);
  const effect = { kind: "relocate", vmIds: idsOf(vms), datastoreId: id } as const;
  const others = vms.filter(
    (vm) => managerOf(call.state, vm.datastoreId).id !== datastore.managerId,
  );
  const [other] = others;
  if (other !== undefined) {
    const cause = `VM "${other.name}" belongs to another one.`;
    const message = `Datastore "${datastore.name}" and its manager: ${cause}`;
    return { effect, plan: failingPlan({ major: 400, minor: "BAD_REQUEST", message }) };
  }
  const needMb = vms
    .filter((vm) => vm.datastoreId !== id)
    .reduce((sum, vm) => sum + vm.storageMb, 0);
  const freeMb = datastore.capacityMb - usedMb(call.state, datastore);
  if (datastore.enabled && needMb <= freeMb) return { effect };
  const cause = datastore.enabled
    ? `has ${freeMb} MB free, and ${needMb} MB are needed`
    : "is not enabled";
  const error: TaskError = {
    major: 400,
    minor: "BAD_REQUEST",
    message: `Datastore "${datastore.name}" ${cause}.`,
  };
  return { effect, plan: failingPlan(error) };
}

/** Needs 5.1, virtual hardware 9, and by default a VM that is off (wire facts A.4). */
function nestedAction(enabled: boolean): Action {
  return {
    operationName: "vappUpdateVm",
    running: "Updating",
    ended: "Updated",
    duration: "nested",
    since: "5.1",
    vmOnly: true,
    intent(call, vms) {
      const { nested_power: nestedPower, nested_supported: nestedSupported } = call.state.rules;
      const [vm] = vms;
      if (vm !== undefined && nestedPower === "off" && vm.status !== vmStatus.off) {
        return { impossible: "is not powered off" };
      }
      if (vm !== undefined && vm.hardwareVersion < 9) {
        return {
          impossible: `has virtual hardware version ${vm.hardwareVersion}, and 9 is needed`,
        };
      }
      const effect = { kind: "nested", vmIds: idsOf(vms), enabled } as const;
      if (nestedSupported || !enabled) return { effect };
      const message = "The host does not support nested hardware virtualization.";
      return { effect, plan: failingPlan({ major: 400, minor: "BAD_REQUEST", message }) };
    },
  };
}
