/** A store with a mirror keeps what every store promises. */

import type { Store } from "../../src/model/recorded/store.ts";
import { mirrorPlace } from "../../src/store/mirror/files.ts";
import { mirrored } from "../../src/store/mirror/mirrored-store.ts";
import { plainSeal } from "../helpers/seals.ts";
import { createTestClock } from "../unit/store/local/fixtures.ts";
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from "../unit/store/local/memory-file-system.ts";
import { checkStore } from "./conformance.ts";
import { openHttpStore, placeAt } from "./http-place.ts";
import { startStateServer } from "./state-server.ts";

const traits = {
  forceUnlock: "fences",
  killed: "stays locked",
  tellsHolder: "once it writes",
} as const;

checkStore("mirrored http", traits, async () => {
  const server = await startStateServer("plain");
  const killers = new Map<Store, () => void>();
  const disks = new Map<string, MemoryFileSystem>();
  let pid = 0;
  return {
    open: (host) => {
      const { store, kill } = openHttpStore(placeAt(server), host);
      const fs = disks.get(host) ?? createMemoryFileSystem();
      disks.set(host, fs);
      pid += 1;
      const own = { pid };
      const opened = mirrored(store, {
        place: mirrorPlace(fs, "/mirror", "own", store.location, plainSeal()),
        around: {
          ...{ fs, clock: createTestClock(), host, process: own },
          ...{ hasEnded: () => undefined, newId: () => crypto.randomUUID() },
        },
        user: "ann",
        tell: () => {},
        others: () => Promise.resolve([]),
      });
      killers.set(opened, kill);
      return opened;
    },
    kill: async (store) => killers.get(store)?.(),
    remove: () => server.stop(),
  };
});
