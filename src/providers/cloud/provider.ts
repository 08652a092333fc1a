/**
 * The provider of the cloud REST API (specification, section A): resource types on top of one
 * connection, which logs in when something is asked for the first time.
 */

import type { ProviderSession, View } from "../../model/provider.ts";
import type { Value } from "../../model/value.ts";
import { urlOf } from "../kit/endpoint.ts";
import type { ProviderFactory, ProviderPorts } from "../kit/factory.ts";
import { refusal } from "../kit/refusal.ts";
import { loadSchema } from "../kit/schema-file.ts";
import type { CloudClient, QueryRecord } from "./client/client.ts";
import { cloudDataTypes, readCloudData } from "./data/data.ts";
import { readFacts } from "./inventory/facts.ts";
import { type InventoryPorts, listVms, newMemory } from "./inventory/inventory.ts";
import { lookWith } from "./inventory/look.ts";
import { observe } from "./inventory/observe.ts";
import { outlookOf } from "./inventory/outlook.ts";
import { openCloud } from "./open.ts";
import { snapshotType } from "./vm/snapshot.ts";
import { cancelCloudTask, pollCloudTask } from "./vm/task.ts";
import { vmType, vmTypeName } from "./vm/vm.ts";
import { act } from "./work/act.ts";
import { findTask } from "./work/find-task.ts";
import { sendOperation } from "./work/send.ts";
import { acquireTicket } from "./work/ticket.ts";

const pure = {
  name: "cloud",
  settingsSchema: loadSchema("providers", "cloud"),
  types: [vmType, snapshotType],
  dataTypes: cloudDataTypes,
} as const;

export const cloudProvider: ProviderFactory = {
  ...pure,
  create: (ports) => ({ ...pure, open: (settings) => openSession(ports, settings) }),
};

/** Throws `RemoteError` of kind invalid for settings that cannot hold; sends nothing. */
async function openSession(ports: ProviderPorts, written: Value): Promise<ProviderSession> {
  const { connection, settings } = await openCloud(ports, written);
  const memory = newMemory();
  const baseUrl = urlOf(settings);
  // What was read before a change is never taken for what is there after it.
  let looks = new WeakMap<View, CloudClient>();
  const client = async (view?: View): Promise<CloudClient> => {
    const plain = await connection.client();
    if (view === undefined) return plain;
    const look = looks.get(view) ?? lookWith(plain, view);
    looks.set(view, look);
    return look;
  };
  const inventory = async (view?: View): Promise<InventoryPorts> => ({
    client: await client(view),
    baseUrl,
    memory,
  });
  const changing = async <T>(work: (plain: CloudClient) => Promise<T>): Promise<T> => {
    const plain = await client();
    looks = new WeakMap();
    return work(plain).finally(() => {
      looks = new WeakMap();
    });
  };
  return {
    url: baseUrl,
    read: async (wanted, view) =>
      wanted.length === 0 ? [] : observe(await inventory(view), wanted),
    send: async (operation, deadlineMs) => {
      // The reply is a task, not its end: an operation of a day waits no day for it.
      const replyMs = ports.clock.now() + (operation.requestLimitMs ?? Number.POSITIVE_INFINITY);
      const untilMs = Math.min(deadlineMs, replyMs);
      return changing((plain) => sendOperation(plain, operation, untilMs));
    },
    poll: async (handle) => pollCloudTask(await client(), handle),
    cancel: (handle) => changing((plain) => cancelCloudTask(plain, handle)),
    forsake: () => connection.forsake(),
    findTask: async (begin) => findTask(await inventory(), begin),
    facts: async (requests, view) =>
      requests.length === 0 ? [] : readFacts(await client(view), memory, requests),
    outlook: async (action, _type, identity) => outlookOf(await client(), action, identity),
    act: (action, type, identity, subject) =>
      changing((plain) => act(plain, { action, type, identity, subject })),
    ticket: async (type, identity) => {
      if (type !== vmTypeName) throw refusal("invalid", `${type} has no screen`);
      return acquireTicket(await client(), identity);
    },
    version: async () => (await client()).apiVersion,
    serverTime: async () => (await client()).serverTimeMs() ?? ports.clock.now(),
    list: async (type, view) => {
      if (type !== vmTypeName) {
        throw refusal(
          "invalid",
          `objects of type ${type} cannot be listed: they are content of a VM`,
        );
      }
      const listed = await listVms(await client(view));
      return [...listed].map(([identity, record]) => ({ type, identity, ...nameIn(record) }));
    },
    readData: async (type, query, view) => readCloudData(await client(view), type, query),
    close: () => connection.close(),
  };
}

/** `shop/web`: names of VMs are unique within their vApp at best. */
function nameIn({ attributes }: QueryRecord): { readonly name?: string } {
  const { name, containerName } = attributes;
  if (name === undefined) return {};
  return { name: containerName === undefined ? name : `${containerName}/${name}` };
}
