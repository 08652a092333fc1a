/**
 * One machine at two addresses, each through an interface of its own: what both want is sent once,
 * and what is done through the one is recorded of the other, also by the run after a kill.
 */

import { expect, test } from "vitest";
import { apply } from "../../../../src/engine/apply.ts";
import { prepare } from "../../../../src/engine/prepare.ts";
import { stringifyJson } from "../../../../src/lib/json.ts";
import type { ProviderSession, ResourceType } from "../../../../src/model/provider/provider.ts";
import type { Attributes } from "../../../../src/model/value/value.ts";
import { recordedObject, recordedState } from "../../../helpers/recorded-builder.ts";
import { fakeVm } from "../../../simulation/fake-types.ts";
import { desiredOf, instance } from "../desired-builder.ts";
import {
  type EngineWorld,
  engineWorld,
  found,
  ledgerOf,
  onAppend,
  recordedIn,
  session,
  sessionsOf,
} from "../engine-world.ts";

const typeOf = (name: string): ResourceType => ({
  ...fakeVm,
  name,
  entity: (identity) => `${name} ${identity}`,
  aliases: (identity) => [`machine ${identity}`],
  movedBy: { power_state: ["power_state"], firmware: ["firmware"] },
});
const types = { left_vm: typeOf("left_vm"), right_vm: typeOf("right_vm") };

type Scene = {
  readonly world: EngineWorld;
  readonly machine: { firmware: string; power_state: string };
  readonly sent: string[];
};

/** An interface shows what was done through the other one so much later, milliseconds. */
function open(power: "on" | "off", lagMs = 0): Scene {
  const machine = { firmware: "old", power_state: power as string };
  const seen = [{ atMs: Number.NEGATIVE_INFINITY, by: "", shown: { ...machine } }];
  const sent: string[] = [];
  const shownTo = (name: string): Attributes => {
    const shown = seen.findLast(
      ({ atMs, by }) => by === name || atMs <= world.clock.now() - lagMs,
    )?.shown;
    return { id: "m", ...shown, ip_address: shown?.power_state === "on" ? "10.0.0.1" : null };
  };
  const sessionFor = (name: string): ProviderSession =>
    session({
      read: (wanted) => Promise.resolve(wanted.map(() => found(shownTo(name)))),
      send: ({ verb, request: { inputs } }) => {
        sent.push(`${name} ${verb}`);
        if (verb === "set-firmware")
          machine.firmware = stringifyJson(inputs.firmware ?? null).slice(1, -1);
        else machine.power_state = verb === "on" ? "on" : "off";
        seen.push({ atMs: world.clock.now(), by: name, shown: { ...machine } });
        return Promise.resolve({});
      },
    });
  const recorded = ["left", "right"].map((name) =>
    recordedObject(`${name}_vm.m`, {
      ...{ type: `${name}_vm`, provider: name, identity: "m" },
      applied: { id: "m", firmware: "old", power },
      attributes: { id: "m", firmware: "old", power_state: power },
    }),
  );
  const world: EngineWorld = engineWorld(
    (name) => Promise.resolve(sessionFor(name)),
    types,
    recordedState(recorded, { journal: { id: "journal", position: 0 } }),
  );
  return { world, machine, sent };
}

function run({ world }: Scene, wants: Attributes, names = ["left", "right"]): Promise<boolean> {
  const instances = names.map((name) => instance(`${name}_vm.m`, { id: "m", ...wants }));
  const work = async (): Promise<boolean> => {
    const [sessions, ledger] = [sessionsOf(world), ledgerOf(world)];
    const options = {
      ...({ mode: "apply", simulated: false } as const),
      allowed: ["power-off", "power-cycle"] as const,
      select: { targets: instances.map(({ address }) => address), excludes: [], replace: [] },
    };
    const plan = await prepare(world.ports, sessions, ledger, desiredOf(instances), options);
    expect(plan.diagnostics).toEqual([]);
    const limits = { parallelism: 10, poolLimits: {} };
    return (await apply(world.ports, sessions, ledger, plan, limits)).succeeded;
  };
  return world.clock.until(work());
}

const recordedOf = ({ world }: Scene): readonly Attributes[] =>
  recordedIn(world).objects.map(({ attributes: { firmware = null, power_state = null } }) => ({
    firmware,
    power_state,
  }));

test.each([
  ["a change that needs another power: one power cycle", "on", { firmware: "new", power: "on" }, 3],
  ["a change of what is off", "off", { firmware: "new", power: "off" }, 1],
  ["a power word", "on", { firmware: "old", power: "off" }, 1],
] as const)("both want %s", async (_what, power, wants, requests) => {
  for (const lagMs of [0, 5_000]) {
    const scene = open(power, lagMs);
    expect(await run(scene, wants)).toBe(true);
    expect(scene.sent).toHaveLength(requests);
    expect(new Set(scene.sent.map((line) => line.split(" ")[0])).size).toBe(1);
    const seen = { firmware: wants.firmware, power_state: wants.power };
    expect(recordedOf(scene)).toEqual([seen, seen]);
    expect(recordedIn(scene.world).objects.map(({ applied }) => applied)).toMatchObject([
      wants,
      wants,
    ]);
    expect(recordedIn(scene.world).restores).toEqual([]);
  }
});

test("what does not show in time is sent by the other as well", async () => {
  const scene = open("off", 3_600_000);
  await run(scene, { firmware: "new", power: "off" });
  expect(scene.sent).toEqual(["left set-firmware", "right set-firmware"]);
});

test("what the one does is recorded of the other in the same write", async () => {
  const scene = open("off");
  const writes: string[][] = [];
  onAppend(scene.world, (entries) => writes.push(entries.map(({ kind }) => kind)));
  await run(scene, { firmware: "new", power: "off" }, ["left"]);
  expect(writes).toContainEqual(["end", "observed"]);
  expect(recordedOf(scene)).toEqual([
    { firmware: "new", power_state: "off" },
    { firmware: "new", power_state: "off" },
  ]);
});

test("a run that was killed before is closed together with it", async () => {
  const scene = open("off");
  onAppend(scene.world, (entries) => {
    // As killed after the request: nothing more is written.
    if (entries.some(({ kind }) => kind === "begin")) {
      scene.world.ports.store.append = () => new Promise(() => {});
    }
  });
  const append = scene.world.ports.store.append.bind(scene.world.ports.store);
  run(scene, { firmware: "new", power: "off" }, ["left"]).catch(() => {});
  await scene.world.clock.advance(1_000);
  expect(recordedIn(scene.world).open).toHaveLength(1);
  scene.world.ports.store.append = append;
  const ledger = ledgerOf(scene.world, "dry");
  const options = { mode: "refresh", allowed: [], simulated: false } as const;
  const none = desiredOf([], {
    providers: ["left", "right"].map((name) => ({ name, settings: null })),
  });
  const plan = await scene.world.clock.until(
    prepare(scene.world.ports, sessionsOf(scene.world), ledger, none, options),
  );
  expect(plan.drift).toEqual([]);
});
