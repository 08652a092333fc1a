/**
 * Sessions of host management (specification, section D): resource types on top of one
 * connection, which logs in when something is asked for the first time.
 */

import type { Value } from "../../model/value/value.ts";
import { urlOf } from "../kit/endpoint.ts";
import type { ProviderPorts } from "../kit/factory.ts";
import type { Opened, Sessions } from "../kit/provider.ts";
import { cancelTask, pollTask } from "../kit/tasks.ts";
import { openManager } from "./client/open.ts";
import { tasksOf } from "./client/task.ts";
import { surveyManager } from "./inventory/survey.ts";
import { alarmPart } from "./login/alarm-part.ts";
import { eventsPart } from "./login/events-part.ts";
import type { ManagerPorts } from "./part.ts";
import { reclaimPart } from "./reclaim/reclaim-part.ts";
import { pollReclaim } from "./reclaim/reclaim-work.ts";
import { machinePart } from "./work/machine-part.ts";
import { toldByManager } from "./work/told-changes.ts";

/** How long a reply is waited for, milliseconds. */
const replyMs = 120_000;

const parts = [machinePart, reclaimPart, alarmPart, eventsPart];

export const managerSessions: Sessions<ManagerPorts> = { parts, open: openSession };

async function openSession(ports: ProviderPorts, written: Value): Promise<Opened<ManagerPorts>> {
  const { connection, settings, http } = await openManager(ports, written);
  const hostNames = new Map<string, string>();
  const datastoreNames = new Map<string, string>();
  const open = async (): Promise<ManagerPorts> => ({
    client: await connection.client(),
    hostNames,
    datastoreNames,
    settings,
    http,
    clock: ports.clock,
    guarded: (work) => connection.guarded(work),
  });
  return {
    open,
    replyMs,
    own: {
      url: urlOf(settings),
      instance: async () => (await connection.client()).content.instanceUuid,
      poll: async (handle) => {
        const manager = await open();
        // Its tasks tell more than how far they are.
        return pollReclaim(manager, handle) ?? pollTask(tasksOf(manager.client), handle);
      },
      cancel: async (handle) => cancelTask(tasksOf(await connection.client()), handle),
      forsake: () => connection.forsake(),
      version: async () => (await connection.client()).content.apiVersion,
      serverTime: async () => (await connection.client()).serverTimeMs(),
      survey: async (request) => surveyManager(await open(), request),
      toldChanges: async (questions) => toldByManager(await open(), questions),
      close: () => connection.close(),
    },
  };
}
