/** The simulators: embedded in a run, or served by `vmform simulate`. */

import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { SimulateOptions } from "../cli/run.ts";
import type { View } from "../cli/terminal/view.ts";
import { CommandError, type EmbeddedSimulator } from "../commands/environment.ts";
import { parsePlainYaml } from "../lib/yaml/plain-yaml.ts";
import type { OutsideChange } from "../simulators/core.ts";
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

/** Serves until interrupted; with changes, makes them and ends. */
export async function simulate(options: SimulateOptions, view: View): Promise<void> {
  const { world, persist, faults, log, seed, changes } = options;
  if (changes.length > 0) requireKept(options);
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
  if (changes.length > 0) {
    try {
      for (const change of changes) await make(running, change);
    } finally {
      await running.stop();
    }
    view.document({ changed: changes.length });
    view.text(`Changed the world in ${persist}.`);
    return;
  }
  view.document({ origins: running.origins });
  for (const [name, origin] of Object.entries(running.origins)) view.text(`${name}: ${origin}`);
  view.text("Serving until interrupted. Control: /_simulator/ (log, world, change, faults).");
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await running.stop();
}

/** A change of a world that nobody keeps, or of another one than was meant, would be lost. */
function requireKept({ persist, world }: SimulateOptions): void {
  if (persist === undefined) {
    const fix = "That of a configuration is .vmform/simulator.json beside it.";
    throw new CommandError("--change needs --persist, the file of the world.", fix, "usage");
  }
  if (world !== undefined || existsSync(persist)) return;
  throw new CommandError(
    `No world is kept in ${persist}.`,
    "The first vmform plan of a configuration with an embedded simulator makes it.",
    "file",
  );
}

async function make(running: RunningSimulators, text: string): Promise<void> {
  try {
    const { value } = parsePlainYaml(text, "--change");
    // What it has to be like is checked there.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    await running.change(value as OutsideChange);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const problems = error instanceof SimulatorInputError ? error.problems : [error.message];
    throw new CommandError(
      `The change cannot be made: ${problems.join("; ")}.`,
      "What there is: docs/simulator.md, A change.",
      "usage",
    );
  }
}
