/** A store whose code is loaded, and which is opened, when it is first used. */

import type { CommandStore } from "../../commands/environment.ts";

/** `location` is known before; one that was never used has nothing to close. */
export function lazyStore(location: string, open: () => Promise<CommandStore>): CommandStore {
  let opened: Promise<CommandStore> | undefined;
  const store = (): Promise<CommandStore> => (opened ??= open());
  return {
    location,
    read: async () => (await store()).read(),
    append: async (entries, fence) => (await store()).append(entries, fence),
    compact: async (state, fence) => (await store()).compact(state, fence),
    runs: async () => (await store()).runs(),
    runHeads: async () => (await store()).runHeads(),
    saveRuns: async (records, saving, fence) => (await store()).saveRuns(records, saving, fence),
    lock: async (operation, timeoutMs) => (await store()).lock(operation, timeoutMs),
    unlock: async (fence) => (await store()).unlock(fence),
    holder: async () => (await store()).holder(),
    forceUnlock: async (lockId) => (await store()).forceUnlock(lockId),
    endpointSlots: async () => (await store()).endpointSlots?.(),
    close: async () => (await opened)?.close(),
    writeEmergencyCopy: async (state, cause) => (await store()).writeEmergencyCopy(state, cause),
  };
}
