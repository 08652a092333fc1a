/** A session of one process with the fake cloud: what it reads, sends and finds there. */

import { RemoteError } from "../../src/model/operation/remote-error.ts";
import type { Observation, Wanted } from "../../src/model/provider/observation.ts";
import type {
  FactsAnswer,
  FactsRequest,
  ProviderSession,
} from "../../src/model/provider/provider.ts";
import type { BeginEntry } from "../../src/model/recorded/begin-entry.ts";
import type { Value } from "../../src/model/value/value.ts";
import { say } from "./engine-run.ts";
import {
  arrive,
  type FakeCloud,
  listedTasks,
  pollCloudTask,
  runningIn,
  serverDate,
  shownPower,
} from "./fake-cloud.ts";
import type { CloudVm } from "./fake-cloud-objects.ts";
import {
  createdOf,
  fakeCloudSnapshot,
  requestLimitMs,
  snapshotIdentity,
  vmOfSnapshot,
} from "./fake-cloud-types.ts";
import { kindOf } from "./fake-cloud-words.ts";
import type { Process } from "./process.ts";

export function cloudSession(cloud: FakeCloud, process: Process): ProviderSession {
  const { clock, random } = cloud;
  const visit = async (name: string): Promise<void> => {
    await process.point(name);
    await clock.sleep(2);
    if (!random.chance(cloud.faults.blind)) return;
    const message = "injected: try again later";
    throw new RemoteError({ kind: "unavailable", effect: "none", message });
  };
  return {
    read: async (wanted) => {
      await visit("read");
      return wanted.map((item) => observe(cloud, item));
    },
    send: async (operation, deadlineMs) => {
      await process.point(`request ${operation.id}`);
      // A request may linger in the socket, also after its sender has died.
      const travelMs = random.chance(0.15) ? requestLimitMs - 300 : 2;
      const request = { operation, by: process, sentMs: clock.now(), deadlineMs };
      const reply = clock.sleep(travelMs).then(() => arrive(cloud, request));
      reply.then(
        (task) => say(cloud, `cloud began ${task} of ${operation.id}`),
        (error: unknown) => say(cloud, `cloud on ${operation.id}: ${String(error)}`),
      );
      await process.point(`sent ${operation.id}`);
      const limit = clock.sleep(Math.max(0, deadlineMs - clock.now())).then(() => {
        throw new RemoteError({ kind: "timeout", effect: "unknown", message: "no reply in time" });
      });
      limit.catch(() => {});
      try {
        return { handle: { task: await Promise.race([reply, limit]) } };
      } finally {
        await process.point(`reply ${operation.id}`);
      }
    },
    poll: async (handle) => {
      await visit("poll");
      return pollCloudTask(cloud, taskOf(handle));
    },
    findTask: async (begin) => {
      await visit("find task");
      return find(cloud, begin);
    },
    facts: async (requests) => {
      await visit("facts");
      return requests.map((request) => factsOf(cloud, request));
    },
    serverTime: async () => {
      await process.point("server time");
      return serverDate(cloud);
    },
    list: async (type) => {
      await visit("list");
      return [...cloud.vms.keys()].map((identity) => ({ type, identity }));
    },
    close: () => Promise.resolve(),
  };
}

function taskOf(handle: Value): string {
  const named = typeof handle === "object" && handle !== null && "task" in handle;
  if (named && typeof handle.task === "string") return handle.task;
  throw new Error("a handle without a task");
}

/** Ours, by what it does, to what, and when, by the server's clock. */
function find(cloud: FakeCloud, begin: BeginEntry): Value | undefined {
  const sinceMs = begin.serverTimeMs ?? 0;
  const earlier = new Set(begin.earlierTasks?.map(taskOf));
  const kind = kindOf(begin.verb);
  const found = listedTasks(cloud, vmOfSnapshot(begin.subject.identity)).find(
    ({ id, operation, user, startMs }) =>
      operation === kind && user === "us" && startMs >= sinceMs && !earlier.has(id),
  );
  return found === undefined ? undefined : { task: found.id };
}

function factsOf(cloud: FakeCloud, { identity }: FactsRequest): FactsAnswer {
  const vm = cloud.vms.get(identity);
  if (vm === undefined) return { status: "failed", reason: `${identity} cannot be read` };
  const running = runningIn(cloud, (task) => task.vapp === vm.vapp).length > 0;
  return { status: "read", facts: { nested_offered: vm.offersNested, running } };
}

function observe(cloud: FakeCloud, wanted: Wanted): Observation {
  if (wanted.type === fakeCloudSnapshot.name) return observeSnapshot(cloud, wanted.identity);
  if (wanted.identity !== "") return observeVm(cloud, cloud.vms.get(wanted.identity));
  const { href = null, name = null, vapp_name: vapp = null } = wanted.lookup ?? {};
  const matches = [...cloud.vms.values()].filter(
    (vm) =>
      (href === null || vm.id === href) &&
      (name === null || vm.name === name) &&
      (vapp === null || vm.vapp === vapp),
  );
  if (matches.length <= 1) return observeVm(cloud, matches[0]);
  const reason = `${matches.length} VMs match`;
  const names = matches.map((vm) => `${vm.id} in ${vm.vapp}`);
  return { status: "unreadable", rule: "failed", reason, matches: names };
}

function observeVm(cloud: FakeCloud, vm: CloudVm | undefined): Observation {
  if (vm === undefined) return { status: "missing", proof: "absent from the list" };
  const attributes = {
    href: vm.id,
    name: vm.name,
    vapp_name: vm.vapp,
    vapp_href: `/vapp/${vm.vapp}`,
    datastore: vm.datastore,
    nested_hv_enabled: vm.nested,
    power_state: shownPower(cloud, vm),
  };
  return { status: "found", identity: vm.id, attributes, unreadable: {} };
}

function observeSnapshot(cloud: FakeCloud, identity: string): Observation {
  const vm = cloud.vms.get(vmOfSnapshot(identity));
  if (vm === undefined) return { status: "missing", proof: "its VM is absent from the list" };
  const { snapshot } = vm;
  if (snapshot === undefined) return { status: "missing", proof: "its VM has no snapshot" };
  const { created } = snapshot;
  const made = createdOf(identity);
  if (made !== undefined && made !== created) {
    return { status: "missing", proof: "its VM has another snapshot" };
  }
  const attributes = { vm: vm.id, created_at: created, vapp_href: `/vapp/${vm.vapp}` };
  const unreadable = {};
  return { status: "found", identity: snapshotIdentity(vm.id, created), attributes, unreadable };
}
