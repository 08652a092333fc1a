/**
 * The simulated world: what all interface simulators hold, as plain data. It is read from a world
 * file once, and from then on from the place where it is persisted.
 */

import { readFileSync } from "node:fs";
import { PlainYamlError, parsePlainYaml } from "../lib/yaml/plain-yaml.ts";
import type { ApplianceWorld } from "./appliance/appliance-state.ts";
import type { ApplianceDocument } from "./appliance/world-document.ts";
import { defaultVm, readApplianceDocument } from "./appliance/world-document.ts";
import { machineOf } from "./appliance-machine.ts";
import type { CloudWorld } from "./cloud/cloud-state.ts";
import type { CloudDocument } from "./cloud/world-document.ts";
import { readCloudDocument } from "./cloud/world-document.ts";
import type { DaemonWorld } from "./daemon/daemon-state.ts";
import type { DaemonDocument } from "./daemon/world-document.ts";
import { readDaemonDocument } from "./daemon/world-document.ts";
import type { Cursor, DocumentSource } from "./decode.ts";
import {
  decodeDocument,
  readCount,
  readMembers,
  SimulatorInputError,
  sourceOfData,
} from "./decode.ts";
import type { ManagerWorld } from "./manager/manager-state.ts";
import type { ManagerDocument } from "./manager/world-document.ts";
import { readManagerDocument } from "./manager/world-document.ts";

export type World = {
  readonly formatVersion: 1;
  readonly seed: number;
  /** A simulated time and the host's time at the same moment, milliseconds since the epoch. */
  readonly clock: { readonly simulatedMs: number; readonly realMs: number };
  readonly daemon: DaemonWorld;
  readonly cloud: CloudWorld;
  readonly manager: ManagerWorld;
  readonly appliance: ApplianceWorld;
};

/** A world file's content. */
export type WorldDocument = {
  /** Makes addresses and the like; 1 by default. */
  readonly seed?: number;
  readonly daemon?: DaemonDocument;
  readonly cloud?: CloudDocument;
  readonly manager?: ManagerDocument;
  readonly appliance?: ApplianceDocument;
};

/** Path of a world file, or its content as data. */
export type WorldSource = string | WorldDocument;

/**
 * The world at its start. A `seed` wins over the source's. Throws `SimulatorInputError` with every
 * problem of the source and its place.
 */
export function readWorldSource(source: WorldSource, seed: number | undefined): World {
  const document =
    typeof source === "string" ? readYamlFile(source) : sourceOfData(source, "world");
  return decodeDocument(document, (root) => readWorld(emptyAsAbsent(root), seed));
}

/** Document of a YAML file. Throws `SimulatorInputError`. */
export function readYamlFile(file: string): DocumentSource {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new SimulatorInputError([`${file}: ${cause}`], { cause: error });
  }
  return parseYaml(text, file);
}

/** Document of a YAML text; `file` names it in messages. Throws `SimulatorInputError`. */
export function parseYaml(text: string, file: string): DocumentSource {
  try {
    return parsePlainYaml(text, file);
  } catch (error) {
    if (!(error instanceof PlainYamlError)) throw error;
    throw new SimulatorInputError(error.problems, { cause: error });
  }
}

/** An empty file is an empty map. */
export function emptyAsAbsent(root: Cursor): Cursor {
  return root.value === null ? { ...root, value: undefined } : root;
}

function readWorld(root: Cursor, wantedSeed: number | undefined): World {
  const member = readMembers(root, ["seed", "daemon", "cloud", "manager", "appliance"]);
  const writtenSeed = readCount(member("seed"), 0, 1);
  const seed = wantedSeed ?? writtenSeed;
  const nowMs = Date.now();
  const written = emptyAsAbsent(member("appliance"));
  const manager = readManagerDocument(
    withAppliance(emptyAsAbsent(member("manager")), written),
    seed,
    nowMs,
  );
  return {
    formatVersion: 1,
    seed,
    clock: { simulatedMs: nowMs, realMs: nowMs },
    daemon: readDaemonDocument(emptyAsAbsent(member("daemon")), seed),
    cloud: readCloudDocument(emptyAsAbsent(member("cloud")), seed, nowMs),
    manager,
    appliance: readApplianceDocument(written, nowMs, (key) => machineOf(manager.vms, key)),
  };
}

/** The manager's part with the VM of an appliance that is there and names none. */
function withAppliance(manager: Cursor, appliance: Cursor): Cursor {
  const wanted = readWanted(appliance);
  if (wanted === undefined) return manager;
  const own = membersOf(manager.value);
  const vms = membersOf(own["vms"] ?? {});
  if (own === noMembers || vms === noMembers || Object.hasOwn(vms, defaultVm)) return manager;
  const made = { power: "on", disks: wanted };
  return { ...manager, value: { ...own, vms: { ...vms, [defaultVm]: made } } };
}

/** Word for the disks that the VM of a written appliance has; undefined where none is made. */
function readWanted(appliance: Cursor): string | undefined {
  if (appliance.value === undefined) return undefined;
  const own = membersOf(appliance.value);
  if (own["vm"] !== undefined) return undefined;
  const release = membersOf(own["rules"] ?? {})["release"];
  return release === "6.7" || release === "7.0" ? `appliance-${release}` : "appliance";
}

type Members = { readonly [name: string]: unknown };

/** Of what is no map, whose problem is told where it is read. */
const noMembers: Members = {};

function membersOf(value: unknown): Members {
  if (value === undefined) return {};
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value }
    : noMembers;
}
