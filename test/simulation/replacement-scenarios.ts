/**
 * One small scenario for each rule of replacing: what ends an object waits for all that its
 * successor needs.
 */

import { RemoteError } from "../../src/model/operation/remote-error.ts";
import type { Desired, DesiredInstance } from "../../src/model/plan/desired.ts";
import type { Attributes } from "../../src/model/value/value.ts";
import { type Configuration, toDesired, vmAddress } from "./configuration.ts";
import { failureOf, runDesired } from "./engine-run.ts";
import {
  configuration,
  fails,
  given,
  meddle,
  on,
  type RuleScenario,
  refusals,
  unless,
  vm,
  worldOf,
} from "./rule-scene.ts";
import { runApply } from "./world.ts";

const noSuch = (): never => {
  throw new RemoteError({ kind: "invalid", effect: "none", message: "injected: no" });
};

/** The desired configuration, with attributes of one VM set by hand. */
function withAttributes(wanted: Configuration, name: string, more: Attributes): Desired {
  const desired = toDesired(wanted);
  const instances = desired.instances.map((instance): DesiredInstance => {
    if (instance.address !== vmAddress(name)) return instance;
    return {
      ...instance,
      resolve: (lookup) => {
        const resolved = instance.resolve(lookup);
        return { ...resolved, attributes: { ...resolved.attributes, ...more } };
      },
    };
  });
  return { ...desired, instances };
}

/** Rules about the destructive halves of replacements, and about VMs that leave. */
export const replacementScenarios: readonly RuleScenario[] = [
  {
    rule: "destructiveLast",
    name: "a VM is not deleted for a replacement whose predecessor fails",
    problems: async (rules) => {
      const world = worldOf(rules);
      const off = { power: "off" } as const;
      const before = [vm("db", off), vm("app", { label: "one", dependsOn: ["db"] })];
      await given(world, configuration(before));
      meddle(world, (operation, deliver) => (operation.verb === "on" ? noSuch() : deliver()));
      const after = [vm("db", on), vm("app", { label: "two", dependsOn: ["db"] })];
      await runApply(world, configuration(after));
      return unless(world.daemon.vms.has("id-app"), "the VM is lost");
    },
  },
  {
    rule: "destructiveLast",
    name: "nor for one whose predecessor is replaced itself, and cannot be made again",
    problems: async (rules) => {
      const world = worldOf(rules);
      const vms = (label: string) => [vm("db", { label }), vm("app", { label, dependsOn: ["db"] })];
      await given(world, configuration(vms("one")));
      meddle(world, (operation, deliver) =>
        operation.id.startsWith("fake_vm.db#create") ? noSuch() : deliver(),
      );
      await runApply(world, configuration(vms("two")));
      return unless(world.daemon.vms.has("id-app"), "the VM is lost");
    },
  },
  {
    rule: "checkFirst",
    name: "nor for a clone of a VM that somebody has turned on meanwhile",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("golden"), vm("db", { power: "off" }), vm("app")]));
      const wanted = configuration([vm("db", on), vm("app", { label: "two", dependsOn: ["db"] })]);
      const golden = world.daemon.vms.get("id-golden");
      // From here on nobody manages it.
      await given(world, configuration([vm("db", { power: "off" }), vm("app")]));
      if (golden !== undefined) world.daemon.vms.set("id-golden", golden);
      meddle(world, async (operation, deliver) => {
        await deliver();
        if (operation.verb === "on" && golden !== undefined) golden.power = "on";
      });
      await runDesired(world, withAttributes(wanted, "app", { parent_id: "id-golden" }));
      return unless(world.daemon.vms.has("id-app"), "the VM is lost");
    },
  },
  {
    rule: "keepEqual",
    name: "a late value that turns out as it was replaces nothing",
    problems: async (rules) => {
      const world = worldOf(rules);
      const wanted = configuration([vm("db", on), vm("app", { ...on, echo: "db" })]);
      await given(world, wanted);
      const before = world.daemon.vms.get("id-app");
      const db = world.daemon.vms.get("id-db");
      if (db !== undefined) db.power = "off";
      const problems = await fails(world, wanted);
      const kept = world.daemon.vms.get("id-app") === before;
      return [...problems, ...unless(kept, "the VM was made anew")];
    },
  },
  {
    rule: "clonesFirst",
    name: "a VM that leaves stays, and is on again, when the clone of it fails",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("old", on)]));
      meddle(world, (operation, deliver) => (operation.verb === "clone" ? noSuch() : deliver()));
      await runDesired(
        world,
        withAttributes(configuration([vm("copy")]), "copy", { parent_id: "id-old" }),
      );
      const power = world.daemon.vms.get("id-old")?.power;
      return unless(power === "on", `it is left ${power ?? "deleted"}`);
    },
  },
  {
    rule: "clonesFirst",
    name: "and is deleted when the clone stands",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("old", on)]));
      await world.clock.advance(5_000);
      const wanted = withAttributes(configuration([vm("copy", on)]), "copy", {
        parent_id: "id-old",
      });
      const problem = failureOf(await runDesired(world, wanted));
      const left = [...world.daemon.vms.keys()].join();
      return [
        ...(problem === undefined ? [] : [problem]),
        ...refusals(world),
        ...unless(left === "id-copy", `there are ${left}`),
      ];
    },
  },
];
