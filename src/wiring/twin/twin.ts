/**
 * A simulated twin of the observed world: simulators in this process for each endpoint, made of
 * what a session has surveyed, on one clock that jumps, and recorded state in memory.
 */

import { randomUUID } from "node:crypto";
import { CommandError } from "../../commands/environment.ts";
import type { Twin, TwinSource, TwinSpace } from "../../commands/rehearse/twin.ts";
import type { SecretMask } from "../../lib/mask.ts";
import type { RunningSimulators } from "../../simulators/start.ts";
import { createMemoryStore } from "../../store/memory/memory-store.ts";
import { simulatedAccess } from "../simulated-access.ts";
import { start } from "../simulators.ts";
import { createTestClock, type TestClock } from "../test-clock.ts";
import { cloudPart } from "./cloud-part.ts";
import { daemonPart } from "./daemon-part.ts";
import { managerPart } from "./manager-part.ts";
import { durationsFor, paceOf } from "./pace.ts";
import type { Translation, TwinPart } from "./part.ts";
import { twinSettings } from "./settings.ts";

type Interface = keyof RunningSimulators["origins"];

const translations: { readonly [name in Interface]?: Translation } = {
  cloud: cloudPart,
  manager: managerPart,
  daemon: daemonPart,
};

type Running = {
  /** Name of the provider, with its alias. */
  readonly provider: string;
  readonly name: Interface;
  readonly simulators: RunningSimulators;
  readonly part: TwinPart;
};

/** Throws `CommandError` for what no simulator can hold. */
export async function openTwin(source: TwinSource, mask: SecretMask): Promise<Twin> {
  const password = randomUUID();
  const running: Running[] = [];
  const inFlight = (): number =>
    running.flatMap(({ simulators }) => simulators.log()).filter(({ ended }) => !ended).length;
  const clock = createTestClock(source.startMs, inFlight);
  const close = async (): Promise<void> => {
    clock.forget();
    await Promise.all(running.map(({ simulators }) => simulators.stop()));
  };
  try {
    for (const provider of source.providers) {
      running.push(await startOne(provider, { clock, password, source }));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    clock,
    store: await storeOf(source),
    openProviders: (_directory, events) => accessTo(running, { clock, mask, events, password }),
    space: () => running.flatMap(spaceOf),
    pace: (kind) => {
      const one = running.find(({ provider }) => kind.startsWith(`${provider} `));
      return one === undefined ? undefined : paceOf(kind, one.name, one.simulators.world());
    },
    assumed: [...new Set(running.flatMap(({ part }) => part.assumed))],
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

async function startOne(
  { name: provider, survey }: TwinSource["providers"][number],
  around: {
    readonly clock: TestClock;
    readonly password: string;
    readonly source: TwinSource;
  },
): Promise<Running> {
  const { clock, password, source } = around;
  const [word = ""] = provider.split(".");
  const name = isInterface(word) ? word : undefined;
  const translate = name === undefined ? undefined : translations[name];
  if (name === undefined || translate === undefined) {
    throw new CommandError(`There is no simulated twin of provider ${provider}.`);
  }
  const durations = durationsFor(provider, name, source.durations);
  const recorded = source.state.objects.filter(
    (object) => object.provider === provider && object.objectKey === "current",
  );
  const part = translate(survey, { password, durations, recorded });
  return { provider, name, part, simulators: await start({ world: part.world, clock }) };
}

function isInterface(word: string): word is Interface {
  return ["daemon", "cloud", "manager", "appliance"].includes(word);
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
