/** The store that settings ask for. Those that few use are loaded when they are first used. */

import type { CommandStore } from "../commands/environment.ts";
import type { HttpLogRecord } from "../http/call.ts";
import { realPathOf } from "../lib/files/real-path.ts";
import type { SecretMask } from "../lib/mask.ts";
import type { EventSink } from "../model/operation/event.ts";
import type { StoreSettings } from "../model/recorded/store-settings.ts";
import { locationOf } from "../store/http/place.ts";
import { createLocalStore, type LocalStoreOptions } from "../store/local/local-store.ts";
import { lazyStore } from "./lazy-store.ts";

export type StorePorts = Pick<
  LocalStoreOptions,
  "clock" | "random" | "host" | "process" | "user"
> & {
  readonly environment: { readonly [name: string]: string | undefined };
  readonly mask: SecretMask;
  /** Of vmform. */
  readonly version: string;
  readonly events: EventSink;
  /** Begins the log of requests, if one is wanted. */
  readonly openLog: () => ((record: HttpLogRecord) => void) | undefined;
};

export function openStore(settings: StoreSettings, ports: StorePorts): CommandStore {
  if (settings.kind === "local") {
    return createLocalStore({ path: realPathOf(settings.path), ...ports });
  }
  return lazyStore(locationOf(settings, ports.environment), async () => {
    const { openHttpStore } = await import("./http-store.ts");
    return openHttpStore(settings, { ...ports, log: ports.openLog() });
  });
}
