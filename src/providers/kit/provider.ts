/**
 * A provider made of parts: each request of the engine goes to the part of its type. What a part
 * does not have, the session does not offer.
 */

import type { Observation, Wanted } from "../../model/provider/observation.ts";
import type {
  DataSourceType,
  FactsAnswer,
  FactsRequest,
  ProviderSession,
  ResourceType,
  View,
} from "../../model/provider/provider.ts";
import type { Value } from "../../model/value/value.ts";
import type { ProviderFactory, ProviderPorts } from "./factory.ts";
import type { Part } from "./part.ts";
import { failed } from "./reading.ts";
import { orElse, refusal } from "./refusal.ts";
import { loadSchema } from "./schema/schema-file.ts";

/** A session before its parts have joined. */
export type Opened<P> = {
  /** What parts work with; logs in by the first use. Throws `RemoteError`. */
  readonly open: (view?: View) => Promise<P>;
  /** Called before and after whatever may change something. */
  readonly onChange?: () => void;
  /** How long the reply of an operation is waited for that does not say, milliseconds. */
  readonly replyMs?: number;
  /** What is no matter of a type. */
  readonly own: Pick<
    ProviderSession,
    | "url"
    | "instance"
    | "poll"
    | "cancel"
    | "forsake"
    | "version"
    | "serverTime"
    | "survey"
    | "toldChanges"
    | "close"
  >;
};

type Joined<P> = Opened<P> & { readonly parts: readonly Part<P>[]; readonly ports: ProviderPorts };

/** The effectful half of a provider: its parts, and how what they work with is opened. */
export type Sessions<P> = {
  readonly parts: readonly Part<P>[];
  /** Throws `RemoteError` of kind invalid for settings that cannot hold, and sends nothing. */
  open(ports: ProviderPorts, settings: Value): Promise<Opened<P>>;
};

/** What a provider can be asked about, as far as planning knows it. */
export type Offer = {
  readonly types: readonly ResourceType[];
  /** Names of its data sources. */
  readonly data: readonly string[];
};

/** Its sessions are loaded when the first one is opened: most commands open those of few. */
export function providerOf<P>(
  name: string,
  { types, data }: Offer,
  load: () => Promise<Sessions<P>>,
): ProviderFactory {
  const dataTypes = data.map(dataTypeOf);
  return {
    name,
    types,
    dataTypes,
    get settingsSchema() {
      return loadSchema("providers", name);
    },
    create: (ports) => ({
      open: async (settings) => {
        const sessions = await load();
        const opened = await sessions.open(ports, settings);
        return join({ ...opened, parts: sessions.parts, ports });
      },
    }),
  };
}

function dataTypeOf(name: string): DataSourceType {
  return {
    name,
    get schema() {
      return loadSchema("data", name);
    },
  };
}

function join<P>(session: Joined<P>): ProviderSession {
  const { own, parts, open } = session;
  return {
    ...own,
    read: (wanted, view) =>
      inParts(session, wanted, (part, mine) => readPart(session, part, mine, view)),
    ...changes(session),
    ...(parts.some(({ findTask }) => findTask !== undefined)
      ? {
          findTask: async (begin) =>
            partOf(session, begin.subject.type).findTask?.(await open(), begin),
        }
      : {}),
    ...(parts.some(({ facts }) => facts !== undefined)
      ? {
          facts: (requests, view) =>
            inParts(session, requests, (part, mine) => factsOf(session, part, mine, view)),
        }
      : {}),
    ...lists(session),
    readData: async (type, query, view) => {
      const read = parts.find(({ data = {} }) => Object.hasOwn(data, type))?.data?.[type];
      if (read === undefined) throw new Error(`there is no data source ${type}`);
      return read(await open(view), query);
    },
  };
}

