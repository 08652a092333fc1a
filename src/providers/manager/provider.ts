/**
 * The provider of host management (specification, section D): resource types on top of one
 * connection, which logs in when something is asked for the first time. Types that are read
 * together are one part; each request of the engine goes to the part of its type.
 */

import type { Observation, Wanted } from "../../model/observation.ts";
import type { FactsAnswer, FactsRequest, ProviderSession } from "../../model/provider.ts";
import { RemoteError } from "../../model/remote-error.ts";
import type { Value } from "../../model/value.ts";
import { urlOf } from "../kit/endpoint.ts";
import type { ProviderFactory, ProviderPorts } from "../kit/factory.ts";
import { failed } from "../kit/reading.ts";
import { refusal } from "../kit/refusal.ts";
import { loadSchema } from "../kit/schema-file.ts";
import { cancelTask, pollTask } from "../kit/tasks.ts";
import { openManager } from "./client/open.ts";
import { tasksOf } from "./client/task.ts";
import { alarmPart } from "./login/alarm-part.ts";
import { eventsPart } from "./login/events-part.ts";
import type { ManagerPorts, Part } from "./part.ts";
import { reclaimPart } from "./reclaim/reclaim-part.ts";
import { machinePart } from "./work/machine-part.ts";

/** How long a reply is waited for, milliseconds. */
const replyMs = 120_000;

const parts: readonly Part[] = [machinePart, reclaimPart, alarmPart, eventsPart];

const pure = {
  name: "manager",
  settingsSchema: loadSchema("providers", "manager"),
  types: parts.flatMap(({ types }) => types),
  dataTypes: parts.flatMap(({ dataTypes }) => dataTypes),
} as const;

export const managerProvider: ProviderFactory = {
  ...pure,
  create: (ports) => ({ ...pure, open: (settings) => openSession(ports, settings) }),
};

/** Throws `RemoteError` of kind invalid for settings that cannot hold; sends nothing. */
async function openSession(ports: ProviderPorts, written: Value): Promise<ProviderSession> {
  const { connection, settings, http } = await openManager(ports, written);
  const { clock } = ports;
  const hostNames = new Map<string, string>();
  const datastoreNames = new Map<string, string>();
  const open = async (): Promise<ManagerPorts> => ({
    client: await connection.client(),
    hostNames,
    datastoreNames,
    settings,
    http,
    clock,
    guarded: (work) => connection.guarded(work),
  });
  return {
    url: urlOf(settings),
    instance: async () => (await connection.client()).content.instanceUuid,
    read: async (wanted) =>
      wanted.length === 0 ? [] : inParts(wanted, (part, own) => readPart(part, own, open)),
    send: async (operation, deadlineMs) => {
      // The reply is a task, or comes at once: an operation of a day waits no day for it.
      const limitMs = Math.min(deadlineMs, clock.now() + (operation.requestLimitMs ?? replyMs));
      return partOf(operation.type).send(await open(), operation, limitMs);
    },
    poll: async (handle) => {
      const manager = await open();
      for (const { poll } of parts) {
        const status = poll?.(manager, handle);
        if (status !== undefined) return status;
      }
      return pollTask(tasksOf(manager.client), handle);
    },
    cancel: async (handle) => cancelTask(tasksOf(await connection.client()), handle),
    forsake: () => connection.forsake(),
    findTask: async (begin) => partOf(begin.type).findTask?.(await open(), begin),
    facts: (requests) => inParts(requests, (part, own) => factsOf(part, own, open)),
    outlook: async (action, type, identity) =>
      (await partOf(type).outlook?.(await open(), action, identity)) ?? {},
    act: async (action, type, identity, subject) => {
      const { act } = partOf(type);
      if (act === undefined) throw new Error(`${type} has no action ${action}`);
      return act(await open(), { action, type, identity, subject });
    },
    version: async () => (await connection.client()).content.apiVersion,
    serverTime: async () => (await connection.client()).serverTimeMs(),
    list: async (type) => {
      const { list } = partOf(type);
      if (list !== undefined) return list(await open(), type);
      throw refusal("invalid", `objects of type ${type} cannot be listed`);
    },
    listContent: async (type, containers) => {
      const { listContent } = partOf(type);
      if (listContent === undefined) throw new Error(`content of type ${type} is not listed`);
      return listContent(await open(), type, containers);
    },
    readData: async (type, query) => {
      const part = parts.find(({ dataTypes }) => dataTypes.some(({ name }) => name === type));
      if (part?.readData === undefined) throw new Error(`there is no data source ${type}`);
      return part.readData(await open(), type, query);
    },
    close: () => connection.close(),
  };
}

type Open = () => Promise<ManagerPorts>;

/** What one part cannot read hides nothing of the others. */
async function readPart(
  part: Part,
  wanted: readonly Wanted[],
  open: Open,
): Promise<readonly Observation[]> {
  const ports = await open();
  try {
    return await part.read(ports, wanted);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return wanted.map(() => failed(error.message));
  }
}

async function factsOf(
  part: Part,
  requests: readonly FactsRequest[],
  open: Open,
): Promise<readonly FactsAnswer[]> {
  if (part.facts === undefined) return requests.map(() => ({ status: "read", facts: {} }));
  const ports = await open();
  try {
    return await part.facts(ports, requests);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return requests.map(() => ({ status: "failed", reason: error.message }));
  }
}

/** Each part answers for its own, all at once; answers stand in the order of the questions. */
async function inParts<Q extends { readonly type: string }, A>(
  questions: readonly Q[],
  ask: (part: Part, own: readonly Q[]) => Promise<readonly A[]>,
): Promise<readonly A[]> {
  const groups = new Map<Part, Q[]>();
  for (const question of questions) {
    const part = partOf(question.type);
    const own = groups.get(part) ?? [];
    own.push(question);
    groups.set(part, own);
  }
  const answers = new Map<Q, A>();
  await Promise.all(
    [...groups].map(async ([part, own]) => {
      const told = await ask(part, own);
      for (const [index, answer] of told.entries()) {
        const question = own[index];
        if (question !== undefined) answers.set(question, answer);
      }
    }),
  );
  return questions.map((question) => {
    const answer = answers.get(question);
    if (answer === undefined) throw new Error(`nothing was answered about ${question.type}`);
    return answer;
  });
}

function partOf(type: string): Part {
  const part = parts.find(({ types }) => types.some(({ name }) => name === type));
  if (part === undefined) throw new Error(`host management has no objects of type ${type}`);
  return part;
}
