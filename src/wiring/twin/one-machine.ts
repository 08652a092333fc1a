/**
 * Machines that a cloud and its host manager both have. In a twin they share one world, in which
 * each still has a record of its own: whatever one of them changes of such a machine is made known
 * to the other, when the operation that did it has ended.
 */

import type { TwinSource } from "../../commands/rehearse/twin.ts";
import type { OutsideChange } from "../../simulators/core.ts";
import type { RunningSimulators } from "../../simulators/start.ts";
import type { World } from "../../simulators/world.ts";

/** What both call it, which are its keys in the twin. */
export type OneMachine = { readonly cloud: string; readonly manager: string };

export type Togetherness = {
  /** By name of the cloud: the host manager in whose world it is, and what both have. */
  readonly shared: ReadonlyMap<
    string,
    { readonly manager: string; readonly machines: readonly OneMachine[] }
  >;
  /** Of what may be one machine and is two in the twin, a sentence each. */
  readonly apart: readonly string[];
};

type Provider = TwinSource["providers"][number];

/** One cloud with one host manager behind it is told apart; with several, ids mean nothing. */
export function togetherIn({ providers, operations }: TwinSource): Togetherness {
  const [clouds, managers] = [of(providers, "cloud"), of(providers, "manager")];
  const touched = new Set(operations.map(({ subject }) => subject.identity));
  const shared = new Map<string, { manager: string; machines: readonly OneMachine[] }>();
  const apart: string[] = [];
  for (const cloud of clouds) {
    for (const manager of managers) {
      const machines = machinesOf(cloud, manager);
      const behind = new Set(cloud.survey.machines.flatMap((one) => one.manager ?? []));
      if (machines.length === 0) continue;
      if (clouds.length === 1 && managers.length === 1 && behind.size <= 1) {
        shared.set(cloud.name, { manager: manager.name, machines });
        continue;
      }
      const names = machines.filter(({ manager: id }) => touched.has(id)).map((one) => one.manager);
      if (names.length === 0) continue;
      apart.push(
        `whether ${names.join(", ")} of ${manager.name} is the same machine that ${cloud.name} ` +
          "has under that id: each has its own in the twin, and one does not see what the other " +
          "changes",
      );
    }
  }
  return { shared, apart };
}

function of(providers: readonly Provider[], word: string): readonly Provider[] {
  return providers.filter(({ name }) => name === word || name.startsWith(`${word}.`));
}

function machinesOf(cloud: Provider, manager: Provider): readonly OneMachine[] {
  const known = new Set(manager.survey.machines.map(({ id }) => id));
  return cloud.survey.machines.flatMap(({ id, moref }) =>
    moref !== undefined && known.has(moref) ? [{ cloud: id, manager: moref }] : [],
  );
}

type Power = "on" | "off" | "suspended";
/** A datastore as its manager calls it. */
type Seen = { readonly power?: Power; readonly nested: boolean; readonly datastore?: string };

/** To be called whenever an operation has ended. */
export function keepTogether(
  simulators: Pick<RunningSimulators, "world" | "change">,
  machines: readonly OneMachine[],
): () => void {
  let before = machines.map((one) => seenIn(simulators.world(), one));
  return () => {
    const world = simulators.world();
    const changes = machines.flatMap((one, index) => {
      const [then, now] = [before[index], seenIn(world, one)];
      return then === undefined ? [] : changesOf(world, one, then, now);
    });
    // Each is made at once; what is waited for is that a file was written, and there is none.
    for (const change of changes) void simulators.change(change);
    const after = simulators.world();
    before = machines.map((one) => seenIn(after, one));
  };
}

type Sides = { readonly cloud: Seen; readonly manager: Seen };

function seenIn({ cloud, manager }: World, one: OneMachine): Sides {
  const ofCloud = cloud.vms.find(({ key }) => key === one.cloud);
  const ofManager = manager.vms.find(({ key }) => key === one.manager);
  const place = cloud.datastores.find(({ id }) => id === ofCloud?.datastoreId);
  const powers: { readonly [word: string]: Power } = {
    ...{ "3": "suspended", "4": "on", "8": "off" },
    ...{ suspended: "suspended", poweredOn: "on", poweredOff: "off" },
  };
  const powerOf = (word: string | number = ""): { readonly power?: Power } => {
    const power = powers[String(word)];
    return power === undefined ? {} : { power };
  };
  return {
    cloud: {
      ...powerOf(ofCloud?.status),
      nested: ofCloud?.nested === true,
      ...(place === undefined ? {} : { datastore: place.moref }),
    },
    manager: {
      ...powerOf(ofManager?.power),
      nested: ofManager?.nested === true,
      ...(ofManager === undefined ? {} : { datastore: ofManager.datastoreId }),
    },
  };
}

/** What one side has come to have, and the other has not. */
function changesOf(
  { cloud, manager }: World,
  one: OneMachine,
  then: Sides,
  now: Sides,
): readonly OutsideChange[] {
  const changes: OutsideChange[] = [];
  const toCloud = fresh(then.manager, now.manager, now.cloud);
  const toManager = fresh(then.cloud, now.cloud, now.manager);
  const place = cloud.datastores.find(({ moref }) => moref === toCloud.datastore);
  const managerPlace = manager.datastores.find(({ id }) => id === toManager.datastore);
  const vm = one.cloud;
  // A machine that its manager turns off still has its resources in the cloud.
  if (toCloud.power !== undefined) {
    changes.push({ power_cloud_vm: { vm, power: toCloud.power, deployed: true } });
  }
  if (toCloud.nested !== undefined) {
    changes.push({ nest_cloud_vm: { vm, enabled: toCloud.nested } });
  }
  if (place !== undefined) changes.push({ move_cloud_vm: { vm, datastore: place.key } });
  if (toManager.power !== undefined) {
    changes.push({ power_manager_vm: { vm: one.manager, power: toManager.power } });
  }
  const { nested } = toManager;
  const wanted = {
    ...(nested === undefined ? {} : { nested }),
    ...(managerPlace === undefined ? {} : { datastore: managerPlace.key }),
  };
  if (Object.keys(wanted).length > 0) {
    changes.push({ change_manager_vm: { vm: one.manager, ...wanted } });
  }
  return changes;
}

function fresh(then: Seen, now: Seen, other: Seen): Partial<Seen> {
  const { power, nested, datastore } = now;
  return {
    ...(power !== undefined && power !== then.power && power !== other.power ? { power } : {}),
    ...(nested !== then.nested && nested !== other.nested ? { nested } : {}),
    ...(datastore !== undefined && datastore !== then.datastore && datastore !== other.datastore
      ? { datastore }
      : {}),
  };
}