/** What sends requests that change something, and what is asked before an action. */
function changes<P>(session: Joined<P>): Pick<ProviderSession, "send"> & Partial<ProviderSession> {
  const { own, parts, open, onChange, replyMs = Number.POSITIVE_INFINITY, ports } = session;
  const changing = async <T>(work: () => Promise<T>): Promise<T> => {
    onChange?.();
    return work().finally(onChange);
  };
  const some = (name: keyof Part<P>): boolean => parts.some((part) => part[name] !== undefined);
  return {
    send: async (operation, deadlineMs) => {
      const { send } = partOf(session, operation.subject.type);
      if (send === undefined) throw new Error(`${operation.id} has no request to send`);
      // The reply is a task, or comes at once: an operation of a day waits no day for it.
      const limitMs = ports.clock.now() + (operation.proof.requestLimitMs ?? replyMs);
      return changing(async () => send(await open(), operation, Math.min(deadlineMs, limitMs)));
    },
    ...(own.cancel === undefined
      ? {}
      : { cancel: (handle) => changing(async () => own.cancel?.(handle)) }),
    ...(some("act")
      ? {
          outlook: async (action, type, identity) =>
            (await partOf(session, type).outlook?.(await open(), action, identity)) ?? {},
          act: async (action, type, identity, subject) => {
            const { act } = partOf(session, type);
            if (act === undefined) throw new Error(`${type} has no action ${action}`);
            return changing(async () => act(await open(), { action, type, identity, subject }));
          },
        }
      : {}),
    ...(some("ticket")
      ? {
          ticket: async (type, identity) => {
            const { ticket } = partOf(session, type);
            if (ticket === undefined) throw refusal("invalid", `${type} has no screen`);
            return ticket(await open(), type, identity);
          },
        }
      : {}),
  };
}

function lists<P>(session: Joined<P>): Pick<ProviderSession, "list" | "listContent"> {
  const { parts, open } = session;
  return {
    list: async (type, view) => {
      const all = parts.flatMap(({ list = {} }) => list[type] ?? [])[0];
      if (all !== undefined) return all(await open(view));
      const types = parts.flatMap((part) => part.types);
      const { container, recordOnly = false } = types.find(({ name }) => name === type) ?? {};
      const why = container === undefined || recordOnly ? "" : ": they are content of a VM";
      throw refusal("invalid", `objects of type ${type} cannot be listed${why}`);
    },
    ...(parts.some(({ listContent }) => listContent !== undefined)
      ? {
          listContent: async (type, containers) => {
            const { listContent } = partOf(session, type);
            if (listContent === undefined) throw new Error(`content of type ${type} is not listed`);
            return listContent(await open(), containers);
          },
        }
      : {}),
  };
}

/** What one part cannot read hides nothing of the others. */
async function readPart<P>(
  { open }: Joined<P>,
  { read }: Part<P>,
  wanted: readonly Wanted[],
  view: View | undefined,
): Promise<readonly Observation[]> {
  if (read === undefined) throw new Error("these are no resources");
  const ports = await open(view);
  return orElse(
    () => read(ports, wanted),
    ({ message }) => wanted.map(() => failed(message)),
  );
}

async function factsOf<P>(
  { open }: Joined<P>,
  { facts }: Part<P>,
  requests: readonly FactsRequest[],
  view: View | undefined,
): Promise<readonly FactsAnswer[]> {
  if (facts === undefined) return requests.map(() => ({ status: "read", facts: {} }));
  const ports = await open(view);
  return orElse(
    () => facts(ports, requests),
    ({ message }) => requests.map((): FactsAnswer => ({ status: "failed", reason: message })),
  );
}

/** Each part answers for its own, all at once; answers stand in the order of the questions. */
async function inParts<P, Q extends { readonly type: string }, A>(
  session: Joined<P>,
  questions: readonly Q[],
  ask: (part: Part<P>, mine: readonly Q[]) => Promise<readonly A[]>,
): Promise<readonly A[]> {
  const groups = new Map<Part<P>, Q[]>();
  for (const question of questions) {
    const part = partOf(session, question.type);
    const mine = groups.get(part) ?? [];
    mine.push(question);
    groups.set(part, mine);
  }
  const answers = new Map<Q, A>();
  await Promise.all(
    [...groups].map(async ([part, mine]) => {
      for (const [index, answer] of (await ask(part, mine)).entries()) {
        const question = mine[index];
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

function partOf<P>({ parts }: Joined<P>, type: string): Part<P> {
  const part = parts.find(({ types }) => types.some(({ name }) => name === type));
  if (part === undefined) throw new Error(`the provider has no objects of type ${type}`);
  return part;
}
