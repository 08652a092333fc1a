/**
 * The part of a world that a survey of an appliance makes. Its disks are those of a VM: of one that
 * the same plan reaches by a host manager, where it says which one, else of one that is made up.
 */

import type { Operation } from "../../model/operation/operation.ts";
import type { Survey, SurveyedPartition } from "../../model/provider/survey.ts";
import { isMap } from "../../model/value/value.ts";
import type { World, WorldDocument } from "../../simulators/world.ts";
import type { Given, TwinPart } from "./part.ts";

type ApplianceDocument = NonNullable<WorldDocument["appliance"]>;
type Rules = NonNullable<ApplianceDocument["rules"]>;
type Health = ApplianceDocument["health"];

/** Key of the VM that is made up. */
const madeUp = "appliance";
const kbPerGb = 1024 * 1024;
/** Of a file system whose size is not told. */
const untoldGb = 10;
/** What a file system leaves of a disk, as simulators have it, and a rest for rounding. */
const usable = 0.99;

export function appliancePart(survey: Survey, given: Given, vm?: string): TwinPart {
  const { account, version, traits } = survey;
  const releases: readonly Rules["release"][] = ["6.5", "6.7", "7.0"];
  const healths: readonly Health[] = ["green", "yellow", "orange", "red", "gray"];
  const release = releases.find((each) => each === version) ?? "6.5";
  const name = account?.name ?? "root";
  const appliance: ApplianceDocument = {
    durations_ms: given.durations,
    rules: {
      release,
      storage_list: traits["listed"] === true ? "full" : "empty",
      monitoring: traits["sampled"] === true ? "full" : "empty",
    },
    users: [{ name, password: given.password }],
    vm: vm ?? madeUp,
    health: healths.find((each) => each === traits["health"]) ?? "green",
  };
  const disks = disksOf(survey, given.operations).map(([number, sizeGb]) => {
    return { label: `Hard disk ${number}`, size_mb: Math.ceil(sizeGb * 1024) };
  });
  const datastores = { disks: { capacity_gb: 1_000_000 } };
  const made = { manager: { datastores, vms: { [madeUp]: { power: "on" as const, disks } } } };
  return {
    world: vm === undefined ? { ...made, appliance } : { appliance },
    login: { user: name },
    measured: new Set(),
    assumed: [
      vm === undefined
        ? "the disks of the appliance are as large as its file systems are to become"
        : `the appliance is the VM ${vm}, whose disks its sizes refer to`,
    ],
  };
}

/** The world with partitions as they were surveyed; at its start all would fill their disks. */
export function withPartitions(world: World, { partitions = [] }: Survey): World {
  const fromMs = world.clock.simulatedMs;
  return {
    ...world,
    appliance: {
      ...world.appliance,
      partitions: shown(partitions).map(({ name, disk, sizeGb = untoldGb }) => {
        const kb = Math.round(sizeGb * kbPerGb);
        return { name, disk, sizes: [{ fromMs, kb }], usedKb: Math.floor(kb * 0.3) };
      }),
    },
  };
}

/** What boots is told by its own, and never grows. */
function shown(partitions: readonly SurveyedPartition[]): readonly SurveyedPartition[] {
  return partitions.filter(({ name }) => name !== "boot");
}

/** By number: gigabytes, enough for what is there and for what operations want. */
function disksOf(
  { partitions = [] }: Survey,
  operations: Given["operations"],
): readonly (readonly [number: number, sizeGb: number])[] {
  const goals = new Map(operations.flatMap(goalsOf));
  const sizes = new Map<number, number>();
  for (const { name, disk, sizeGb = untoldGb } of shown(partitions)) {
    const wanted = Math.max(sizeGb, goals.get(name) ?? 0) / usable;
    sizes.set(disk, Math.max(sizes.get(disk) ?? 0, wanted));
  }
  return [...sizes];
}

/** What a resize wants of file systems, gigabytes by purpose. */
function goalsOf({ request }: Operation): readonly (readonly [string, number])[] {
  const goals = request?.inputs["filesystems_gb"];
  if (!isMap(goals)) return [];
  return Object.entries(goals).flatMap(([name, gb]) =>
    typeof gb === "number" || typeof gb === "bigint" ? [[name, Number(gb)] as const] : [],
  );
}
