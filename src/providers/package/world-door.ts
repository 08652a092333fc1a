/** The other side that a package simulates for tests: what it gives back is checked as well. */

import type { Clock } from "../../model/clock.ts";
import type { LoadedWorld, PackageWorld, ProviderPackage } from "../../model/provider/package.ts";
import { PackageFailure } from "../../model/provider/package-failure.ts";
import { isMap, type Value } from "../../model/value/value.ts";
import { type Door, reasonOf } from "./answer.ts";
import { lent, NoValue } from "./value.ts";

/** Throws `PackageFailure`, also whatever it gives back. */
export async function worldBehindDoor(
  simulate: NonNullable<ProviderPackage["simulate"]>,
  start: Value,
  clock: Clock,
  door: Door,
): Promise<Pick<LoadedWorld, "present" | "change"> & Pick<PackageWorld, "open">> {
  const given = { now: () => clock.now(), sleep: (ms: number) => clock.sleep(ms) };
  const world = await askWorld(door, "simulate", async () => {
    const made: unknown = await simulate(lent(start), { clock: given });
    if (isWorld(made)) return made;
    throw new NoValue("it gives back no world with open and present");
  });
  return {
    open: (settings, ports) => world.open(settings, ports),
    present: () => {
      try {
        const now: unknown = lent(world.present());
        if (isMap(now)) return lent(world.present());
      } catch (error) {
        throw new PackageFailure(door.label, door.hide(`present: ${reasonOf(error)}`), error);
      }
      throw new PackageFailure(door.label, "present: it gives back no map");
    },
    change: (change) =>
      askWorld(door, "change", async () => {
        if (world.change === undefined) throw new NoValue("its world cannot be changed");
        await world.change(lent(change));
      }),
  };
}

async function askWorld<T>(door: Door, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new PackageFailure(door.label, door.hide(`${what}: ${reasonOf(error)}`), error);
  }
}

function isWorld(value: unknown): value is PackageWorld {
  if (typeof value !== "object" || value === null) return false;
  const isFunction = (name: string): boolean => typeof Reflect.get(value, name) === "function";
  return isFunction("open") && isFunction("present");
}
