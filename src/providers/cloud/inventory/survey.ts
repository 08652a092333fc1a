/**
 * All that a session sees of a cloud, for a simulated twin of it: VMs, vApps and datastores by
 * their lists, and the VMs that a plan is about as they show themselves.
 */

import { compact } from "../../../lib/compact.ts";
import type {
  Survey,
  SurveyedDatastore,
  SurveyedMachine,
  SurveyRequest,
} from "../../../model/provider/survey.ts";
import { booleanOf } from "../../kit/narrow.ts";
import { orElse } from "../../kit/refusal.ts";
import type { CloudClient, QueryRecord } from "../client/client.ts";
import { apiPathOf } from "../client/href.ts";
import { isSince } from "../client/versions.ts";
import { snapshotTypeName, vmIn } from "../vm/names.ts";
import { snapshotParts } from "../vm/snapshot.ts";
import { powerOfVm, runningTasks, type VmDocument } from "../vm/vm-document.ts";
import { powerOfRecord, recordAttributes } from "../vm/vm-record.ts";
import { type InventoryPorts, listVms } from "./inventory.ts";
import { openVms } from "./vm-source.ts";

/** Throws `RemoteError`. */
export async function surveyCloud(
  { client, memory }: InventoryPorts,
  { objects }: SurveyRequest,
): Promise<Survey> {
  const { user, org, isSystem } = client.who;
  const listed = await listVms(client);
  const paths = new Set(objects.map((object) => vmPathOf(object)));
  const source = openVms(client, paths, memory.vapps);
  const documents = new Map<string, VmDocument>();
  const unknown: string[] = [];
  await Promise.all(
    [...paths].map(async (path) => {
      const read = orElse(
        () => source.vm(path),
        ({ message }) => void unknown.push(`VM ${path} could not be read: ${message}`),
      );
      const document = await read;
      if (document !== undefined) documents.set(path, document);
    }),
  );
  const records = isSystem ? await client.query({ type: "datastore" }) : [];
  if (!isSystem) {
    const who = `${user}@${org} is no system administrator`;
    unknown.push(`${who}, so the cloud tells neither which datastores there are nor their space`);
  }
  const datastores = records.flatMap((record) => datastoreOf(record));
  const machines = [...listed].map(([path, record]) =>
    machineOf(path, record, { client, datastores, document: documents.get(path) }),
  );
  return {
    account: { name: user, organization: org, administrator: isSystem },
    version: client.apiVersion,
    traits: { dialect: /vmware/i.test(client.dialect.namespace) ? "vendor" : "neutral" },
    managers: managersOf(records, machines),
    hosts: [],
    datastores,
    groups: groupsOf(listed),
    machines,
    alarms: [],
    unknown: [...unknown, ...unmeasured(datastores)],
  };
}

function vmPathOf({ type, identity }: SurveyRequest["objects"][number]): string {
  return type === snapshotTypeName ? snapshotParts(identity).vm : identity;
}

function unmeasured(datastores: readonly SurveyedDatastore[]): readonly string[] {
  return datastores.flatMap(({ name, capacityMb, usedMb }) =>
    capacityMb === undefined || usedMb === undefined
      ? [`the cloud does not tell how large datastore ${name} is, or how much of it is used`]
      : [],
  );
}

function datastoreOf({ href, attributes }: QueryRecord): readonly SurveyedDatastore[] {
  const id = lastOf(href);
  const { name, moref } = attributes;
  if (id === undefined || name === undefined || booleanOf(attributes.isDeleted) === true) return [];
  return [
    {
      id,
      name,
      usable: booleanOf(attributes.isEnabled) !== false,
      ...compact({
        manager: lastOf(apiPathOf(attributes.vc ?? "")),
        moref,
        capacityMb: numberOf(attributes.storageMB),
        usedMb: numberOf(attributes.storageUsedMB),
      }),
    },
  ];
}

/** Of links of datastores, and of VMs, which are on some of them. */
function managersOf(
  records: readonly QueryRecord[],
  machines: readonly SurveyedMachine[],
): Survey["managers"] {
  const names = new Map<string, string>();
  for (const { manager } of machines) if (manager !== undefined) names.set(manager, manager);
  for (const { attributes } of records) {
    const id = lastOf(apiPathOf(attributes.vc ?? ""));
    if (id !== undefined) names.set(id, attributes.vcName ?? id);
  }
  return [...names].map(([id, name]) => ({ id, name }));
}

