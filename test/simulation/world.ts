/** A world that outlives processes: clock, daemon and disk. Runs one apply after another in it. */

import { RemoteError } from "../../src/model/operation/remote-error.ts";
import type { Plan } from "../../src/model/plan/plan.ts";
import { allRules, type Rules } from "../../src/model/plan/rules.ts";
import type { ProviderSession } from "../../src/model/provider/provider.ts";
import { type Configuration, toDesired } from "./configuration.ts";
import { type Host, planDesired, type Run, runDesired, say } from "./engine-run.ts";
import { copyVms, createFakeDaemon, type FakeDaemon, type FakeVm } from "./fake-daemon.ts";
import { fakeTypes } from "./fake-types.ts";
import { cloneDisk, createDisk, type Disk } from "./memory-store.ts";
import type { KillAt, Process } from "./process.ts";
import type { Random } from "./random.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

export type World = Host & { readonly daemon: FakeDaemon };

export type Saved = {
  readonly vms: Map<string, FakeVm>;
  readonly disk: Disk;
  readonly nowMs: number;
  readonly plans: number;
};

type Parts = Pick<World, "clock" | "disk" | "rules" | "plans">;

export function createWorld(random: Random, rules: Rules = allRules): World {
  return worldOf({ clock: createVirtualClock(), disk: createDisk(), rules, plans: 0 }, random);
}

function worldOf(parts: Parts, random: Random): World {
  const { clock } = parts;
  const daemon = createFakeDaemon(clock, random);
  const session = (process: Process): ProviderSession =>
    sessionOf({ clock, daemon, random }, process);
  return { ...parts, types: fakeTypes, session, daemon };
}

export function saveWorld(world: World): Saved {
  const { daemon, disk, clock, plans } = world;
  return { vms: copyVms(daemon.vms), disk: cloneDisk(disk), nowMs: clock.now(), plans };
}

export function restoreWorld(saved: Saved, random: Random, rules: Rules): World {
  const { nowMs, plans } = saved;
  const disk = cloneDisk(saved.disk);
  const world = worldOf({ clock: createVirtualClock(nowMs), disk, rules, plans }, random);
  for (const [id, vm] of copyVms(saved.vms)) world.daemon.vms.set(id, vm);
  return world;
}

export function runApply(
  world: World,
  configuration: Configuration,
  killAt?: KillAt,
): Promise<Run> {
  return runDesired(world, toDesired(configuration), killAt);
}

/** A plan in memory only, as `vmform plan` makes it. */
export function planOnly(world: World, configuration: Configuration): Promise<Plan> {
  return planDesired(world, toDesired(configuration));
}

type Wire = {
  readonly clock: VirtualClock;
  readonly daemon: FakeDaemon;
  readonly random: Random;
};

function sessionOf(world: Wire, process: Process): ProviderSession {
  const { clock, daemon, random } = world;
  return {
    read: async (wanted) => {
      await process.point("read");
      await clock.sleep(2);
      return daemon.read(wanted);
    },
    send: async (operation, deadlineMs) => {
      await process.point(`request ${operation.id}`);
      // A request may linger in the socket, also after its sender has died.
      const travelMs = random.chance(0.15) ? 400 : 2;
      const reply = clock.sleep(travelMs).then(() => daemon.mutate(operation, deadlineMs));
      reply.then(
        () => say(world, `daemon did ${operation.id}`),
        (error: unknown) => say(world, `daemon on ${operation.id}: ${String(error)}`),
      );
      await process.point(`sent ${operation.id}`);
      const limit = clock.sleep(Math.max(0, deadlineMs - clock.now())).then(() => {
        throw new RemoteError({ kind: "timeout", effect: "unknown", message: "no reply in time" });
      });
      limit.catch(() => {});
      try {
        await Promise.race([reply, limit]);
      } finally {
        await process.point(`reply ${operation.id}`);
      }
      return {};
    },
    close: () => Promise.resolve(),
  };
}
