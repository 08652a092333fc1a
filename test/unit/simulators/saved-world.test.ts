/** Persisted worlds: settings are held against the schemas of a world file, and filled in from them. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { World } from "../../../src/simulators/world.ts";
import { simulate, stopNow } from "./simulation.ts";

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

/** A persisted world after an edit, opened again. */
async function reopened(edit: (world: World) => unknown): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), "saved-world-"));
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
  const rules = { datacenter: "east", refusals: "task", session_minutes: 30 };
  expect(manager.rules).toMatchObject(rules);
  expect(manager.durations).toMatchObject({ wipe: 7, shrink: 100 });
  expect(manager.vms.map((vm) => vm.key)).toEqual(["db", "vcsa"]);
  expect(world.appliance.rules).toMatchObject({ basic: "accepted" });
  expect(world.appliance.partitions).toHaveLength(12);
});

test("a world as it was saved is not touched", async () => {
  let before: World | undefined;
  const world = await reopened((saved) => {
    before = saved;
    return saved;
  });
  expect({ ...world, clock: 0 }).toEqual({ ...before, clock: 0 });
});

test.each<readonly [string, (world: World) => unknown, string]>([
  ["a part is missing", ({ manager: _manager, ...rest }) => rest, "'manager'"],
  ["another version", (world) => ({ ...world, formatVersion: 2 }), "formatVersion must be"],
  [
    "a setting that is none",
    (world) => ({ ...world, daemon: { ...world.daemon, rules: { on_when_on: 404 } } }),
    "daemon.rules.on_when_on must be equal to one of",
  ],
])("%s", async (_name, edit, problem) => {
  const opening = reopened(edit);
  await expect(opening).rejects.toThrow(problem);
  await expect(opening).rejects.toThrow("remove it to begin again");
});
