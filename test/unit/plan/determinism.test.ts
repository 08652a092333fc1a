/** Plans of random estates: equal inputs give equal bytes, and the order of resources means nothing. */

import { expect, test } from "vitest";
import { stringifyJson } from "../../../src/lib/json.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { plan } from "../../../src/plan/plan.ts";
import { onlyInLongRun } from "../../helpers/amount.ts";
import { withParts } from "../../helpers/parts.ts";
import {
  type Configuration,
  editConfiguration,
  randomConfiguration,
} from "../../simulation/configuration.ts";
import type { FakeVm } from "../../simulation/fake-daemon.ts";
import { createRandom, type Random } from "../../simulation/random.ts";
import { createWorld, planOnly, runApply, type World } from "../../simulation/world.ts";
import { existingVm, inputOf } from "./planning.ts";

const seeds = Array.from({ length: 80 }, (_none, index) => index + 1);

async function estate(seed: number): Promise<readonly [World, Configuration, Random]> {
  const random = createRandom(seed);
  const world = createWorld(createRandom(seed + 1));
  const before = randomConfiguration(random);
  await runApply(world, before);
  return [world, editConfiguration(before, random), random];
}

test("the same inputs give the same bytes", async () => {
  let operations = 0;
  for (const seed of seeds) {
    const [world, wants] = await estate(seed);
    const vms = [...world.daemon.vms.values()];
    const scene = { exists: vms.map(existingOf), wants };
    const [first, second] = [plan(inputOf(scene)), plan(inputOf(scene))];
    operations += first.operations.length;
    expect(bytesOf(second)).toBe(bytesOf(first));
  }
  expect(operations).toBeGreaterThan(250);
});

function existingOf({ id, name, power, firmware }: FakeVm) {
  const config = {
    name: id.split("-")[1] ?? id,
    id,
    label: name ?? undefined,
    parent: undefined,
    power: undefined,
    firmware: firmware ?? undefined,
    share: undefined,
    dependsOn: [],
  };
  return existingVm(config, power);
}

function bytesOf(made: Plan): string {
  return JSON.stringify(made, (_name, value: unknown) =>
    typeof value === "symbol" ? String(value) : value,
  );
}

test(
  "whatever the order of resources in the configuration, the operations are the same",
  onlyInLongRun,
  async () => {
    const differing: string[] = [];
    let operations = 0;
    for (const seed of seeds) {
      const [world, wants, random] = await estate(seed);
      const first = await planOnly(world, wants);
      operations += first.operations.length;
      for (let round = 0; round < 3; round += 1) {
        const shuffled = {
          ...wants,
          vms: shuffle(wants.vms, random),
          folders: shuffle(wants.folders, random),
        };
        const second = await planOnly(world, shuffled);
        if (meaningOf(second) !== meaningOf(first)) differing.push(`seed ${seed}, round ${round}`);
      }
    }
    expect(operations).toBeGreaterThan(250);
    expect(differing).toEqual([]);
  },
);

function shuffle<T>(items: readonly T[], random: Random): readonly T[] {
  const keyed = items.map((item) => ({ item, key: random.next() }));
  return keyed.toSorted((x, y) => x.key - y.key).map(({ item }) => item);
}

/** Operations, their edges, changes and problems, without the order they are listed in. */
function meaningOf(made: Plan): string {
  const operations = made.operations
    .map((operation) =>
      withParts(operation, {
        order: { after: operation.order.after.toSorted((x, y) => (x.id < y.id ? -1 : 1)) },
        record: { dependencies: operation.record.dependencies.toSorted() },
      }),
    )
    .toSorted((x, y) => (x.id < y.id ? -1 : 1));
  const changes = made.changes.toSorted((x, y) => (x.address < y.address ? -1 : 1));
  const problems = made.diagnostics.map(({ code, address }) => `${code} ${address}`).toSorted();
  return stringifyJson(JSON.parse(JSON.stringify({ operations, changes, problems })), {
    indent: 1,
    sortKeys: true,
  });
}
