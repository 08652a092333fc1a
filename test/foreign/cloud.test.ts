/**
 * The simulated cloud under libcloud, a client that nobody here wrote, over real HTTP. It speaks
 * the vendor's words, reads organizations, datacenters and vApps by links, and follows every task.
 */

import { afterEach, describe, expect, test } from "vitest";
import type { RunningSimulators } from "../../src/simulators/start.ts";
import { startSimulators } from "../../src/simulators/start.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { lacksPython, script } from "./clients.ts";

const running: RunningSimulators[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

async function cloud(): Promise<RunningSimulators> {
  const simulators = await startSimulators({
    world: {
      cloud: {
        rules: { dialect: "vendor" },
        users: [{ name: "admin", org: "shop", password: "secret" }],
        vapps: {
          app: {
            org: "shop",
            owner: "admin",
            vms: { one: { power: "on" }, two: { power: "off" } },
          },
        },
      },
    },
  });
  running.push(simulators);
  return simulators;
}

const inState = (state: string): unknown => [
  "app",
  state,
  "shop vdc",
  [
    ["one", state],
    ["two", state],
  ],
];

describe.skipIf(lacksPython)("libcloud", () => {
  test.each(["1.5", "5.1"])("logs in, lists and asks at version %s", async (version) => {
    const simulators = await cloud();
    expect(await script("cloud.py", simulators.origins.cloud, "read", version)).toEqual({
      vdcs: [["shop vdc", "AllocationVApp", "MHz"]],
      // A vApp whose VMs differ has a state that it has no word for.
      node: [
        "app",
        "unknown",
        "shop vdc",
        [
          ["one", "running"],
          ["two", "stopped"],
        ],
      ],
      lease: [0, 0],
      same: true,
      vms: ["one", "two"],
      on: ["one"],
      none: [],
    });
  });

  test("changes the power of a vApp, and follows every task", onlyInLongRun, async () => {
    const simulators = await cloud();
    expect(await script("cloud.py", simulators.origins.cloud, "change", "1.5")).toEqual([
      inState("running"),
      inState("pending"),
      inState("running"),
      inState("stopped"),
      true,
      inState("stopped"),
    ]);
    const { tasks, vms } = simulators.world().cloud;
    expect(tasks.every(({ ended }) => ended?.status === "success")).toBe(true);
    expect(vms.map(({ deployed }) => deployed)).toEqual([false, false]);
  });
});
