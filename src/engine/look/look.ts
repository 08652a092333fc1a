/**
 * One look at all endpoints of a run: sessions that use again what they read since it began. Only
 * for what sends nothing that changes anything; applying reads anew each time.
 */

import type { Desired } from "../../model/plan/desired.ts";
import type { ProviderSession, View } from "../../model/provider/provider.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Sessions } from "../sessions.ts";

/** How many objects of a type a look will read of a provider, with alias, at least. */
export type Expected = (provider: string, type: string) => number;

/** The same sessions, in one look from here on. Their `close` closes those of the run. */
export function lookWith(sessions: Sessions, expected: Expected): Sessions {
  let views = new Map<string, View>();
  let current = expected;
  const viewOf = (provider: string): View => {
    const expects = current;
    const view = views.get(provider) ?? { expected: (type) => expects(provider, type) };
    views.set(provider, view);
    return view;
  };
  return {
    get: async (provider, settings) =>
      looking(await sessions.get(provider, settings), () => viewOf(provider)),
    renew: () => {
      views = new Map();
      // What is read from here on is read over: no more of it than is asked for.
      current = () => 0;
    },
    close: () => sessions.close(),
  };
}

function looking(session: ProviderSession, view: () => View): ProviderSession {
  const facts = session.facts?.bind(session);
  const list = session.list?.bind(session);
  const readData = session.readData?.bind(session);
  return {
    ...session,
    read: (wanted) => session.read(wanted, view()),
    ...(facts === undefined ? {} : { facts: (requests) => facts(requests, view()) }),
    ...(list === undefined ? {} : { list: (type) => list(type, view()) }),
    ...(readData === undefined ? {} : { readData: (type, query) => readData(type, query, view()) }),
  };
}

/** Objects that planning reads: recorded ones, and wanted ones that are not recorded. */
export function expectedBy(recorded: RecordedState, desired: Desired | undefined): Expected {
  const held = new Set(recorded.objects.map(({ address }) => address));
  const wanted = (desired?.instances ?? []).filter(({ address }) => !held.has(address));
  const counts = new Map<string, number>();
  for (const { provider, type } of [...recorded.objects, ...wanted]) {
    const key = `${provider} ${type}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return (provider, type) => counts.get(`${provider} ${type}`) ?? 0;
}
