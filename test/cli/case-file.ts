/** One case of the command line: its files, the world around it, and the commands to run. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePlainYaml } from "../../src/lib/yaml/plain-yaml.ts";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import type { WorldDocument } from "../../src/simulators/world.ts";

export type CliCase = {
  /** What the case is about, for readers. */
  readonly about: string;
  /** VMs `web-0`, `web-1`, … that are recorded as `daemon_vm.web[0]`, …, all on. */
  readonly recorded: number;
  /** The simulated world; by default exactly the recorded VMs. */
  readonly world?: WorldDocument;
  readonly faults: readonly FaultDocument[];
  /** What the case cannot run without, such as `script`. */
  readonly needs: readonly Need[];
  /** Shell commands that make the trouble; not part of the transcript. */
  readonly prepare: string;
  /** Shell commands whose output and exit code are the transcript. */
  readonly steps: readonly string[];
  /** The right result is a change; else nothing at all may change. */
  readonly changes: boolean;
};

/** `mount`: root that may mount. `permissions`: a user whom file permissions bind. */
const needs = ["script", "mount", "permissions"] as const;
export type Need = (typeof needs)[number];

type Written = { readonly [name in keyof CliCase]?: unknown };
const names: readonly string[] = [
  "about",
  "recorded",
  "world",
  "faults",
  "needs",
  "prepare",
  "steps",
  "changes",
];

/** Reads `case.yaml` of a folder; anything unknown in it is an error. */
export function readCase(folder: string): CliCase {
  const file = join(folder, "case.yaml");
  const { value } = parsePlainYaml(readFileSync(file, "utf8"), file);
  const written = value as Written;
  for (const name of Object.keys(written)) {
    if (!names.includes(name)) throw new Error(`${file}: unknown member ${name}`);
  }
  const { about, recorded, world, faults, prepare, steps, changes } = written;
  if (typeof about !== "string" || !isTexts(steps) || steps.length === 0) {
    throw new Error(`${file}: about and steps are needed`);
  }
  return {
    about,
    recorded: typeof recorded === "number" ? recorded : 0,
    ...(world === undefined ? {} : { world: world as WorldDocument }),
    faults: (faults ?? []) as readonly FaultDocument[],
    needs: readNeeds(written.needs ?? [], file),
    prepare: typeof prepare === "string" ? prepare : "",
    steps,
    changes: changes === true,
  };
}

function readNeeds(value: unknown, file: string): readonly Need[] {
  const known = isTexts(value) ? needs.filter((need) => value.includes(need)) : [];
  if (!isTexts(value) || known.length !== value.length) throw new Error(`${file}: unknown need`);
  return known;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