function groupsOf(listed: ReadonlyMap<string, QueryRecord>): Survey["groups"] {
  const names = new Map<string, string>();
  for (const { attributes } of listed.values()) {
    const id = groupIdOf(apiPathOf(attributes.container ?? ""));
    if (id !== undefined) names.set(id, attributes.containerName ?? id);
  }
  return [...names].map(([id, name]) => ({ id, name }));
}

function machineOf(
  path: string,
  record: QueryRecord,
  {
    client,
    datastores,
    document,
  }: {
    readonly client: CloudClient;
    readonly datastores: readonly SurveyedDatastore[];
    readonly document: VmDocument | undefined;
  },
): SurveyedMachine {
  const { attributes } = record;
  const listed = vmIn(recordAttributes(record, path));
  const manager = lastOf(document?.vc ?? listed.vc);
  const datastore = datastores.find(
    (one) => one.name === listed.datastore && (manager === undefined || one.manager === manager),
  );
  const power = document === undefined ? powerOfRecord(record) : powerOfVm(document);
  const toolsVersion = numberOf(attributes.vmToolsVersion);
  const isOn = power === "on" && toolsVersion !== undefined;
  return {
    id: path.replace(/^.*\/vm-/, ""),
    name: listed.name ?? path,
    ...compact({
      power: power === "deployment" ? undefined : power,
      group: groupIdOf(listed.vapp_href),
      host: attributes.hostName?.trim() === "" ? undefined : attributes.hostName,
      datastore: datastore?.id,
      manager,
      moref: listed.moref,
      hardwareVersion: listed.hardware_version ?? document?.hardwareVersion,
      tools: isOn ? (toolsVersion > 0 ? "running" : "absent") : undefined,
      cpus: listed.cpu_count,
      memoryMb: listed.memory_mb,
      guestOs: listed.guest_os,
      storageProfile: attributes.storageProfileName,
    }),
    ...(document === undefined ? {} : ofDocument(client, document)),
  };
}

/** What the VM tells of itself alone. */
function ofDocument(client: CloudClient, document: VmDocument): Partial<SurveyedMachine> {
  const { disks, snapshot, nested, isDeployed } = document;
  return {
    // One that is an object of its own does not go with the VM.
    storageMb: disks.reduce((sum, disk) => sum + (disk.isIndependent ? 0 : disk.capacityMb), 0),
    independentDisk: disks.some(({ isIndependent }) => isIndependent),
    withheld: withheldOf(client, document),
    ...(nested === undefined ? {} : { nested }),
    ...(isDeployed === undefined ? {} : { deployed: isDeployed }),
    ...(snapshot === undefined ? {} : { snapshots: snapshot === null ? [] : [snapshot] }),
  };
}

/** A link that is not there where nothing runs is a right that is missing (wire facts A.3.3). */
function withheldOf({ apiVersion, who }: CloudClient, document: VmDocument): readonly string[] {
  const { links, showsLinks, hardwareVersion = 0 } = document;
  if (!showsLinks || runningTasks(document).length > 0) return [];
  const lacks = (...verbs: readonly string[]): boolean =>
    !verbs.some((verb) => links.includes(verb));
  const power = powerOfVm(document);
  const isLater = isSince(apiVersion, "5.1");
  const nests = isLater && power === "off" && hardwareVersion >= 9;
  const hasPower = power === "on" ? !lacks("undeploy", "power-off") : !lacks("power-on");
  return [
    ...(hasPower || power === undefined || power === "changing" ? [] : ["power"]),
    ...(isLater && lacks("create") ? ["snapshot"] : []),
    ...(nests && lacks("enable-nested", "disable-nested") ? ["nested"] : []),
    ...(who.isSystem && lacks("relocate") ? ["relocate"] : []),
  ];
}

/** Of `/api/vApp/vapp-…`. */
function groupIdOf(path: string | undefined): string | undefined {
  return /\/vapp-([^/]+)$/.exec(path ?? "")?.[1];
}

function lastOf(path: string | undefined): string | undefined {
  return path?.slice(path.lastIndexOf("/") + 1);
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}
