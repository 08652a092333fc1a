/**
 * One small scenario for each rule about remote tasks and attached objects: the reply is lost, the
 * process dies, or somebody else is at work. With all rules on none of them has a problem.
 */

import type { Rules } from "../../src/model/plan/rules.ts";
import {
  type CloudConfiguration,
  type CloudSnapshotConfig,
  type CloudVmConfig,
  cloudSnapshot,
  cloudVm,
  emptyCloud,
} from "./cloud-configuration.ts";
import { type CloudWorld, createCloudWorld, planCloud, runCloud } from "./cloud-world.ts";
import { failureOf, recordedNow } from "./engine-run.ts";
import { beginForeign, takeSnapshot } from "./fake-cloud.ts";
import type { CloudVm } from "./fake-cloud-objects.ts";
import { createRandom } from "./random.ts";
import type { RuleScenario } from "./rule-scene.ts";

export function realVm(id: string, parts: Partial<CloudVm> = {}): CloudVm {
  return {
    id,
    name: `name of ${id}`,
    vapp: "app",
    datastore: "ds-1",
    power: "on",
    nested: false,
    shelved: false,
    offersNested: false,
    hasTools: true,
    snapshot: undefined,
    ...parts,
  };
}

function configuration(
  vms: readonly CloudVmConfig[],
  snapshots: readonly CloudSnapshotConfig[] = [],
): CloudConfiguration {
  return { ...emptyCloud, vms, snapshots };
}

function vmOf({ cloud }: CloudWorld, id: string): CloudVm {
  const vm = cloud.vms.get(id);
  if (vm === undefined) throw new Error(`no VM ${id}`);
  return vm;
}

function unless(condition: boolean, problem: string): readonly string[] {
  return condition ? [] : [problem];
}

async function fails(world: CloudWorld, wanted: CloudConfiguration): Promise<readonly string[]> {
  const problem = failureOf(await runCloud(world, wanted));
  return problem === undefined ? [] : [problem];
}

/** Every request lingers on its way. */
function slowWire() {
  return { ...createRandom(1), chance: (probability: number) => probability > 0.1 };
}

/** Its task ends long before it has shut down. */
function slowGuest({ cloud }: CloudWorld): void {
  cloud.guestMs = 8_000;
  cloud.random.int = (below) => below - 1;
}

const a = cloudVm("a", "/vm/a");

export const cloudRuleScenarios: readonly RuleScenario[] = [
  {
    rule: "findTask",
    name: "a snapshot that was never asked for is not ours when there is one",
    problems: async (rules: Rules) => {
      const world = createCloudWorld(createRandom(1), [realVm("/vm/a")], rules);
      const wanted = configuration([a], [cloudSnapshot("s", "a")]);
      await runCloud(world, wanted, (point) => point === "request fake_cloud_snapshot.s#create.1");
      takeSnapshot(world.cloud, vmOf(world, "/vm/a"));
      await runCloud(world, wanted);
      const taken = recordedNow(world).objects.some(({ type }) => type === "fake_cloud_snapshot");
      return unless(!taken, "somebody else's snapshot is recorded as ours");
    },
  },
  {
    rule: "waitForGuest",
    name: "a guest that shuts down slower than its task ends is not turned off hard",
    problems: async (rules) => {
      const world = createCloudWorld(createRandom(1), [realVm("/vm/a")], rules);
      slowGuest(world);
      const problems = await fails(world, configuration([{ ...a, power: "off" }]));
      const { power } = vmOf(world, "/vm/a");
      return [...problems, ...world.cloud.violations, ...unless(power === "off", `it is ${power}`)];
    },
  },
  {
    rule: "waitForGuest",
    name: "nor by the run that comes after a kill",
    problems: async (rules) => {
      const world = createCloudWorld(createRandom(1), [realVm("/vm/a")], rules);
      slowGuest(world);
      const wanted = configuration([{ ...a, power: "off" }]);
      const killed = await runCloud(world, wanted, (point) => point.startsWith("reply "));
      const problems = await fails(world, wanted);
      const asked = world.cloud.tasks.filter(({ user }) => user === "us").length;
      return [
        ...unless(killed.end === "killed", "it was never killed"),
        ...problems,
        ...world.cloud.violations,
        ...unless(asked === 1, `it was asked ${asked} times`),
      ];
    },
  },
  {
    rule: "surroundings",
    name: "two VMs of one vApp are moved one after the other",
    problems: async (rules) => {
      const vms = [realVm("/vm/a"), realVm("/vm/b")];
      const world = createCloudWorld(createRandom(1), vms, rules);
      const moves = [{ ...a, datastore: "ds-2" }, cloudVm("b", "/vm/b", { datastore: "ds-2" })];
      return [...(await fails(world, configuration(moves))), ...world.cloud.violations];
    },
  },
  {
    rule: "passing",
    name: "another VM of the vApp does not wait for a window, but for the task that runs",
    problems: async (rules) => {
      const vms = [realVm("/vm/a"), realVm("/vm/b")];
      const world = createCloudWorld(createRandom(1), vms, rules);
      const b = cloudVm("b", "/vm/b", { datastore: "ds-2" });
      const { operations } = await planCloud(world, configuration([{ ...a, nested: true }, b]));
      const waits = operations.filter(({ id, order: { after } }) =>
        after.some((edge) => edge.id.startsWith("fake_cloud_vm.a#") !== id.includes(".a#")),
      );
      const opens = operations.some(({ order: { window } }) => window?.role === "open");
      return [
        ...unless(opens, "the plan has no window"),
        ...waits.map(({ id }) => `${id} waits for the other VM`),
      ];
    },
  },
  {
    rule: "askFirst",
    name: "a snapshot made by somebody while a VM was moved is not replaced",
    problems: async (rules) => {
      const world = createCloudWorld(createRandom(1), [realVm("/vm/a")], rules);
      world.clock.at(world.clock.now() + 1_000, () => {
        takeSnapshot(world.cloud, vmOf(world, "/vm/a"));
      });
      const moved = { ...a, datastore: "ds-2" };
      await runCloud(world, configuration([moved], [cloudSnapshot("s", "a")]));
      const vm = vmOf(world, "/vm/a");
      return [
        ...world.cloud.violations,
        ...unless(vm.datastore === "ds-2", "it was not moved"),
        ...unless(vm.snapshot?.owner === "others", "the snapshot is ours"),
      ];
    },
  },
  {
    rule: "beginAgain",
    name: "a request sent again and again is looked for from its last time on",
    problems: async (rules) => {
      const world = createCloudWorld(slowWire(), [realVm("/vm/a")], rules);
      beginForeign(world.cloud, vmOf(world, "/vm/a"), 4_000);
      let sent = 0;
      const killed = await runCloud(
        world,
        configuration([{ ...a, datastore: "ds-2" }]),
        (point) => {
          sent += point === "sent fake_cloud_vm.a#relocate.1" ? 1 : 0;
          return sent === 3;
        },
      );
      const problems = await fails(world, configuration([{ ...a, datastore: "ds-3" }]));
      const { datastore } = vmOf(world, "/vm/a");
      return [
        ...unless(killed.end === "killed", "it was never killed"),
        ...problems,
        ...world.cloud.violations,
        ...unless(datastore === "ds-3", `it is on ${datastore}`),
      ];
    },
  },
];
