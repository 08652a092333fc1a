/**
 * The world of a test of a configuration: simulators in this process with a clock that jumps,
 * recorded state in memory, and providers that can reach nothing else.
 */

import { homedir } from "node:os";
import { resolve } from "node:path";
import {
  CommandError,
  type ProviderAccess,
  type TestWorld,
  type TestWorldSource,
} from "../../commands/environment.ts";
import { userPath } from "../../lib/files/user-path.ts";
import type { SecretMask } from "../../lib/mask.ts";
import type { EventSink } from "../../model/operation/event.ts";
import type { LoadedPackage } from "../../model/provider/package.ts";
import { isList, type Value, type ValueMap } from "../../model/value/value.ts";
import { createSecretReader } from "../../secrets/reader.ts";
import { SecretError } from "../../secrets/secret-error.ts";
import { SimulatorInputError } from "../../simulators/kit/document.ts";
import type { RunningSimulators, SimulatorOptions } from "../../simulators/start.ts";
import { createMemoryStore } from "../../store/memory/memory-store.ts";
import { readSettingsFile } from "../providers.ts";
import { simulatedAccess } from "../simulated-access.ts";
import { start } from "../simulators.ts";
import { createTestClock, type TestClock } from "./clock.ts";
import { openTestPackages, type TestPackages } from "./packages.ts";

export async function openTestWorld(
  source: TestWorldSource,
  mask: SecretMask,
  loaded: readonly LoadedPackage[],
): Promise<TestWorld> {
  let running: RunningSimulators | undefined;
  const packages = await openTestPackages(loaded, source.packages, { clock: () => clock, mask });
  const inFlight = (): number =>
    packages.running() + (running?.log().filter(({ ended }) => !ended).length ?? 0);
  const clock = createTestClock(source.startMs, inFlight);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- held against its schema there
  const world = source.world as SimulatorOptions["world"];
  const simulators = await start({ world, clock });
  running = simulators;
  const store = {
    ...createMemoryStore("the recorded state of the test"),
    writeEmergencyCopy: (_: unknown, cause: unknown): never => {
      throw cause;
    },
  };
  return {
    clock,
    store,
    openProviders: async (directory, events) =>
      openProviders({ source, simulators, packages, clock, mask, directory, events }),
    setFaults: (faults) => {
      const script = isList(faults) ? { faults } : faults;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- likewise
      usable("faults", () => simulators.setFaults(script as SimulatorOptions["faults"]));
    },
    faults: () => simulators.faults(),
    change: async (change) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- likewise
      const wanted = change as Parameters<RunningSimulators["change"]>[0];
      await simulators.change(wanted).catch((error: unknown) => {
        usable("changes", () => {
          throw error;
        });
      });
    },
    changePackages: packages.change,
    setPackageFaults: packages.setFaults,
    packageFaults: packages.faults,
    pass: (ms) => {
      clock.forget();
      clock.advance(ms);
    },
    requests: () => [
      ...simulators.log().map((entry) => publicMap({ ...entry })),
      ...packages.sent(),
    ],
    present: () => ({
      ...publicMap(dataOf(simulators.world())),
      packages: packages.present(),
    }),
    close: async () => {
      clock.forget();
      await simulators.stop();
    },
  };
}

function usable(what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof SimulatorInputError)) throw error;
    throw new CommandError(`The simulator cannot use the ${what}: ${error.problems.join("; ")}.`);
  }
}

const givenOtherwise = "give it by a variable, which a test sets to { env: NAME }";

type Opening = {
  readonly source: TestWorldSource;
  readonly simulators: RunningSimulators;
  readonly packages: TestPackages;
  readonly clock: TestClock;
  readonly mask: SecretMask;
  readonly directory: string;
  readonly events: EventSink;
};

function openProviders(opening: Opening): ProviderAccess {
  const { source, simulators, packages, clock, mask, directory, events } = opening;
  const readFile = (path: string): Promise<string> => readSettingsFile(directory, path);
  const secrets = createSecretReader({
    mask,
    environment: source.environment,
    readFile,
    runCommand: `a test runs no command for one; ${givenOtherwise}`,
    readVault: () => Promise.reject(new SecretError(`a test asks no Vault; ${givenOtherwise}`)),
  });
  return simulatedAccess({
    clock,
    mask,
    events,
    packages: {
      loaded: packages.loaded,
      path: (text) => resolve(userPath(directory, text, homedir())),
      log: (text) => void process.stderr.write(`${text}\n`),
    },
    readSecret: secrets.read,
    readTextFile: readFile,
    dialTo: simulators.origins,
    what: "a test",
  });
}

/** Records of the world are lists of maps whose members are its own, so all are spelled alike. */
function publicMap(map: { readonly [name: string]: unknown }): ValueMap {
  const members = Object.entries(map).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [snakeCase(name), publicValue(value)]));
}

function publicValue(value: unknown): Value {
  if (Array.isArray(value)) return value.map(publicValue);
  if (typeof value === "object" && value !== null) return publicMap({ ...value });
  const isPlain = ["string", "number", "bigint", "boolean"].includes(typeof value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON holds
  return isPlain ? (value as Value) : null;
}

function dataOf(world: object): { readonly [name: string]: unknown } {
  return { ...world };
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
