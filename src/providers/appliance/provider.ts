/**
 * The provider of the appliance's own management (specification, section C): its storage, on top of
 * one connection, which logs in when something is asked for the first time.
 */

import type { ProviderSession } from "../../model/provider.ts";
import type { Value } from "../../model/value.ts";
import type { ProviderFactory, ProviderPorts } from "../kit/factory.ts";
import { refusal } from "../kit/refusal.ts";
import { loadSchema } from "../kit/schema-file.ts";
import { openAppliance } from "./client/connection.ts";
import type { MonitoringMemory } from "./storage/monitoring.ts";
import { observe, readFacts } from "./storage/observe.ts";
import { sendResize } from "./storage/send.ts";
import { storageIdentity, storageType, storageTypeName } from "./storage/storage.ts";
import { readStorageData, storageDataName, storageDataType } from "./storage/storage-data.ts";

const pure = {
  name: "appliance",
  settingsSchema: loadSchema("providers", "appliance"),
  types: [storageType],
  dataTypes: [storageDataType],
} as const;

export const applianceProvider: ProviderFactory = {
  ...pure,
  create: (ports) => ({ ...pure, open: (settings) => openSession(ports, settings) }),
};

/** Throws `RemoteError` of kind invalid for settings that cannot hold; sends nothing. */
async function openSession(ports: ProviderPorts, written: Value): Promise<ProviderSession> {
  const appliance = await openAppliance(ports, written);
  const memory: MonitoringMemory = { refused: new Set() };
  return {
    url: appliance.url,
    read: async (wanted) => (wanted.length === 0 ? [] : observe(appliance, memory, wanted)),
    send: (operation, deadlineMs) =>
      sendResize(appliance, operation, { nowMs: ports.clock.now(), deadlineMs }),
    facts: async (requests) =>
      requests.length === 0 ? [] : readFacts(appliance, memory, requests),
    list: async (type) => {
      if (type !== storageTypeName) {
        throw refusal("invalid", `objects of type ${type} cannot be listed`);
      }
      // It is there when the appliance answers.
      await appliance.dialect();
      return [{ type, identity: storageIdentity }];
    },
    readData: async (type) => {
      if (type !== storageDataName) throw new Error(`the appliance has no data source ${type}`);
      return readStorageData(appliance, memory);
    },
    close: () => appliance.close(),
  };
}
