/** A folder of configuration against simulators in the process of the test. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import {
  type RunningSimulators,
  type SimulatorOptions,
  startSimulators,
} from "../../src/simulators/start.ts";
import { expectCode, type Output, runInside } from "../helpers/program.ts";

export type Place = {
  readonly folder: string;
  readonly simulators: RunningSimulators;
  /** Replaces the configuration: what stands under `resources:`, and further blocks. */
  readonly write: (resources: string, more?: string) => void;
  readonly file: (name: string) => string;
  /** Runs one command line and expects its exit code. */
  readonly run: (code: number, ...words: readonly string[]) => Promise<Output>;
  /** The mutating requests among what the work sends. */
  readonly mutations: (work: () => Promise<unknown>) => Promise<readonly LoggedRequest[]>;
  readonly power: (id: string) => string | undefined;
  readonly remove: () => Promise<void>;
};

export async function createPlace(
  options: Omit<SimulatorOptions, "world"> & Partial<Pick<SimulatorOptions, "world">> = {},
): Promise<Place> {
  const simulators = await startSimulators({ world: {}, ...options });
  const folder = mkdtempSync(join(tmpdir(), "vmform-place-"));
  return placeIn(folder, simulators);
}

/** Another folder, so another recorded state, against the same simulators. */
export function neighbour(place: Place): Place {
  const folder = join(place.folder, "neighbour");
  mkdirSync(folder);
  return placeIn(folder, place.simulators);
}

function placeIn(folder: string, simulators: RunningSimulators): Place {
  return {
    folder,
    simulators,
    write: (resources, more = "") => {
      const provider = `providers: { daemon: { url: "${simulators.origins.daemon}" } }`;
      const text = `${provider}\nresources:\n${resources}\n${more}\n`;
      writeFileSync(join(folder, "main.vmform.yaml"), text);
    },
    file: (name) => join(folder, name),
    run: async (code, ...words) => {
      const output = await runInside(folder, words);
      return expectCode(code, words, output);
    },
    mutations: async (work) => {
      const before = simulators.log().length;
      await work();
      return simulators
        .log()
        .slice(before)
        .filter((entry) => entry.class === "mutate");
    },
    power: (id) => simulators.world().daemon.vms.find((vm) => vm.id === id)?.power,
    remove: async () => {
      await simulators.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function serialOf(place: Place): number {
  const text = readFileSync(place.file("state/default.json"), "utf8");
  return (JSON.parse(text) as { serial: number }).serial;
}
