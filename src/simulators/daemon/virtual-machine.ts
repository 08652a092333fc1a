/**
 * One VM of the simulated daemon. Records are immutable; what depends on time (tools, address) is
 * computed from the moments they were set to begin, so it goes on between runs.
 */

import { createHash } from "node:crypto";
import type { DaemonVmEntry } from "../kit/generated/documents.ts";

export type PowerState = DaemonVmEntry["power"];

/** A mapping; `flags` 4 is read and write (specification, section B), 0 read only (facts B.4). */
export type SharedFolder = {
  readonly guestPath: string;
  readonly hostPath: string;
  readonly flags: number;
};

export type VirtualMachine = {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  readonly power: PowerState;
  readonly toolsInstalled: boolean;
  /** Simulated time at which the guest's tools run; null while the VM does not. */
  readonly toolsAtMs: number | null;
  /** Simulated time at which the guest has its address; null while the VM does not run. */
  readonly addressAtMs: number | null;
  readonly address: string;
  /** Folder sharing is enabled. */
  readonly sharing: boolean;
  readonly folders: readonly SharedFolder[];
};

/** A VM as it stands after its files were made: off, without sharing. */
export function newVirtualMachine(
  made: Pick<VirtualMachine, "id" | "name" | "tag" | "toolsInstalled">,
  seed: number,
): VirtualMachine {
  return {
    ...made,
    power: "off",
    toolsAtMs: null,
    addressAtMs: null,
    address: addressOf(seed, made.id),
    sharing: false,
    folders: [],
  };
}

/** The VM in another power state, its guest booted since long. */
export function withPower(vm: VirtualMachine, power: PowerState): VirtualMachine {
  const booted = power === "on" || power === "paused" ? 0 : null;
  return { ...vm, power, toolsAtMs: booted, addressAtMs: booted };
}

export function toolsRun(vm: VirtualMachine, nowMs: number): boolean {
  return vm.power === "on" && vm.toolsInstalled && isReached(vm.toolsAtMs, nowMs);
}

export function hasAddress(vm: VirtualMachine, nowMs: number): boolean {
  return toolsRun(vm, nowMs) && isReached(vm.addressAtMs, nowMs);
}

function isReached(timeMs: number | null, nowMs: number): boolean {
  return timeMs !== null && timeMs <= nowMs;
}

/**
 * The guest's address: 24 bits from the seed and the id, in 10.0.0.0/8. Independent of other VMs,
 * so two of many thousand may share one.
 */
function addressOf(seed: number, id: string): string {
  const digest = createHash("sha256").update(`${seed}:${id}`).digest();
  return `10.${digest[0]}.${digest[1]}.${1 + ((digest[2] ?? 0) % 254)}`;
}
