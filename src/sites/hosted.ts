/**
 * Sessions at a site: each belongs to one that travels, is opened when its first call comes, kept
 * for the next ones, and ended when its run ends it or is not heard of any more.
 */

import { randomUUID } from "node:crypto";
import type { Clock } from "../model/clock.ts";
import type { ProviderSession, View } from "../model/provider/provider.ts";
import type { Value } from "../model/value/value.ts";
import type { SiteCall } from "./call.ts";
import { encode } from "./codec.ts";
import { keepViews, type ViewThere } from "./views.ts";

export type HostedSession = {
  readonly session: ProviderSession;
  /** Of this opening of it. */
  readonly incarnation: string;
  /** Looks that were told of by number. */
  readonly viewOf: (there: ViewThere) => View;
};

/** Opens a session as a run at the site would. Throws `RemoteError`. */
export type OpenHere = (
  provider: string,
  settings: Value,
  access: "read" | "mutate",
) => Promise<ProviderSession>;

export type Hosted = {
  readonly get: (call: SiteCall) => Promise<HostedSession>;
  /** Ends one; it need not be there. */
  readonly close: (call: Pick<SiteCall, "session">) => Promise<void>;
  readonly closeAll: () => Promise<void>;
};

type Kept = {
  readonly opened: Promise<HostedSession>;
  /** What it was opened with. */
  readonly key: string;
  usedMs: number;
};

/** A run that is alive reads more often than that. */
const idleMs = 15 * 60 * 1000;

export function hostSessions({
  clock,
  open,
}: {
  readonly clock: Clock;
  readonly open: OpenHere;
}): Hosted {
  const kept = new Map<string, Kept>();
  const end = async (session: string): Promise<void> => {
    const found = kept.get(session);
    kept.delete(session);
    const opened = await found?.opened.catch(() => undefined);
    await opened?.session.close();
  };
  const endIdle = (): void => {
    for (const [session, { usedMs }] of kept) {
      if (clock.now() - usedMs >= idleMs) void end(session).catch(() => undefined);
    }
  };
  return {
    get: async (call) => {
      const { session, provider, settings, access } = call;
      endIdle();
      const key = encode([provider, settings, access]);
      const found = kept.get(session);
      if (found !== undefined && found.key === key) {
        found.usedMs = clock.now();
        return found.opened;
      }
      const opened = open(provider, settings, access).then((there) => ({
        session: there,
        incarnation: randomUUID(),
        viewOf: keepViews(),
      }));
      kept.set(session, { opened, key, usedMs: clock.now() });
      opened.catch(() => {
        if (kept.get(session)?.opened === opened) kept.delete(session);
      });
      return opened;
    },
    close: ({ session }) => end(session),
    closeAll: async () => {
      await Promise.allSettled([...kept.keys()].map(end));
    },
  };
}
