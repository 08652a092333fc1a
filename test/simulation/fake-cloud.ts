/**
 * A cloud in memory on a virtual clock: VMs in vApps, one remote task at a time in each. It knows
 * what a client may not do, and keeps every case: a client that knows what it does has none.
 */

import type { PreparedOperation } from "../../src/model/operation/operation.ts";
import { changingPower } from "../../src/model/operation/power.ts";
import { RemoteError, type RemoteErrorKind } from "../../src/model/operation/remote-error.ts";
import type { TaskStatus } from "../../src/model/provider/provider.ts";
import type { Value } from "../../src/model/value/value.ts";
import type { CloudTask, CloudVm } from "./fake-cloud-objects.ts";
import { vmOfSnapshot } from "./fake-cloud-types.ts";
import { durationOf, kindOf, powerOf, preconditions } from "./fake-cloud-words.ts";
import type { Random } from "./random.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Odds of misbehaviour per mutating request, but for `blind`, which is per read. */
export type CloudFaults = {
  /** A definite error without effect. */
  readonly refuse: number;
  /** Connection lost before the request took effect; it never will. */
  readonly lose: number;
  /** Connection lost, the task runs all the same. */
  readonly reset: number;
  readonly error: number;
  readonly cancel: number;
  /** The task says success and has done nothing. */
  readonly idle: number;
  /** The reply comes when the task has ended. */
  readonly late: number;
  /** Somebody else has begun a task in the vApp a moment before. */
  readonly foreign: number;
  /** The task outlasts the limit of its operation. */
  readonly slow: number;
  /** A read, a poll or a search for tasks fails. */
  readonly blind: number;
};
export const noCloudFaults: CloudFaults = {
  refuse: 0,
  lose: 0,
  reset: 0,
  error: 0,
  cancel: 0,
  idle: 0,
  late: 0,
  foreign: 0,
  slow: 0,
  blind: 0,
};

export type Effect = {
  readonly vm: string;
  readonly verb: string;
  /** Datastore, label or power reached. */
  readonly target: string;
};

export type CloudRequest = {
  readonly operation: PreparedOperation;
  readonly by: object;
  readonly sentMs: number;
  readonly deadlineMs: number;
};

export type FakeCloud = {
  readonly vms: Map<string, CloudVm>;
  readonly tasks: CloudTask[];
  /** What our requests have changed, in order. */
  readonly effects: Effect[];
  /** What a correct client would not have caused. */
  readonly violations: string[];
  /** VMs that an injected fault has struck. */
  readonly struck: Set<string>;
  /** The server's clock is ahead of ours by this. */
  readonly skewMs: number;
  readonly random: Random;
  readonly clock: VirtualClock;
  /** The most that a guest takes to shut down after the task has ended well. */
  guestMs: number;
  faults: CloudFaults;
  nextTask: number;
};

/** Successful tasks stand in the list of their VM for so long, and on the server for longer. */
const listedMs = 700;
const keptMs = 40_000;

export function createFakeCloud(clock: VirtualClock, random: Random, skewMs: number): FakeCloud {
  return {
    vms: new Map(),
    tasks: [],
    effects: [],
    violations: [],
    struck: new Set(),
    skewMs,
    random,
    clock,
    guestMs: 7_000,
    faults: noCloudFaults,
    nextTask: 1,
  };
}

export function copyCloudVms(vms: ReadonlyMap<string, CloudVm>): Map<string, CloudVm> {
  return new Map([...vms].map(([id, vm]) => [id, { ...vm }]));
}

/** As its lists of tasks have it. */
function serverNow(cloud: FakeCloud): number {
  return cloud.clock.now() + cloud.skewMs;
}

/** As its replies have it: whole seconds. */
export function serverDate(cloud: FakeCloud): number {
  return Math.floor(serverNow(cloud) / 1_000) * 1_000;
}

/** Power as it shows: a transition while a task changes it. */
export function shownPower(cloud: FakeCloud, vm: CloudVm): string {
  const changes = runningIn(cloud, (task) => task.vm === vm.id).some(
    ({ operation }) => powerOf[operation] !== undefined,
  );
  return changes ? changingPower : vm.power;
}

export function runningIn(
  cloud: FakeCloud,
  select: (task: CloudTask) => boolean,
): readonly CloudTask[] {
  return cloud.tasks.filter((task) => task.status === "running" && select(task));
}

