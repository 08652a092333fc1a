/**
 * A daemon in memory on a virtual clock. It refuses what the real one would refuse, and keeps every
 * refused mutation: a client that knows what it does sends none.
 */

import type { PreparedOperation } from "../../src/model/operation/operation.ts";
import type { PowerState } from "../../src/model/operation/power.ts";
import { RemoteError, type RemoteErrorKind } from "../../src/model/operation/remote-error.ts";
import type { Observation, Wanted } from "../../src/model/provider/observation.ts";
import type { Value } from "../../src/model/value/value.ts";
import type { Random } from "./random.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export type FakeVm = {
  readonly id: string;
  name: string | null;
  power: PowerState;
  firmware: string | null;
  share: boolean;
  /** A transition runs until then; reads show `changing` after `visibleMs`. */
  busyUntilMs: number;
  visibleMs: number;
  toolsMs: number;
  /** Clones being copied from it. */
  copies: number;
  readonly folders: Map<string, string>;
};

/** Every guest gets the same one. */
export const addressOfGuests = "10.0.0.1";

/** Odds of misbehaviour per mutating request. */
export type Faults = {
  /** A definite error without effect. */
  readonly refuse: number;
  /** Connection lost before the request took effect; it never will. */
  readonly lose: number;
  /** Connection lost, the effect happens all the same. */
  readonly reset: number;
  /** A positive reply without effect. */
  readonly ignore: number;
  /** Busy for a moment. */
  readonly busy: number;
};
export const noFaults: Faults = { refuse: 0, lose: 0, reset: 0, ignore: 0, busy: 0 };

export type Refusal = {
  readonly operation: PreparedOperation;
  readonly message: string;
  readonly kind: RemoteErrorKind;
  /** The request arrived after its operation's time limit. */
  readonly late: boolean;
};

export type FakeDaemon = {
  readonly vms: Map<string, FakeVm>;
  readonly creating: Set<string>;
  readonly refusals: Refusal[];
  /** Ids of VMs that were deleted, in order. */
  readonly deleted: string[];
  /** Operations hit by an injected fault. */
  readonly faulted: Set<string>;
  faults: Faults;
  cloneMs: number;
  read(wanted: readonly Wanted[]): readonly Observation[];
  /** Processes a request that has arrived; resolves when the reply is sent. */
  mutate(operation: PreparedOperation, deadlineMs: number): Promise<void>;
};

export function createFakeDaemon(clock: VirtualClock, random: Random): FakeDaemon {
  const daemon: FakeDaemon = {
    vms: new Map(),
    creating: new Set(),
    refusals: [],
    deleted: [],
    faulted: new Set(),
    faults: noFaults,
    cloneMs: 4_000,
    read: (wanted) => wanted.map((item) => observe(daemon, clock.now(), item)),
    mutate: async (operation, deadlineMs) => {
      const fault = drawFault(daemon.faults, random);
      if (fault !== undefined) daemon.faulted.add(`${operation.subject.address} ${operation.verb}`);
      if (fault === "refuse") throw definite("invalid", "injected: not today");
      if (fault === "busy") throw definite("busy", "injected: busy");
      if (fault === "lose") throw lost();
      if (fault === "ignore") return;
      try {
        await perform(daemon, clock, operation);
      } catch (error) {
        if (error instanceof RemoteError) {
          const { message, kind } = error;
          daemon.refusals.push({ operation, message, kind, late: clock.now() > deadlineMs });
        }
        throw error;
      }
      if (fault === "reset") throw lost();
    },
  };
  return daemon;
}

export function copyVms(vms: ReadonlyMap<string, FakeVm>): Map<string, FakeVm> {
  return new Map([...vms].map(([id, vm]) => [id, { ...vm, folders: new Map(vm.folders) }]));
}

function drawFault(faults: Faults, random: Random): keyof Faults | undefined {
  let draw = random.next();
  for (const name of ["refuse", "lose", "reset", "ignore", "busy"] as const) {
    if (draw < faults[name]) return name;
    draw -= faults[name];
  }
  return undefined;
}

function definite(kind: RemoteErrorKind, message: string): RemoteError {
  return new RemoteError({ kind, message, effect: "none" });
}

function lost(): RemoteError {
  return new RemoteError({ kind: "timeout", message: "connection reset", effect: "unknown" });
}

function observe(daemon: FakeDaemon, nowMs: number, wanted: Wanted): Observation {
  if (wanted.type === "fake_folder") return observeFolder(daemon, nowMs, wanted);
  const vm = daemon.vms.get(wanted.identity);
  if (vm === undefined) return { status: "missing", proof: "absent from the list" };
  const changing = vm.busyUntilMs > nowMs && vm.visibleMs <= nowMs;
  const attributes: { [name: string]: Value } = {
    id: vm.id,
    firmware: vm.firmware,
    power_state: changing ? "changing" : vm.power,
  };
  const readable = vm.power === "on" && !changing;
  if (readable) attributes.name = vm.name;
  if (wanted.attributes.includes("ip_address")) {
    attributes.ip_address = readable && vm.toolsMs <= nowMs ? addressOfGuests : null;
  }
  const unreadable = readable ? {} : { name: "by rule" as const };
  return { status: "found", identity: vm.id, attributes, unreadable };
}

