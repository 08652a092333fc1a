/** The simulators: embedded in a run, or served by `vmform simulate`. */

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { SimulateOptions } from "../cli/run.ts";
import type { View } from "../cli/terminal/view.ts";
import { CommandError, type EmbeddedSimulator } from "../commands/environment.ts";
import { SimulatorInputError } from "../simulators/kit/document.ts";
import {
  type RunningSimulators,
  type SimulatorOptions,
  startSimulators,
} from "../simulators/start.ts";

export async function startEmbedded({
  world,
  persist,
}: EmbeddedSimulator): Promise<RunningSimulators> {
  mkdirSync(dirname(persist), { recursive: true });
  return start({ world, persist });
}

/** Throws `CommandError` for a world or a fault script that is not acceptable. */
export async function start(options: SimulatorOptions): Promise<RunningSimulators> {
  try {
    return await startSimulators(options);
  } catch (error) {
    if (!(error instanceof SimulatorInputError)) throw error;
    throw new CommandError(`The simulator cannot start: ${error.problems.join("; ")}.`);
  }
}

/** Serves until interrupted. */
export async function simulate(options: SimulateOptions, view: View): Promise<void> {
  const { world, persist, faults, log, seed } = options;
  const { port, cloudPort, managerPort, appliancePort } = options;
  const running = await start({
    port,
    cloudPort,
    managerPort,
    appliancePort,
    world: world ?? {},
    ...(persist === undefined ? {} : { persist }),
    ...(faults === undefined ? {} : { faults }),
    ...(log === undefined ? {} : { log }),
    ...(seed === undefined ? {} : { seed }),
  });
  view.document({ origins: running.origins });
  for (const [name, origin] of Object.entries(running.origins)) view.text(`${name}: ${origin}`);
  view.text("Serving until interrupted. Control: /_simulator/ (log, world, change, faults).");
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await running.stop();
}
