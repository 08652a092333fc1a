/** The store that settings ask for. Those that few use are loaded when they are first used. */

import type { CommandStore } from "../commands/environment.ts";
import { realPathOf } from "../lib/files/real-path.ts";
import type { StoreSettings } from "../model/recorded/store-settings.ts";
import { createLocalStore, type LocalStoreOptions } from "../store/local/local-store.ts";

export type StorePorts = Pick<LocalStoreOptions, "clock" | "random" | "host" | "process" | "user">;

export function openStore(settings: StoreSettings, ports: StorePorts): CommandStore {
  return createLocalStore({ path: realPathOf(settings.path), ...ports });
}
