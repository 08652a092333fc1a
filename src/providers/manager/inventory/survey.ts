/**
 * All that a session sees of a host manager, for a simulated twin of it: hosts, datastores, VMs and
 * login alarms by their lists, and the VMs that a plan is about with their devices and snapshots.
 */

import { compact } from "../../../lib/compact.ts";
import { textOf } from "../../../lib/xml/xml.ts";
import type {
  Survey,
  SurveyedDatastore,
  SurveyedDisk,
  SurveyedMachine,
  SurveyRequest,
} from "../../../model/provider/survey.ts";
import { orElse } from "../../kit/refusal.ts";
import type { ManagedObject } from "../client/client.ts";
import { booleanIn, childIn, listIn, refOf, textIn } from "../client/element.ts";
import { datastoreOfPath, plainName, vmIdOf, vmObjectType, vmRef } from "../client/moref.ts";
import { surveyAlarms } from "../login/alarm-part.ts";
import type { Disk } from "../machine/disk-device.ts";
import {
  devicesPath,
  readVmProperties,
  snapshotPath,
  type VmProperties,
  vmPaths,
} from "../machine/vm-properties.ts";
import type { ManagerPorts } from "../part.ts";
import { hostFacts, hostPaths } from "./facts.ts";
import { hostObjectType, openMachines } from "./machines.ts";

const rolesPath = "effectiveRole";

/** Throws `RemoteError`. */
export async function surveyManager(
  ports: ManagerPorts,
  { objects }: SurveyRequest,
): Promise<Survey> {
  const { content, user } = ports.client;
  const places = await ports.client.readAll({
    [hostObjectType]: hostPaths,
    Datastore: ["name", "summary", "host"],
    Datacenter: ["name"],
  });
  const ofType = (type: string): readonly ManagedObject[] =>
    places.filter(({ ref }) => ref.type === type);
  const datastores = ofType("Datastore").map((object) => datastoreOf(object));
  const wanted = new Set(objects.flatMap(({ identity }) => vmIdOf(identityStart(identity)) ?? []));
  const { machines, unknown, roles } = await machinesOf(ports, wanted, datastores);
  const [center, ...centers] = ofType("Datacenter").map(({ values }) => nameIn(values));
  const alarms = content.isHost
    ? []
    : await orElse(
        () => surveyAlarms(ports.client),
        () => [],
      );
  return {
    account: { name: user, administrator: !isReadOnly(roles) },
    version: content.apiVersion,
    traits: {
      kind: content.isHost ? "host" : "manager",
      ...(center === undefined ? {} : { datacenter: center }),
    },
    managers: [],
    hosts: ofType(hostObjectType).map((object) => {
      const { name, nested } = hostFacts(object);
      const nests = nested === undefined ? {} : { nestedSupported: nested };
      return { id: object.ref.id, name, ...nests };
    }),
    datastores,
    groups: [],
    machines,
    alarms,
    unknown: [
      ...unknown,
      ...(centers.length === 0
        ? []
        : ["the twin has one datacenter: that a VM stays in its own is not looked at"]),
      ...datastores.flatMap(({ name, capacityMb }) =>
        capacityMb === undefined
          ? [`how large datastore ${name} is, the manager does not tell`]
          : [],
      ),
    ],
  };
}

/** Of `vm-12`, `vm-12/2000` and `vm-12/reclaim`. */
function identityStart(identity: string): string {
  return identity.split("/")[0] ?? "";
}

function nameIn(values: ManagedObject["values"]): string {
  const name = values.get("name");
  return name === undefined ? "" : plainName(textOf(name).trim());
}

function datastoreOf({ ref, values }: ManagedObject): SurveyedDatastore {
  const summary = values.get("summary");
  const [capacity, free] = ["capacity", "freeSpace"].map((name) =>
    megabytes(textIn(summary, name)),
  );
  const mounts = listIn(values.get("host"), "DatastoreHostMount");
  const hosts = mounts.flatMap((mount) => refOf(childIn(mount, "key"))?.id ?? []);
  return {
    id: ref.id,
    name: nameIn(values),
    usable: booleanIn(childIn(summary, "accessible")) !== false,
    ...(hosts.length === 0 ? {} : { hosts }),
    ...(capacity === undefined || free === undefined
      ? {}
      : { capacityMb: capacity, usedMb: capacity - free }),
  };
}