/** A task of somebody else that keeps the vApp busy; it may make a snapshot where there is none. */
export function beginForeign(cloud: FakeCloud, vm: CloudVm, ms: number, snapshot = false): void {
  const task = startTask(cloud, vm, snapshot ? "create" : "rename", ms, "others");
  cloud.clock.at(task.endMs, () => {
    task.status = "success";
    if (snapshot && vm.snapshot === undefined) takeSnapshot(cloud, vm);
  });
}

/** Somebody else makes a snapshot, which replaces the one that is there. */
export function takeSnapshot({ clock, skewMs }: FakeCloud, vm: CloudVm): void {
  const madeMs = clock.now();
  vm.snapshot = { created: `t${madeMs + skewMs}`, owner: "others", label: "theirs", madeMs };
}

/**
 * A request that has arrived. Resolves with the id of its task when the reply is sent; throws what
 * is refused at once, and what a broken connection looks like.
 */
export async function arrive(cloud: FakeCloud, request: CloudRequest): Promise<string> {
  const { clock, random } = cloud;
  const { operation } = request;
  const vm = cloud.vms.get(vmOfSnapshot(operation.subject.identity));
  const fault = drawFault(cloud);
  if (fault !== undefined) cloud.struck.add(vmOfSnapshot(operation.subject.identity));
  if (fault === "refuse") throw definite("invalid", "injected: not today");
  if (fault === "lose") throw lost();
  if (vm === undefined) throw refused(cloud, request, "not-found", "no such VM");
  if (fault === "foreign") beginForeign(cloud, vm, 500 + random.int(4_000), random.chance(0.3));
  const [holder] = runningIn(cloud, (task) => task.vapp === vm.vapp);
  if (holder !== undefined) throw busy(cloud, request, holder);
  if (vm.stopping === true && ["undeploy", "power-off"].includes(operation.verb)) {
    cloud.violations.push(`${operation.id}: turned off hard while its guest was shutting down`);
  }
  const problem = preconditions(vm, operation.verb);
  if (problem !== undefined) throw refused(cloud, request, "precondition", problem);
  const [least, most] = durationOf(operation.verb);
  const usualMs = least + random.int(most - least);
  const ms = fault === "slow" ? operation.proof.limitMs + 5_000 : usualMs;
  const task = startTask(cloud, vm, kindOf(operation.verb), ms, "us", request);
  clock.at(task.endMs, () => endTask(cloud, vm, task, request, fault));
  if (fault === "late") await clock.sleep(ms + 5);
  if (fault === "reset") throw lost();
  return task.id;
}

type FaultName = keyof CloudFaults;

function drawFault(cloud: FakeCloud): FaultName | undefined {
  let draw = cloud.random.next();
  for (const name of [
    "refuse",
    "lose",
    "reset",
    "error",
    "cancel",
    "idle",
    "late",
    "foreign",
    "slow",
  ] as const) {
    if (draw < cloud.faults[name]) return name;
    draw -= cloud.faults[name];
  }
  return undefined;
}

function definite(kind: RemoteErrorKind, message: string): RemoteError {
  return new RemoteError({ kind, message, effect: "none" });
}

function lost(): RemoteError {
  return new RemoteError({ kind: "timeout", message: "connection reset", effect: "unknown" });
}

/** A refusal that a correct client would not have met. */
function refused(
  cloud: FakeCloud,
  { operation }: CloudRequest,
  kind: RemoteErrorKind,
  message: string,
): RemoteError {
  // What is suspended may not be deployed, which nothing tells: then the fallback does it.
  const tried = operation.verb === "undeploy" && message.includes("shelved");
  if (!tried) cloud.violations.push(`refused: ${operation.id}: ${message}`);
  return definite(kind, message);
}

/** Nobody can know of a task of somebody else; ours we must know, until it outlasts its limit. */
function busy(cloud: FakeCloud, request: CloudRequest, holder: CloudTask): RemoteError {
  const nowMs = cloud.clock.now();
  const known = holder.user === "us" && nowMs < holder.limitMs;
  const { id } = request.operation;
  if (known) cloud.violations.push(`refused: ${id}: busy with our own ${holder.operation}`);
  return definite("busy", `${holder.vapp} is busy with ${holder.operation}`);
}