function observeFolder(daemon: FakeDaemon, nowMs: number, wanted: Wanted): Observation {
  const [vmId = "", path = ""] = wanted.identity.split("/");
  const vm = daemon.vms.get(vmId);
  if (vm === undefined) return { status: "missing", proof: "its VM is absent from the list" };
  if (vm.power !== "on" || vm.toolsMs > nowMs || vm.busyUntilMs > nowMs) {
    return { status: "unreadable", rule: "by rule", reason: "its VM is not on" };
  }
  const hostPath = vm.folders.get(path);
  if (hostPath === undefined) return { status: "missing", proof: "not among the shares" };
  const attributes = { vm_id: vmId, guest_path: path, host_path: hostPath };
  return { status: "found", identity: wanted.identity, attributes, unreadable: {} };
}

async function perform(
  daemon: FakeDaemon,
  clock: VirtualClock,
  operation: PreparedOperation,
): Promise<void> {
  const { verb } = operation;
  const { identity } = operation.subject;
  const { inputs } = operation.request;
  if (verb === "create" || verb === "clone") return create(daemon, clock, operation);
  const vmId = operation.subject.type === "fake_folder" ? (identity.split("/")[0] ?? "") : identity;
  const vm = daemon.vms.get(vmId);
  if (vm === undefined) throw definite("not-found", `${vmId}: no such VM`);
  if (vm.busyUntilMs > clock.now() || vm.copies > 0) throw definite("busy", `${vmId} is busy`);
  const folder = identity.split("/")[1] ?? "";
  switch (verb) {
    case "on":
      requires(vm.power === "off" || vm.power === "suspended", `${vmId} is ${vm.power}`);
      return transition(clock, vm, "on", 1_000, 0, () => {
        vm.toolsMs = clock.now() + 700;
      });
    case "off":
      requires(vm.power === "on" || vm.power === "paused", `${vmId} is ${vm.power}`);
      return transition(clock, vm, "off", 100, 0);
    case "shutdown":
      requires(vm.power === "on", `${vmId} is ${vm.power}`);
      requires(vm.toolsMs <= clock.now(), `${vmId}: tools are not running`);
      // The reply comes at once, the guest takes its time, and at first nothing shows.
      void transition(clock, vm, "off", 900, 300);
      return clock.sleep(10);
    case "suspend":
      requires(vm.power === "on", `${vmId} is ${vm.power}`);
      return transition(clock, vm, "suspended", 500, 0);
    case "pause":
      requires(vm.power === "on", `${vmId} is ${vm.power}`);
      return transition(clock, vm, "paused", 50, 0);
    case "unpause":
      requires(vm.power === "paused", `${vmId} is ${vm.power}`);
      return transition(clock, vm, "on", 50, 0);
    case "delete":
      requires(vm.power === "off" || vm.power === "suspended", `${vmId} is ${vm.power}`);
      vm.busyUntilMs = clock.now() + 100;
      await clock.sleep(100);
      daemon.vms.delete(vmId);
      daemon.deleted.push(vmId);
      return;
    case "set-firmware":
      requires(vm.power === "off", `${vmId} is ${vm.power}`);
      await clock.sleep(30);
      vm.firmware = textOf(inputs.firmware);
      return;
    case "set-share":
      requiresTools(vm, clock.now());
      vm.share = inputs.share === true;
      return clock.sleep(20);
    case "add":
      requiresTools(vm, clock.now());
      if (vm.folders.has(folder)) throw definite("conflict", `${identity} exists`);
      await clock.sleep(20);
      vm.folders.set(folder, textOf(inputs.host_path));
      return;
    case "remove":
      requiresTools(vm, clock.now());
      if (!vm.folders.delete(folder)) throw definite("not-found", `${identity}: no such share`);
      return clock.sleep(20);
    default:
      throw new Error(`no verb ${verb}`);
  }
}

function textOf(value: Value | undefined): string {
  return typeof value === "string" ? value : "";
}

function requires(condition: boolean, message: string): void {
  if (!condition) throw definite("precondition", message);
}

function requiresTools(vm: FakeVm, nowMs: number): void {
  requires(vm.power === "on" && vm.toolsMs <= nowMs, `${vm.id}: tools are not running`);
}

async function transition(
  clock: VirtualClock,
  vm: FakeVm,
  to: PowerState,
  durationMs: number,
  hiddenMs: number,
  then?: () => void,
): Promise<void> {
  vm.busyUntilMs = clock.now() + durationMs;
  vm.visibleMs = clock.now() + hiddenMs;
  await clock.sleep(durationMs);
  vm.power = to;
  then?.();
}

async function create(
  daemon: FakeDaemon,
  clock: VirtualClock,
  operation: PreparedOperation,
): Promise<void> {
  const { identity } = operation.subject;
  const { inputs } = operation.request;
  if (daemon.vms.has(identity) || daemon.creating.has(identity)) {
    throw definite("conflict", `${identity} exists`);
  }
  const parent = daemon.vms.get(textOf(inputs.parent_id));
  if (operation.verb === "clone") {
    if (parent === undefined)
      throw definite("not-found", `${textOf(inputs.parent_id)}: no such parent`);
    requires(parent.power === "off", `parent ${parent.id} is ${parent.power}`);
    if (parent.busyUntilMs > clock.now()) throw definite("busy", `${parent.id} is busy`);
    parent.copies += 1;
  }
  daemon.creating.add(identity);
  await clock.sleep(operation.verb === "clone" ? daemon.cloneMs : 50);
  daemon.creating.delete(identity);
  if (parent !== undefined) parent.copies -= 1;
  daemon.vms.set(identity, {
    id: identity,
    name: typeof inputs.name === "string" ? inputs.name : null,
    power: "off",
    firmware: null,
    share: false,
    busyUntilMs: 0,
    visibleMs: 0,
    toolsMs: 0,
    copies: 0,
    folders: new Map(),
  });
}