function megabytes(bytes: string | undefined): number | undefined {
  return bytes !== undefined && /^\d{1,18}$/.test(bytes)
    ? Number(BigInt(bytes) / 1_048_576n)
    : undefined;
}

/** The role of whoever may only look, as every server has it. */
function isReadOnly(roles: readonly string[]): boolean {
  return roles.length > 0 && roles.every((role) => role === "-2");
}

type Found = Pick<Survey, "machines" | "unknown"> & {
  /** On the VMs of the plan, each once. */
  readonly roles: readonly string[];
};

async function machinesOf(
  ports: ManagerPorts,
  wanted: ReadonlySet<string>,
  datastores: readonly SurveyedDatastore[],
): Promise<Found> {
  const all = openMachines(ports, { ids: new Set(), search: true, devices: false });
  const { vms } = await all.all();
  const details = await ports.client.read(
    [...wanted].map((id) => vmRef(id)),
    { [vmObjectType]: [...vmPaths, devicesPath, snapshotPath, rolesPath] },
  );
  const unknown: string[] = [];
  const machines: SurveyedMachine[] = [];
  for (const [id, vm] of vms) {
    const object = details.objects.get(id);
    const detailed = object === undefined ? undefined : readVmProperties(object);
    const path = await all.pathOf(vm);
    machines.push(
      machineOf(detailed ?? vm, { path, datastores, isDetailed: object !== undefined }),
    );
    if (detailed !== undefined && detailed.disks === undefined) {
      unknown.push(`the manager does not show the disks of VM ${vm.name}`);
    }
  }
  const roles = [...details.objects.values()].flatMap(({ values }) =>
    listIn(values.get(rolesPath), "int").map((role) => textOf(role).trim()),
  );
  return { machines, unknown, roles: [...new Set(roles)] };
}

function machineOf(
  vm: VmProperties,
  given: {
    readonly path: string | undefined;
    readonly datastores: readonly SurveyedDatastore[];
    readonly isDetailed: boolean;
  },
): SurveyedMachine {
  const { datastores, isDetailed, path } = given;
  const idOf = (name: string | undefined): string | undefined =>
    datastores.find((one) => one.name === name && vm.datastores.includes(one.id))?.id;
  const disks = isDetailed ? vm.disks?.map((disk) => diskOf(disk)) : undefined;
  return {
    id: vm.id,
    name: vm.name,
    template: vm.isTemplate,
    ...compact({
      power: vm.power,
      folder: folderOf(path),
      host: vm.host,
      datastore: idOf(datastoreOfPath(vm.homePath)) ?? vm.datastores[0],
      uuid: vm.biosUuid,
      instanceUuid: vm.instanceUuid,
      hardwareVersion: vm.hardwareVersion,
      nested: vm.nested,
      tools: vm.tools,
      connection: vm.lost,
      disks,
      snapshots: isDetailed ? vm.snapshots.map((name) => ({ name: plainName(name) })) : undefined,
    }),
  };
}

function diskOf(disk: Disk): SurveyedDisk {
  const { id, label, format, capacityBytes, fileName, isDelta } = disk;
  return {
    ...{ id, label, format, linked: isDelta },
    capacityMb: Number(capacityBytes / 1_048_576n),
    ...compact({
      datastore: disk.datastoreId,
      path: fileName?.replace(/^\[[^\]]*\]\s*/, ""),
      uuid: disk.uuid,
      deltaDiskFormat: disk.deltaFormat,
    }),
  };
}

/** `team` of `Lab/vm/team/web`; the folder of all VMs has no name here. */
function folderOf(path: string | undefined): string | undefined {
  const names = path?.split("/").slice(0, -1) ?? [];
  const folder = names.slice(names.indexOf("vm") + 1).join("/");
  return folder === "" ? undefined : folder;
}
