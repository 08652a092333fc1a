/**
 * Sessions of the cloud REST API (specification, section A): VMs and their snapshots on top of
 * one connection, which logs in when something is asked for the first time.
 */

import type { Discovered, View } from "../../model/provider/provider.ts";
import { toAddress } from "../../model/value/address.ts";
import type { Value } from "../../model/value/value.ts";
import { urlOf } from "../kit/endpoint.ts";
import type { ProviderPorts } from "../kit/factory.ts";
import type { Part } from "../kit/part.ts";
import type { Opened, Sessions } from "../kit/provider.ts";
import { refusal } from "../kit/refusal.ts";
import type { CloudClient, QueryRecord } from "./client/client.ts";
import { cloudData } from "./data/data.ts";
import { readFacts } from "./inventory/facts.ts";
import { type InventoryPorts, listVms, newMemory } from "./inventory/inventory.ts";
import { lookWith } from "./inventory/look.ts";
import { observe } from "./inventory/observe.ts";
import { outlookOf } from "./inventory/outlook.ts";
import { surveyCloud } from "./inventory/survey.ts";
import { openCloud } from "./open.ts";
import { snapshotTypeName, vmTypeName } from "./vm/names.ts";
import { snapshotIdentity, snapshotType } from "./vm/snapshot.ts";
import { cancelCloudTask, pollCloudTask } from "./vm/task.ts";
import { vmType } from "./vm/vm.ts";
import { act } from "./work/act.ts";
import { findTask } from "./work/find-task.ts";
import { sendOperation } from "./work/send.ts";
import { acquireTicket } from "./work/ticket.ts";
import { toldByCloud } from "./work/told-changes.ts";

const vmPart: Part<InventoryPorts> = {
  types: [vmType, snapshotType],
  data: cloudData,
  read: observe,
  send: ({ client }, operation, deadlineMs) => sendOperation(client, operation, deadlineMs),
  findTask,
  facts: ({ client, memory }, requests) => readFacts(client, memory, requests),
  outlook: ({ client }, action, identity) => outlookOf(client, action, identity),
  act: ({ client }, call) => act(client, call),
  ticket: async ({ client }, type, identity) => {
    if (type !== vmTypeName) throw refusal("invalid", `${type} has no screen`);
    return acquireTicket(client, identity);
  },
  listContent: listSnapshots,
  list: {
    [vmTypeName]: async ({ client }) => [...(await listVms(client))].map(discovered),
  },
};

/** Each VM is asked: no query tells of snapshots. Throws where one does not say. */
async function listSnapshots(
  ports: InventoryPorts,
  vms: readonly string[],
): Promise<readonly Discovered[]> {
  const type = snapshotTypeName;
  const wanted = vms.map((vm) => {
    const address = toAddress(`${type}.listed`);
    if (address === undefined) throw new Error("the address of a listed snapshot is none");
    return { address, type, identity: snapshotIdentity(vm), attributes: ["created_at"] };
  });
  return (await observe(ports, wanted)).flatMap((observation) => {
    if (observation.status === "unreadable") throw refusal("invalid", observation.reason);
    return observation.status === "found" ? [{ type, identity: observation.identity }] : [];
  });
}

export const cloudSessions: Sessions<InventoryPorts> = { parts: [vmPart], open: openSession };

async function openSession(ports: ProviderPorts, written: Value): Promise<Opened<InventoryPorts>> {
  const { connection, settings } = await openCloud(ports, written);
  const memory = newMemory();
  const baseUrl = urlOf(settings);
  // What was read before a change is never taken for what is there after it.
  let looks = new WeakMap<View, CloudClient>();
  const clientOf = async (view?: View): Promise<CloudClient> => {
    const plain = await connection.client();
    if (view === undefined) return plain;
    const look = looks.get(view) ?? lookWith(plain, view);
    looks.set(view, look);
    return look;
  };
  return {
    open: async (view) => ({ client: await clientOf(view), baseUrl, memory }),
    onChange: () => {
      looks = new WeakMap();
    },
    own: {
      url: baseUrl,
      poll: async (handle) => pollCloudTask(await connection.client(), handle),
      cancel: async (handle) => cancelCloudTask(await connection.client(), handle),
      forsake: () => connection.forsake(),
      version: async () => (await connection.client()).apiVersion,
      serverTime: async () => (await connection.client()).serverTimeMs(),
      survey: async (request) =>
        surveyCloud({ client: await connection.client(), baseUrl, memory }, request),
      toldChanges: async (questions) =>
        toldByCloud({ client: await connection.client(), baseUrl, memory }, questions),
      close: () => connection.close(),
    },
  };
}

/** `shop/web`: names of VMs are unique within their vApp at best. */
function discovered([identity, { attributes }]: readonly [string, QueryRecord]): Discovered {
  const { name, containerName } = attributes;
  const vm = { type: vmTypeName, identity };
  if (name === undefined) return vm;
  return { ...vm, name: containerName === undefined ? name : `${containerName}/${name}` };
}
