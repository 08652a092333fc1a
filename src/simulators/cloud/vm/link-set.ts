/**
 * Which links a VM or vApp offers: only what its state, the caller's role, the version and running
 * tasks permit (wire facts A.3.3). A missing link can mean any of these. Pure.
 */

import { isAtLeast } from "../../kit/version.ts";
import type { CloudRight, CloudVm } from "../world/inventory.ts";
import { rightOf, vmStatus } from "../world/inventory.ts";

export type OfferedLink = {
  readonly rel: string;
  /** Behind the href of the VM or vApp; empty for itself. */
  readonly suffix: string;
  /** Media type name of the body it needs; none without a body. */
  readonly type?: string;
  readonly name?: string;
};

export type LinkFacts = {
  readonly version: string;
  /** A task of the VM or of its whole vApp has not ended. */
  readonly busy: boolean;
  readonly administrator: boolean;
  /** Rights that the caller has not. */
  readonly withheld: readonly CloudRight[];
};

type Shape = Pick<CloudVm, "status" | "deployed">;

/** Links of power and deployment; those of a vApp are the same. */
export function powerLinks({ status, deployed }: Shape): readonly OfferedLink[] {
  const links: OfferedLink[] = [];
  const power = (word: string): void => {
    links.push({ rel: `power:${word}`, suffix: `/power/action/${word}` });
  };
  const isOn = status === vmStatus.on;
  const isOff = status === vmStatus.off;
  const isSuspended = status === vmStatus.suspended;
  if (isOff || isSuspended) power("powerOn");
  if (isOn) for (const word of ["powerOff", "reset", "reboot", "shutdown", "suspend"]) power(word);
  if (isOff) links.push({ rel: "deploy", suffix: "/action/deploy", type: "deployVAppParams" });
  if (isSuspended || (deployed && (isOn || isOff))) {
    links.push({ rel: "undeploy", suffix: "/action/undeploy", type: "undeployVAppParams" });
  }
  if (isSuspended) links.push({ rel: "discardState", suffix: "/action/discardSuspendedState" });
  if (!isOn && !deployed) links.push({ rel: "remove", suffix: "" });
  return links;
}

export function snapshotLinks(hasSnapshot: boolean): readonly OfferedLink[] {
  const create = {
    rel: "snapshot:create",
    suffix: "/action/createSnapshot",
    type: "createSnapshotParams",
  };
  if (!hasSnapshot) return [create];
  return [
    create,
    { rel: "snapshot:revertToCurrent", suffix: "/action/revertToCurrentSnapshot" },
    { rel: "snapshot:removeAll", suffix: "/action/removeAllSnapshots" },
  ];
}

/** Actions of a VM. Busy, being made or failed: none at all. */
export function vmLinks(vm: CloudVm, facts: LinkFacts, nestedPower: "off" | "any") {
  const isOn = vm.status === vmStatus.on;
  const isOff = vm.status === vmStatus.off;
  const isSettled = isOn || isOff || vm.status === vmStatus.suspended;
  if (facts.busy || !isSettled) return [];
  const links: OfferedLink[] = [...powerLinks(vm)];
  if (isOn) {
    links.push({ rel: "screen:acquireTicket", suffix: "/screen/action/acquireTicket" });
  }
  links.push({ rel: "edit", suffix: "", type: "vm" });
  if (isAtLeast(facts.version, "5.1")) {
    const suffix = "/action/reconfigureVm";
    links.push({ rel: "reconfigureVm", suffix, type: "vm", name: vm.name });
    if ((isOff || nestedPower === "any") && vm.hardwareVersion >= 9) {
      const word = vm.nested ? "disable" : "enable";
      links.push({ rel: word, suffix: `/action/${word}NestedHypervisor` });
    }
    links.push(...snapshotLinks(vm.snapshot !== null));
  }
  if (facts.administrator) {
    links.push({ rel: "relocate", suffix: "/action/relocate", type: "relocateVmParams" });
  }
  return links.filter(({ suffix }) => {
    const right = rightOf(suffix);
    return right === undefined || !facts.withheld.includes(right);
  });
}
