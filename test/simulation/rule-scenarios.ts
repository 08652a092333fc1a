/**
 * One small scenario for each rule that random configurations cannot show to be needed: the world
 * is slow, somebody else changes it, or an error says less than the truth. With all rules on none
 * of them has a problem.
 */

import { createDispatcher } from "../../src/engine/dispatch/dispatcher.ts";
import { RemoteError } from "../../src/model/operation/remote-error.ts";
import { limits } from "./fake-types.ts";
import {
  configuration,
  fails,
  folder,
  given,
  logWords,
  meddle,
  on,
  type RuleScenario,
  refusals,
  unless,
  vm,
  worldOf,
} from "./rule-scene.ts";
import { planOnly, runApply } from "./world.ts";

export const ruleScenarios: readonly RuleScenario[] = [
  {
    rule: "appliedSeparate",
    name: "a VM renamed outside is reported, and not replaced by the second apply",
    problems: async (rules) => {
      const world = worldOf(rules);
      const wanted = configuration([vm("a", { ...on, label: "one" })]);
      await given(world, wanted);
      const before = world.daemon.vms.get("id-a");
      if (before !== undefined) before.name = "two";
      const plan = await planOnly(world, wanted);
      const drift = plan.drift.flatMap((item) => item.attributes.map((one) => one.attribute));
      return [
        ...unless(drift.join() === "name", `drift is ${drift.join()}`),
        ...(await fails(world, wanted)),
        ...(await fails(world, wanted)),
        ...unless(world.daemon.vms.get("id-a") === before, "the VM was replaced"),
      ];
    },
  },
  {
    rule: "tentative",
    name: "a clone that outlasts its limit is ours when it appears",
    problems: async (rules) => {
      const world = worldOf(rules);
      const parent = vm("parent");
      await given(world, configuration([parent]));
      world.daemon.cloneMs = 2 * limits.clone;
      const wanted = configuration([parent, vm("copy", { parent: "parent" })]);
      await runApply(world, wanted);
      await world.clock.advance(2 * limits.clone);
      return fails(world, wanted);
    },
  },
  {
    rule: "settleConflict",
    name: "a clone asked for again while it still runs is waited for",
    problems: async (rules) => {
      const world = worldOf(rules);
      const parent = vm("parent");
      await given(world, configuration([parent]));
      world.daemon.cloneMs = 1.5 * limits.clone;
      const wanted = configuration([parent, vm("copy", { parent: "parent" })]);
      await runApply(world, wanted);
      return fails(world, wanted);
    },
  },
  {
    rule: "readAfterError",
    name: "a delete that finds nothing left to delete is done",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("a"), vm("b")]));
      meddle(world, (operation, deliver) => {
        if (operation.verb === "delete") world.daemon.vms.delete(operation.subject.identity);
        return deliver();
      });
      return fails(world, configuration([vm("b")]));
    },
  },
  {
    rule: "readAfterError",
    name: "an error that follows the effect does not undo it",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("a")]));
      meddle(world, async (operation, deliver) => {
        await deliver();
        if (operation.verb !== "on") return;
        throw new RemoteError({ kind: "invalid", effect: "none", message: "injected: no" });
      });
      return fails(world, configuration([vm("a", on)]));
    },
  },
  {
    rule: "carryOpen",
    name: "an operation that is open while a long apply compacts is settled by the next run",
    problems: async (rules) => {
      const world = worldOf(rules);
      const many = Array.from({ length: 2_510 }, (_, index) => vm(`v${index}`));
      const wanted = configuration(many);
      // The first snapshot is that of the empty state.
      let snapshots = 0;
      const killed = await runApply(world, wanted, (name) => {
        snapshots += name === "compacted" ? 1 : 0;
        return snapshots === 2;
      });
      const problems = unless(killed.end === "killed", "it was never killed");
      return [...problems, ...(await fails(world, wanted)), ...refusals(world)];
    },
  },
  {
    rule: "retryClosing",
    name: "the word that ends a window is sent again when it had no effect",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("a", on)]));
      let ignored = 0;
      meddle(world, (operation, deliver) => {
        if (operation.verb !== "on" || ignored > 0) return deliver();
        ignored += 1;
        return Promise.resolve();
      });
      const problems = await fails(world, configuration([vm("a", { ...on, firmware: "new" })]));
      const power = world.daemon.vms.get("id-a")?.power;
      return [...problems, ...unless(power === "on", `it is left ${power}`)];
    },
  },
  {
    rule: "openLate",
    name: "a VM is not disturbed for work that cannot come",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("base"), vm("a", { power: "off" })]));
      const words = logWords(world);
      meddle(world, (operation, deliver) => {
        if (operation.verb !== "clone") return deliver();
        throw new RemoteError({ kind: "invalid", effect: "none", message: "injected: no" });
      });
      const copy = vm("copy", { parent: "base" });
      await runApply(
        world,
        configuration(
          [vm("base"), vm("a", { power: "off" }), copy],
          [folder("f", "a", { dependsOn: ["copy"] })],
        ),
      );
      return unless(words.length === 0, `sent: ${words.join()}`);
    },
  },
  {
    rule: "reserve",
    name: "the same VM seen through another provider is left alone while its window is open",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("a", on)]));
      const wanted = configuration([vm("a", { ...on, firmware: "new" })]);
      const { operations } = await planOnly(world, wanted);
      const first = operations.find((operation) => operation.order.window?.role === "open");
      if (first === undefined) throw new Error("the plan has no window");
      // What the other provider does to the VM, ready as soon as the window has opened.
      const { window: _window, ...loose } = first.order;
      const after = [{ id: first.id, on: "settled" as const }];
      const other = { ...first, id: "other", order: { ...loose, after } };
      const options = { parallelism: 4, poolLimits: {}, rules };
      const dispatcher = createDispatcher([other, ...operations], options);
      const order: string[] = [];
      for (let some = dispatcher.start(); some.length > 0; some = dispatcher.start()) {
        for (const { id } of some) {
          order.push(id);
          dispatcher.settle(id, "success");
        }
      }
      return unless(order.at(-1) === "other", `in the order ${order.join(", ")}`);
    },
  },
  {
    rule: "inheritPower",
    name: "a VM that is replaced gets the power of the one before when none is configured",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("a", { ...on, label: "one" })]));
      const problems = await fails(world, configuration([vm("a", { label: "two" })]));
      const power = world.daemon.vms.get("id-a")?.power;
      return [...problems, ...unless(power === "on", `the new VM is ${power}`)];
    },
  },
  {
    rule: "renamedKey",
    name: "a resource that was renamed keeps its VM: the plan asks for a moved entry",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("a", { id: "kept" })]));
      const before = world.daemon.vms.get("kept");
      const run = await runApply(world, configuration([vm("b", { id: "kept" })]));
      const codes = run.end === "refused" ? run.plan.diagnostics.map((item) => item.code) : [];
      return [
        ...unless(world.daemon.vms.get("kept") === before, "the VM was made anew"),
        ...unless(codes.join() === "PLN003", `the run ended ${run.end} ${codes.join()}`),
      ];
    },
  },
  {
    rule: "keyMoves",
    name: "a key that a replaced VM still holds is taken over once that VM is deleted",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("a", { id: "kept" })]));
      const meddled = { on: true };
      meddle(world, async (operation, deliver) => {
        if (!meddled.on || operation.verb !== "delete") return deliver();
        throw new RemoteError({ kind: "invalid", effect: "none", message: "injected: no" });
      });
      const successor = vm("a", { id: "next", createFirst: true });
      await runApply(world, configuration([successor]));
      meddled.on = false;
      return fails(world, configuration([vm("b", { id: "kept" }), successor]));
    },
  },
  {
    rule: "valueEdges",
    name: "literal ids order a clone after its parent, and a folder after its VM",
    problems: async (rules) => {
      const world = worldOf(rules);
      const vms = [vm("base"), vm("copy", { ...on, parent: "base" })];
      const wanted = { ...configuration(vms, [folder("f", "copy")]), literal: true };
      return [...(await fails(world, wanted)), ...refusals(world)];
    },
  },
  {
    rule: "readBack",
    name: "the next plan does not report our own changes as drift",
    problems: async (rules) => {
      const world = worldOf(rules);
      await given(world, configuration([vm("a", on)]));
      const wanted = configuration([vm("a", { power: "off", firmware: "new" })]);
      const problems = await fails(world, wanted);
      const { drift } = await planOnly(world, wanted);
      return [...problems, ...drift.map((item) => `${item.address} ${item.status}`)];
    },
  },
];
