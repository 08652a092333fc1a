/** The part of a world that a survey of a cloud makes. */

import { compact } from "../../lib/compact.ts";
import type { Survey, SurveyedDatastore, SurveyedMachine } from "../../model/provider/survey.ts";
import type { CloudPart } from "../../simulators/kit/generated/documents.ts";
import type { WorldDocument } from "../../simulators/world.ts";
import { type Given, keyed, measuredIn, type TwinPart, takenIn } from "./part.ts";

type CloudDocument = NonNullable<WorldDocument["cloud"]>;
type VmDocument = NonNullable<
  NonNullable<NonNullable<CloudDocument["vapps"]>[string]>["vms"]
>[string];

/** Key of the vApp of VMs that show none. */
const noGroup = "without a vApp";
/** Room of a datastore whose size is not told: it is never full. */
const unmeasuredMb = 1_000_000_000;

export function cloudPart(survey: Survey, { password, durations }: Given): TwinPart {
  const { account, version = "5.1", traits, managers, datastores, machines } = survey;
  const name = account?.name ?? "rehearsal";
  const org = account?.organization ?? "System";
  const role = account?.administrator ? "system_administrator" : "organization_administrator";
  const taken = takenIn(survey);
  const cloud: CloudDocument = {
    durations_ms: durations,
    rules: { dialect: traits["dialect"] === "vendor" ? "vendor" : "neutral", versions: [version] },
    users: [{ name, org, password, role }],
    managers: managers.length === 0 ? { manager: {} } : keyed(managers, idOf, place),
    datastores: datastoresOf(datastores, taken),
    vapps: vappsOf(survey, org),
  };
  return {
    world: { cloud },
    login: { user: name, org },
    measured: measuredIn(survey),
    assumed: [
      ...(machines.some(({ storageMb = 0 }) => storageMb > 0)
        ? ["disks of VMs count with their whole size, also where they are thin"]
        : []),
      "guests shut down when they are asked to, where their tools are not known to be absent",
    ],
  };
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}

function place({ id, name }: { readonly id: string; readonly name: string }) {
  return { id, name };
}

function datastoresOf(
  datastores: readonly SurveyedDatastore[],
  taken: ReadonlyMap<string, number>,
): NonNullable<CloudDocument["datastores"]> {
  if (datastores.length === 0) return { hidden: { capacity_mb: unmeasuredMb } };
  return keyed(datastores, idOf, (one) => {
    const { id, name, manager, moref, capacityMb, usedMb, usable } = one;
    const known = capacityMb !== undefined && usedMb !== undefined;
    return {
      ...{ id, name, enabled: usable },
      capacity_mb: known ? Math.max(1, capacityMb) : unmeasuredMb,
      used_mb: known ? Math.max(0, usedMb - (taken.get(id) ?? 0)) : 0,
      ...compact({ manager, moref }),
    };
  });
}

function vappsOf({ groups, machines }: Survey, org: string): NonNullable<CloudDocument["vapps"]> {
  const byGroup = new Map<string, SurveyedMachine[]>();
  for (const machine of machines) {
    const group = machine.group ?? noGroup;
    byGroup.set(group, [...(byGroup.get(group) ?? []), machine]);
  }
  const known = new Map(groups.map((group) => [group.id, group]));
  const entries = [...byGroup].map(([id, members]) => {
    const group = known.get(id);
    const own = id === noGroup ? {} : { id };
    const vms = keyed(members, idOf, vmOf);
    return [id, { ...own, name: group?.name ?? id, org, vms }] as const;
  });
  return Object.fromEntries(entries);
}

const powers: { readonly [power: string]: "on" | "off" | "suspended" } = {
  on: "on",
  off: "off",
  "off-deployed": "off",
  suspended: "suspended",
};

function vmOf(machine: SurveyedMachine): VmDocument {
  const { id, name, power = "" } = machine;
  const [snapshot] = machine.snapshots ?? [];
  const isKnown = Object.hasOwn(powers, power);
  return {
    ...{ id, name, power: powers[power] ?? "off" },
    // Whatever says nothing of its power is inconsistent, and stays so.
    ...(isKnown ? { deployed: machine.deployed ?? power !== "off" } : { status: 9 }),
    storage_mb: machine.storageMb ?? 0,
    ...compact({
      datastore: machine.datastore,
      host: machine.host,
      moref: machine.moref,
      hardware_version: machine.hardwareVersion,
      nested: machine.nested,
      tools: machine.tools,
      cpus: machine.cpus,
      memory_mb: machine.memoryMb,
      guest_os: machine.guestOs,
      storage_profile: machine.storageProfile,
      independent_disk: machine.independentDisk,
      withheld: rightsIn(machine.withheld ?? []),
      snapshot: snapshot === undefined ? undefined : snapshotOf(snapshot),
    }),
  };
}

type Right = NonNullable<CloudPart["users"][number]["withheld"]>[number];

function rightsIn(withheld: readonly string[]): readonly Right[] {
  const rights: readonly Right[] = ["power", "snapshot", "nested", "relocate"];
  return rights.filter((right) => withheld.includes(right));
}

function snapshotOf(snapshot: NonNullable<SurveyedMachine["snapshots"]>[number]) {
  const { createdAt, poweredOn, sizeBytes } = snapshot;
  return compact({
    created: createdAt,
    powered_on: poweredOn,
    size_bytes: sizeBytes === undefined ? undefined : Number(sizeBytes),
  });
}
