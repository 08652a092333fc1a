/** Sessions of one run: opened when first needed, shared, closed in every exit path. */

import { whileWaiting } from "../model/operation/wait.ts";
import type { ProviderSession } from "../model/provider/provider.ts";
import type { Value } from "../model/value/value.ts";
import type { EnginePorts, SessionAccess } from "./ports.ts";

export type Sessions = {
  get(provider: string, settings: Value): Promise<ProviderSession>;
  /** What was read before is old from now on. Absent where nothing is used again anyway. */
  renew?(): void;
  close(): Promise<void>;
};

export function createSessions(ports: EnginePorts, access: SessionAccess): Sessions {
  const sessions = new Map<string, Promise<ProviderSession>>();
  const get = (provider: string, settings: Value): Promise<ProviderSession> => {
    const key = `${provider} ${settingsKey(settings)}`;
    const existing = sessions.get(key);
    if (existing !== undefined) return existing;
    const what = `opening the session of provider ${provider}`;
    const opened = whileWaiting(ports.events, { rank: "phase", what }, () =>
      ports.open(provider, settings, access),
    );
    sessions.set(key, opened);
    return opened;
  };
  const close = async (): Promise<void> => {
    await whileWaiting(ports.events, { rank: "phase", what: "logging out" }, async () => {
      // One that could not be opened has nothing to close; its error was reported by its user.
      const opened = await Promise.allSettled(sessions.values());
      await Promise.allSettled(
        opened.flatMap((result) => (result.status === "fulfilled" ? [result.value.close()] : [])),
      );
    });
  };
  return { get, close };
}

function settingsKey(settings: Value): string {
  return JSON.stringify(settings, (_name, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
}
