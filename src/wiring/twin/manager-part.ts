/** The part of a world that a survey of a host manager makes. */

import { compact } from "../../lib/compact.ts";
import type {
  Survey,
  SurveyedAlarm,
  SurveyedDatastore,
  SurveyedDisk,
  SurveyedMachine,
} from "../../model/provider/survey.ts";
import type { ManagerDiskEntry, ManagerVmEntry } from "../../simulators/kit/generated/documents.ts";
import type { WorldDocument } from "../../simulators/world.ts";
import { type Given, keyed, measuredIn, type TwinPart } from "./part.ts";

type ManagerDocument = NonNullable<WorldDocument["manager"]>;
type VmDocument = NonNullable<NonNullable<ManagerDocument["vms"]>[string]>;
type DatastoreDocument = NonNullable<NonNullable<ManagerDocument["datastores"]>[string]>;
type DiskDocument = Exclude<NonNullable<VmDocument["disks"]>, string>[number];

/** Room of a datastore whose size is not told: it is never full. */
const unmeasuredMb = 1_000_000_000;

export function managerPart(survey: Survey, { password, durations }: Given): TwinPart {
  const { account, version, traits, hosts, datastores, machines, alarms } = survey;
  const [domain, name] = userOf(account?.name ?? "rehearsal");
  const taken = takenByDisks(machines);
  const { datacenter } = traits;
  const manager: ManagerDocument = {
    durations_ms: durations,
    rules: {
      kind: traits["kind"] === "host" ? "host" : "manager",
      login_domain: domain,
      ...(version === undefined ? {} : { api_version: version }),
      ...(typeof datacenter === "string" ? { datacenter } : {}),
    },
    users: [{ name, password, rights: account?.administrator === false ? "read" : "all" }],
    ...(hosts.length === 0
      ? {}
      : {
          hosts: keyed(hosts, idOf, ({ id, name: called, nestedSupported }) => ({
            ...{ moref: id, name: called },
            ...compact({ nested_supported: nestedSupported }),
          })),
        }),
    ...(datastores.length === 0
      ? {}
      : { datastores: keyed(datastores, idOf, (one) => datastoreOf(one, taken)) }),
    vms: keyed(machines, idOf, vmOf),
    alarms: keyed(alarms, (alarm) => alarm.name, alarmOf),
  };
  const isThin = machines.some(({ disks = [] }) => disks.some(({ format }) => format === "thin"));
  return {
    world: { manager },
    login: { user: name },
    measured: measuredIn(survey),
    assumed: [
      ...(isThin ? ["thin disks count with their whole size"] : []),
      "guests shut down when they are asked to, where their tools are not known to be absent",
    ],
  };
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}

/** Of `DOMAIN\user`, as servers spell whom a session is of. */
function userOf(written: string): readonly [domain: string, name: string] {
  const at = written.indexOf("\\");
  return at === -1 ? ["", written] : [written.slice(0, at), written.slice(at + 1)];
}

function takenByDisks(machines: readonly SurveyedMachine[]): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (const { disks = [], datastore: own } of machines) {
    for (const { datastore = own ?? "", capacityMb } of disks) {
      taken.set(datastore, (taken.get(datastore) ?? 0) + capacityMb);
    }
  }
  return taken;
}

function datastoreOf(
  { id, name, usable, hosts, capacityMb, usedMb }: SurveyedDatastore,
  taken: ReadonlyMap<string, number>,
): DatastoreDocument {
  const isKnown = capacityMb !== undefined && usedMb !== undefined;
  return {
    ...{ moref: id, name, accessible: usable },
    capacity_mb: isKnown ? Math.max(1, capacityMb) : unmeasuredMb,
    used_mb: isKnown ? Math.max(0, usedMb - (taken.get(id) ?? 0)) : 0,
    ...compact({ hosts }),
  };
}

const powers: { readonly [power: string]: "on" | "off" | "suspended" } = {
  on: "on",
  off: "off",
  suspended: "suspended",
};
const connections: readonly ManagerVmEntry["connection"][] = [
  "disconnected",
  "inaccessible",
  "orphaned",
];

function vmOf(machine: SurveyedMachine): VmDocument {
  const { id, name, power = "", disks = [], snapshots = [] } = machine;
  return {
    ...{ moref: id, name, power: powers[power] ?? "off", template: machine.template === true },
    disks: disks.map(diskOf),
    snapshots: snapshots.map((snapshot) => ({ name: snapshot.name ?? "" })),
    ...compact({
      folder: machine.folder,
      host: machine.host,
      datastore: machine.datastore,
      hardware_version: machine.hardwareVersion,
      nested: machine.nested,
      tools: machine.tools,
      uuid: machine.uuid,
      instance_uuid: machine.instanceUuid,
      connection: connections.find((word) => word === machine.connection),
    }),
  };
}

const formats: readonly ManagerDiskEntry["format"][] = [
  "thin",
  "zeroedthick",
  "eagerzeroedthick",
  "sesparse",
];

function diskOf(disk: SurveyedDisk): DiskDocument {
  const { id, capacityMb, linked = false } = disk;
  const key = Number(id);
  return {
    ...{ size_mb: Math.max(1, capacityMb), used_mb: capacityMb, linked },
    ...(Number.isSafeInteger(key) && key >= 2000 ? { key } : {}),
    format: formats.find((word) => word === disk.format) ?? "unknown",
    ...compact({
      label: disk.label,
      datastore: disk.datastore,
      path: disk.path,
      uuid: disk.uuid,
      delta_disk_format: disk.format === "sesparse" ? undefined : disk.deltaDiskFormat,
    }),
  };
}

function alarmOf({ id, user, enabled, description = "" }: SurveyedAlarm) {
  return { moref: id, user, enabled, description };
}
