/**
 * A session whose calls travel to a site and are done there. Whoever has it does not notice: it has
 * the methods that the session there has, gives what they give, and throws what they throw.
 */

import { urlSeenFrom } from "../lib/loopback.ts";
import { RemoteError } from "../model/operation/remote-error.ts";
import type { ProviderSession } from "../model/provider/provider.ts";
import type { Value } from "../model/value/value.ts";
import type { CallMethod, OpenedThere, SiteCall } from "./call.ts";
import { type Asked, exchange, type Traveller } from "./exchange.ts";
import { numberViews } from "./views.ts";
import { type Way, withoutWay } from "./way.ts";

export type TravelPorts = Pick<Traveller, "channel" | "clock" | "newId" | "version" | "tell"> & {
  /** Names of the types and data sources that a look may expect objects of. */
  readonly types: readonly string[];
};

export type Journey = Way &
  Pick<SiteCall, "provider" | "access"> & {
    /** Secrets are references. */
    readonly settings: Value;
  };

/** Opens the session there. Throws `RemoteError`. */
export async function openAtSite(ports: TravelPorts, journey: Journey): Promise<ProviderSession> {
  const { types, ...rest } = ports;
  const { site, waitMs, provider, access, settings } = journey;
  const traveller: Traveller = {
    ...rest,
    site,
    waitMs,
    common: { session: ports.newId(), provider, access, settings: withoutWay(settings) },
    absentSinceMs: undefined,
  };
  const { value } = await exchange(traveller, { method: "open", words: [] });
  return sessionOf(traveller, openedFrom(site, value), types);
}

function openedFrom(site: string, value: unknown): OpenedThere {
  const isOpened =
    typeof value === "object" && value !== null && "methods" in value && "incarnation" in value;
  if (!isOpened) {
    const message = `the agent of the site ${site} opened what is no session`;
    throw new RemoteError({ kind: "protocol", effect: "none", message });
  }
  return value as OpenedThere;
}

function sessionOf(
  traveller: Traveller,
  opened: OpenedThere,
  types: readonly string[],
): ProviderSession {
  const there = numberViews(types);
  const ask = async <T>(
    method: CallMethod,
    words: readonly unknown[],
    how: Pick<Asked, "endByMs" | "operation"> = {},
  ): Promise<T> => (await exchange(traveller, { method, words, ...how })).value as T;
  const has = (method: keyof ProviderSession): boolean => opened.methods.includes(method);
  const whole: Required<Omit<ProviderSession, "url">> = {
    instance: () => ask("instance", []),
    read: async (wanted, view) =>
      all(traveller, wanted, await ask("read", [wanted, view && there(view)])),
    send: (operation, deadlineMs, attempt) => {
      // What begins later than this might still come when its task is no longer waited for.
      const { requestLimitMs = Number.POSITIVE_INFINITY } = operation.proof;
      const endByMs = Math.min(deadlineMs, traveller.clock.now() + requestLimitMs);
      const about = attempt && { ...attempt, operationId: operation.id };
      const how = about === undefined ? { endByMs } : { endByMs, operation: about };
      return ask("send", [operation], how);
    },
    poll: (handle) => ask("poll", [handle]),
    cancel: (handle) => ask("cancel", [handle]),
    findTask: (begin) => ask("findTask", [begin]),
    forsake: () => ask("forsake", [opened.incarnation]),
    facts: async (requests, view) =>
      all(traveller, requests, await ask("facts", [requests, view && there(view)])),
    outlook: (action, type, identity) => ask("outlook", [action, type, identity]),
    act: (action, type, identity, subject) => ask("act", [action, type, identity, subject]),
    ticket: () => Promise.reject(noTicket(traveller.site)),
    version: () => ask("version", []),
    serverTime: () => ask("serverTime", []),
    list: (type, view) => ask("list", [type, view && there(view)]),
    listContent: (type, containers) => ask("listContent", [type, containers]),
    readData: (type, query, view) => ask("readData", [type, query, view && there(view)]),
    survey: (request) => ask("survey", [request]),
    toldChanges: async (questions) =>
      all(traveller, questions, await ask("toldChanges", [questions])),
    // Whoever ends does not wait for a site that is gone: an agent ends what nobody uses.
    close: () =>
      exchange({ ...traveller, waitMs: 0 }, { method: "close", words: [] }).then(nothing, ended),
  };
  const methods = Object.entries(whole).filter(([name]) => has(name as keyof ProviderSession));
  const session = Object.fromEntries(methods) as unknown as ProviderSession;
  const { url } = opened;
  return url === undefined ? session : { ...session, url: urlSeenFrom(traveller.site, url) };
}

function nothing(): void {}

function ended(error: unknown): void {
  if (!(error instanceof RemoteError)) throw error;
}

/** As many answers as questions, or none of them is known to be of which. */
function all<T>(
  { site }: Traveller,
  asked: readonly unknown[],
  answers: readonly T[],
): readonly T[] {
  if (Array.isArray(answers) && answers.length === asked.length) return answers;
  const message = `the agent of the site ${site} answered about another number of objects`;
  throw new RemoteError({ kind: "protocol", effect: "none", message });
}

function noTicket(site: string): RemoteError {
  return new RemoteError({
    kind: "forbidden",
    effect: "none",
    message:
      "a ticket is a secret, and is not written into the database by which calls travel; " +
      `ask for it at the site ${site}, without via`,
  });
}
