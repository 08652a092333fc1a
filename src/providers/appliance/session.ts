/**
 * Sessions of the appliance's own management (specification, section C): its storage, on top of
 * one connection, which logs in when something is asked for the first time.
 */

import type { Clock } from "../../model/clock.ts";
import type { Value } from "../../model/value/value.ts";
import type { ProviderPorts } from "../kit/factory.ts";
import type { Part } from "../kit/part.ts";
import type { Opened, Sessions } from "../kit/provider.ts";
import { type Appliance, openAppliance } from "./client/connection.ts";
import type { MonitoringMemory } from "./storage/monitoring.ts";
import { observe, readFacts } from "./storage/observe.ts";
import { sendResize } from "./storage/send.ts";
import { storageIdentity, storageType, storageTypeName } from "./storage/storage.ts";
import { readStorageData, storageDataName } from "./storage/storage-data.ts";
import { surveyAppliance } from "./storage/survey.ts";

type AppliancePorts = {
  readonly appliance: Appliance;
  readonly memory: MonitoringMemory;
  readonly clock: Clock;
};

const storagePart: Part<AppliancePorts> = {
  types: [storageType],
  data: { [storageDataName]: ({ appliance, memory }) => readStorageData(appliance, memory) },
  read: ({ appliance, memory }, wanted) => observe(appliance, memory, wanted),
  send: ({ appliance, clock }, operation, deadlineMs) =>
    sendResize(appliance, operation, { nowMs: clock.now(), deadlineMs }),
  facts: ({ appliance, memory }, requests) => readFacts(appliance, memory, requests),
  list: {
    [storageTypeName]: async ({ appliance }) => {
      // It is there when the appliance answers.
      await appliance.dialect();
      return [{ type: storageTypeName, identity: storageIdentity }];
    },
  },
};

export const applianceSessions: Sessions<AppliancePorts> = {
  parts: [storagePart],
  open: openSession,
};

async function openSession(ports: ProviderPorts, written: Value): Promise<Opened<AppliancePorts>> {
  const appliance = await openAppliance(ports, written);
  const memory: MonitoringMemory = { refused: new Set() };
  return {
    open: async () => ({ appliance, memory, clock: ports.clock }),
    own: {
      url: appliance.url,
      survey: () => surveyAppliance(appliance, memory),
      close: () => appliance.close(),
    },
  };
}
