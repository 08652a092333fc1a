/** Restarts change nothing, and neither does how often somebody looks, over random requests. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { makeChange } from "../../../../src/simulators/kit/change.ts";
import { filled } from "../../../../src/simulators/kit/document.ts";
import { shrinkDisk, wipeDisk } from "../../../../src/simulators/manager/browser/reclaim.ts";
import { methodOf } from "../../../../src/simulators/manager/methods/methods.ts";
import { managerChanges } from "../../../../src/simulators/manager/outside-change.ts";
import type {
  ManagerState,
  ManagerWorld,
} from "../../../../src/simulators/manager/world/manager-state.ts";
import {
  managerStateOf,
  managerWorldOf,
  settleManager,
} from "../../../../src/simulators/manager/world/manager-state.ts";
import { openSession } from "../../../../src/simulators/manager/world/session.ts";
import type { ChangeDocument } from "../../../../src/simulators/outside-change.ts";
import { readWorldSource } from "../../../../src/simulators/world.ts";

const sparse = { format: "sesparse" as const, size_gb: 20, used_gb: 12, stale_gb: 5 };
const world = readWorldSource(
  {
    manager: {
      durations_ms: { queued: 3, wipe: 40, shrink: 30, relocate: 50, tools: 7 },
      datastores: { fast: {}, slow: { capacity_gb: 30 } },
      vms: { a: { power: "on", disks: [sparse] }, b: { disks: [sparse, {}] } },
    },
  },
  1,
).manager;

type Step = (state: ManagerState, nowMs: number) => void;

/** A call without its envelope. */
function call(name: string, id: string, params: { readonly [name: string]: unknown } = {}): Step {
  return (state, nowMs) => {
    const method = methodOf(name);
    const [session] = [...state.sessions.values()];
    if (session === undefined || method?.needs !== "session") throw new Error(name);
    const target = { ref: "VirtualMachine", id };
    const common = { state, nowMs, session, version: "6.5", userAgent: "", plan: undefined };
    method.answer({ ...common, target, params: { is: name, ...(params as object) } });
  };
}

function reclaim(id: string, isWipe: boolean): Step {
  return (state, nowMs) => {
    const vm = state.vms.get(id);
    const [session] = [...state.sessions.values()];
    if (vm === undefined || session === undefined) throw new Error(id);
    const given = { state, session, nowMs, plan: undefined };
    if (isWipe) wipeDisk(given, vm);
    else shrinkDisk(given, vm, "");
  };
}

function outside(change: ChangeDocument): Step {
  const wanted = filled("WorldChange", change);
  return (state, nowMs) => {
    settleManager(state, nowMs);
    expect(makeChange(managerChanges, { state, nowMs }, wanted)).toBe(true);
  };
}

const vmSteps = (id: string, key: string): readonly Step[] => {
  const nested = { is: "VirtualMachineConfigSpec", nestedHVEnabled: true };
  const datastore = { ref: "Datastore", id: "datastore-12" };
  return [
    call("PowerOnVM_Task", id),
    call("PowerOffVM_Task", id),
    call("SuspendVM_Task", id),
    call("ResetVM_Task", id),
    call("ShutdownGuest", id),
    call("ReconfigVM_Task", id, { spec: nested }),
    call("RelocateVM_Task", id, { spec: { is: "VirtualMachineRelocateSpec", datastore } }),
    reclaim(id, true),
    reclaim(id, false),
    outside({ power_manager_vm: { vm: key, power: "on" } }),
    outside({ snapshot_manager_vm: { vm: key } }),
    outside({ change_manager_disk: { vm: key, disk: 2000, stale_gb: 1 } }),
    outside({ start_manager_task: { vm: key, duration_ms: 5 } }),
  ];
};

const step = fc.constantFrom(...vmSteps("vm-101", "a"), ...vmSteps("vm-102", "b"));
const plan = fc.array(fc.tuple(step, fc.nat({ max: 60 })), { minLength: 1, maxLength: 30 });

/** The world after all steps; with restarts and looks in between, or without. */
function run(steps: readonly (readonly [Step, number])[], isDisturbed: boolean): ManagerWorld {
  let nowMs = world.vms[0]?.changedMs ?? 0;
  let state = managerStateOf(world, 1);
  const [user] = state.users;
  if (user === undefined) throw new Error("no user");
  const session = openSession(state, user, "", nowMs);
  for (const [act, waitMs] of steps) {
    settleManager(state, nowMs);
    act(state, nowMs);
    if (isDisturbed) {
      const saved: ManagerWorld = JSON.parse(JSON.stringify(managerWorldOf(state)));
      state = managerStateOf(saved, 1);
      state.sessions.set(session.id, session);
      for (let ms = 0; ms < waitMs; ms += 7) settleManager(state, nowMs + ms);
    }
    nowMs += waitMs;
  }
  settleManager(state, nowMs + 1000);
  const { events: _events, ...rest } = managerWorldOf(state);
  return JSON.parse(JSON.stringify(rest)) as ManagerWorld;
}

test("a world that is restarted and looked at is the same", () => {
  fc.assert(
    fc.property(plan, (steps) => {
      expect(run(steps, true)).toEqual(run(steps, false));
    }),
    { numRuns: 150 },
  );
});

test("space is never negative, nothing is reclaimed twice, every task ends", () => {
  fc.assert(
    fc.property(plan, (steps) => {
      const after = run(steps, false);
      for (const disk of after.vms.flatMap((vm) => vm.disks)) {
        expect(disk.allocatedKb).toBeGreaterThanOrEqual(0);
        expect(disk.staleKb).toBeGreaterThanOrEqual(0);
        expect(disk.staleKb).toBeLessThanOrEqual(disk.allocatedKb);
        expect(disk.reclaimedKb + disk.allocatedKb).toBe(
          disk.format === "sesparse" ? 12 * 1024 * 1024 : disk.capacityKb,
        );
      }
      expect(after.tasks.filter((task) => task.ended === null)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
