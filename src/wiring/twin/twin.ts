/**
 * A simulated twin of the observed world: simulators in this process for each endpoint, made of
 * what a session has surveyed, on one clock that jumps, and recorded state in memory.
 */

import { randomUUID } from "node:crypto";
import type { Twin, TwinSource, TwinSpace } from "../../commands/rehearse/twin.ts";
import type { SecretMask } from "../../lib/mask.ts";
import type { RunningSimulators } from "../../simulators/start.ts";
import { createMemoryStore } from "../../store/memory/memory-store.ts";
import { simulatedAccess } from "../simulated-access.ts";
import { start } from "../simulators.ts";
import { createTestClock, type TestClock } from "../testing/clock.ts";
import { withPartitions } from "./appliance-part.ts";
import { keepTogether, togetherIn } from "./one-machine.ts";
import { paceOf } from "./pace.ts";
import type { TwinPart } from "./part.ts";
import { twinSettings } from "./settings.ts";
import { type Interface, type Translated, translated } from "./translate.ts";

type Running = {
  /** Name of the provider, with its alias. */
  readonly provider: string;
  readonly name: Interface;
  readonly simulators: RunningSimulators;
  readonly part: TwinPart;
  /** Makes known to each other what two providers have of one machine. */
  readonly mirror?: () => void;
};

/** Throws `CommandError` for what no simulator can hold. */
export async function openTwin(source: TwinSource, mask: SecretMask): Promise<Twin> {
  const password = randomUUID();
  const running: Running[] = [];
  // Several may share one world.
  const worlds = (): ReadonlySet<RunningSimulators> =>
    new Set(running.map(({ simulators }) => simulators));
  const inFlight = (): number =>
    [...worlds()].flatMap((one) => one.log()).filter(({ ended }) => !ended).length;
  const clock = createTestClock(source.startMs, inFlight);
  const close = async (): Promise<void> => {
    clock.forget();
    await Promise.all([...worlds()].map((one) => one.stop()));
  };
  try {
    const parts = translated(source, password);
    for (const part of parts.filter(({ within }) => within === undefined)) {
      const inside = parts.filter(({ within }) => within === part.provider);
      running.push(...(await startTogether([part, ...inside], clock)));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    clock,
    store: await storeOf(source),
    openProviders: (_directory, events) => accessTo(running, { clock, mask, events, password }),
    ended: () => {
      for (const { mirror } of running) mirror?.();
    },
    space: () => running.flatMap(spaceOf),
    pace: (kind) => {
      const one = running.find(({ provider }) => kind.startsWith(`${provider} `));
      return one === undefined ? undefined : paceOf(kind, one.name, one.simulators.world());
    },
    assumed: [...new Set(running.flatMap(({ part }) => part.assumed))],
    apart: togetherIn(source).apart,
    close,
  };
}

async function storeOf({ state }: TwinSource): Promise<Twin["store"]> {
  const store = createMemoryStore("the recorded state of the rehearsal");
  await store.compact(state, await store.lock("rehearse", 0));
  const writeEmergencyCopy = (_: unknown, cause: unknown): never => {
    throw cause;
  };
  return { ...store, writeEmergencyCopy };
}

/** One world for all of them. */
async function startTogether(
  parts: readonly Translated[],
  clock: TestClock,
): Promise<readonly Running[]> {
  const worlds = parts.map(({ part }) => part.world);
  const simulators = await start({ world: Object.assign({}, ...worlds), clock });
  for (const { name, survey } of parts) {
    if (name === "appliance") await simulators.change((world) => withPartitions(world, survey));
  }
  return parts.map(({ provider, name, part, machines }): Running => {
    const mirror = machines === undefined ? {} : { mirror: keepTogether(simulators, machines) };
    return { provider, name, part, simulators, ...mirror };
  });
}

function accessTo(
  running: readonly Running[],
  around: Pick<Parameters<typeof simulatedAccess>[0], "clock" | "mask" | "events"> & {
    readonly password: string;
  },
): ReturnType<Twin["openProviders"]> {
  const { password, ...ports } = around;
  const { open, ...access } = simulatedAccess({
    ...ports,
    packages: { loaded: [], path: (text) => text, log: () => {} },
    // What is kept secret is neither needed here nor read.
    readSecret: async () => password,
    readTextFile: async () => "",
    dialTo: Object.fromEntries(
      running.map(({ provider, name, simulators }) => [provider, simulators.origins[name]]),
    ),
    what: "a rehearsal",
  });
  return {
    ...access,
    open: async (provider, settings, wanted) => {
      const one = running.find((each) => each.provider === provider);
      if (one === undefined) return open(provider, settings, wanted);
      const { login } = one.part;
      return open(provider, twinSettings(settings, { login, password }), wanted);
    },
  };
}

function spaceOf({ provider, name, simulators, part }: Running): readonly TwinSpace[] {
  return simulators.space().flatMap((space) => {
    const { id, name: called, capacityMb, usedMb } = space;
    if (space.interface !== name) return [];
    const known = part.measured.has(id) ? { capacityMb } : {};
    return [{ provider, id, name: called, usedMb, ...known }];
  });
}