function startTask(
  cloud: FakeCloud,
  vm: CloudVm,
  operation: string,
  ms: number,
  user: CloudTask["user"],
  request?: CloudRequest,
): CloudTask {
  const task: CloudTask = {
    id: `task-${cloud.nextTask}`,
    vm: vm.id,
    vapp: vm.vapp,
    operation,
    user,
    startMs: serverNow(cloud),
    endMs: cloud.clock.now() + ms,
    status: "running",
    by: request?.by,
    limitMs: request?.deadlineMs ?? 0,
  };
  cloud.nextTask += 1;
  cloud.tasks.push(task);
  return task;
}

function endTask(
  cloud: FakeCloud,
  vm: CloudVm,
  task: CloudTask,
  request: CloudRequest,
  fault: FaultName | undefined,
): void {
  const { verb } = request.operation;
  const graceful = ["undeploy-shutdown", "shutdown"].includes(verb);
  const deaf = graceful && !vm.hasTools;
  if (fault === "error" || deaf) task.status = "error";
  else if (fault === "cancel") task.status = "canceled";
  else {
    task.status = "success";
    if (fault === "idle") return;
    if (graceful && cloud.guestMs > 0) stopGuest(cloud, vm, request);
    else takeEffect(cloud, vm, request);
  }
}

/** Until then it shows as on. */
function stopGuest(cloud: FakeCloud, vm: CloudVm, request: CloudRequest): void {
  vm.stopping = true;
  cloud.clock.at(cloud.clock.now() + cloud.random.int(cloud.guestMs), () => {
    if (vm.stopping !== true) return;
    vm.stopping = false;
    if (vm.power === "on") takeEffect(cloud, vm, request);
  });
}

function takeEffect(cloud: FakeCloud, vm: CloudVm, request: CloudRequest): void {
  const { operation } = request;
  const { verb } = operation;
  const { inputs } = operation.request;
  const power = powerOf[verb];
  const log = (target: string): void => {
    cloud.effects.push({ vm: vm.id, verb, target });
  };
  if (power !== undefined) {
    vm.power = power;
    vm.shelved = false;
    return log(power);
  }
  switch (verb) {
    case "relocate": {
      const target = textOf(inputs.datastore);
      if (vm.datastore === target)
        cloud.violations.push(`${operation.id}: is on ${target} already`);
      vm.datastore = target;
      return log(target);
    }
    case "set-nested": {
      const target = inputs.nested_hv_enabled === true;
      if (vm.nested === target) cloud.violations.push(`${operation.id}: is ${target} already`);
      vm.nested = target;
      return log(String(target));
    }
    case "create": {
      forbidLoss(cloud, vm, request, "replaced");
      const label = textOf(inputs.label);
      const created = `t${serverNow(cloud)}`;
      vm.snapshot = { created, owner: "us", label, madeMs: cloud.clock.now() };
      return log(label);
    }
    case "remove":
      if (vm.snapshot?.owner !== "us") forbidLoss(cloud, vm, request, "removed");
      vm.snapshot = undefined;
      return log("");
    default:
      throw new Error(`no verb ${verb}`);
  }
}

function textOf(value: Value | undefined): string {
  return typeof value === "string" ? value : "";
}

/** What has appeared since the request was sent, nobody could have known of. */
function forbidLoss(cloud: FakeCloud, vm: CloudVm, request: CloudRequest, how: string): void {
  const { snapshot } = vm;
  if (snapshot === undefined || snapshot.madeMs > request.sentMs - 10) return;
  cloud.violations.push(`${request.operation.id}: a snapshot of ${snapshot.owner} is ${how}`);
}

/** Tasks of a VM as its own list has them, then those that only the server still knows. */
export function listedTasks(cloud: FakeCloud, vm: string): readonly CloudTask[] {
  const nowMs = cloud.clock.now();
  const known = cloud.tasks.filter((task) => task.vm === vm && isKept(task, nowMs));
  const listed = known.filter((task) => task.status !== "success" || nowMs < task.endMs + listedMs);
  return [...listed, ...known.filter((task) => !listed.includes(task))];
}

function isKept(task: CloudTask, nowMs: number): boolean {
  return task.status === "running" || nowMs < task.endMs + keptMs;
}

export function pollCloudTask(cloud: FakeCloud, id: string): TaskStatus {
  const task = cloud.tasks.find((item) => item.id === id);
  if (task === undefined || !isKept(task, cloud.clock.now())) return { status: "vanished" };
  switch (task.status) {
    case "running":
      return { status: "running", word: "running", progress: 0 };
    case "success":
      return { status: "success" };
    default:
      return { status: "failed", message: `its task ended: ${task.status}` };
  }
}
