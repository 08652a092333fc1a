/** The local store keeps what every store promises, on the real file system. */

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { ownProcess } from "../../src/lib/files/process-identity.ts";
import { createLocalStore } from "../../src/store/local/local-store.ts";
import { keySeal, plainSeal } from "../helpers/seals.ts";
import { createTestClock } from "../unit/store/local/fixtures.ts";
import { checkStore } from "./conformance.ts";

describe.each([
  ["local", () => plainSeal()],
  ["local, sealed", () => keySeal()],
])("%s", (name, sealOf) => {
  checkStore(name, { forceUnlock: "refused" }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "vmform-store-"));
    return {
      open: (host) =>
        createLocalStore({
          seal: sealOf(),
          path: join(folder, "deep", "state.json"),
          clock: createTestClock(),
          random: randomUUID,
          host,
          user: "ann",
          process: ownProcess(),
        }),
      // The kernel gives the lock back; the files stay as they are.
      kill: (store) => store.close(),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  });
});
