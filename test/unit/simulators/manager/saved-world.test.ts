/** Worlds of before there was a manager or an appliance, and of before some of their settings. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { World } from "../../../../src/simulators/world.ts";
import { simulate, stopNow } from "../simulation.ts";

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

/** A persisted world after an edit, opened again. */
async function reopened(edit: (world: World) => unknown): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), "earlier-manager-"));
  homes.push(home);
  const persist = join(home, "world.json");
  const world = {
    daemon: { vms: { web: {} } },
    manager: { rules: { datacenter: "east" }, durations_ms: { wipe: 7 }, vms: { db: {} } },
    appliance: {},
  };
  await stopNow(await simulate({ world, persist }));
  const saved: World = JSON.parse(readFileSync(persist, "utf8"));
  writeFileSync(persist, JSON.stringify(edit(saved)));
  const simulators = await simulate({ world: {}, persist });
  return simulators.world();
}

test("a world without both gets empty ones", async () => {
  const world = await reopened(({ manager: _manager, appliance: _appliance, ...rest }) => rest);
  expect(world.daemon.vms).toHaveLength(1);
  expect(world.manager).toMatchObject({ vms: [], rules: { datacenter: "dc" } });
  expect(world.appliance).toMatchObject({ vm: null, partitions: [] });
});

test("settings that are missing are filled in, the others kept", async () => {
  const world = await reopened(({ manager, appliance, ...rest }) => ({
    ...rest,
    manager: {
      ...manager,
      rules: { kind: "manager", datacenter: manager.rules.datacenter },
      durations: { wipe: manager.durations.wipe },
    },
    appliance: { ...appliance, rules: { release: "6.5" } },
  }));
  const { manager } = world;
  expect(manager.rules).toMatchObject({ datacenter: "east", refusals: "task", sessionMinutes: 30 });
  expect(manager.durations).toMatchObject({ wipe: 7, shrink: 100 });
  expect(manager.vms.map((vm) => vm.key)).toEqual(["db", "vcsa"]);
  expect(world.appliance.rules).toMatchObject({ basic: "accepted" });
  expect(world.appliance.partitions).toHaveLength(12);
});

test("a world of today is not touched", async () => {
  let before: World | undefined;
  const world = await reopened((saved) => {
    before = saved;
    return saved;
  });
  expect({ ...world, clock: 0 }).toEqual({ ...before, clock: 0 });
});
