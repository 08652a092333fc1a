/** Encryption in files, on a server and in a bucket: nothing can be read, nothing is lost by keys. */

import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownProcess } from "../../src/lib/files/process-identity.ts";
import { createLocalStore } from "../../src/store/local/local-store.ts";
import { keySeal } from "../helpers/seals.ts";
import { createTestClock } from "../unit/store/local/fixtures.ts";
import { checkStore } from "./conformance.ts";
import { openHttpStore, placeAt } from "./http-place.ts";
import { bucket, openS3Store } from "./s3-place.ts";
import { startCareless } from "./s3-server.ts";
import { checkSealing } from "./sealing.ts";
import { startStateServer } from "./state-server.ts";

checkSealing("local", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vmform-sealed-"));
  return {
    open: (seal) =>
      createLocalStore({
        path: join(folder, "state.json"),
        seal,
        clock: createTestClock(),
        random: randomUUID,
        host: "host-a",
        user: "ann",
        process: ownProcess(),
      }),
    kept: async () => {
      const names = await readdir(folder);
      const texts = await Promise.all(names.map((one) => readFile(join(folder, one), "latin1")));
      return texts.join("\n");
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
});

checkSealing("http", async () => {
  const server = await startStateServer("gitlab");
  return {
    open: (seal) => openHttpStore(placeAt(server), "host-a", seal).store,
    kept: async () => server.versions.at(-1)?.text.replaceAll("\\", "") ?? "",
    remove: () => server.stop(),
  };
});

checkSealing("s3", async () => {
  const server = await startCareless([]);
  return {
    open: (seal) => openS3Store(server.endpoint, "lab.json", "host-a", undefined, seal).store,
    kept: async () => {
      const reply = await fetch(`${server.endpoint}/${bucket}/lab.json`);
      return (await reply.text()).replaceAll("\\", "");
    },
    remove: () => server.stop(),
  };
});

checkStore(
  "http, sealed,",
  { forceUnlock: "fences", killed: "stays locked", tellsHolder: "once it writes" },
  async () => {
    const server = await startStateServer("plain");
    const killers = new Map<object, () => void>();
    return {
      open: (host) => {
        const { store, kill } = openHttpStore(placeAt(server), host, keySeal());
        killers.set(store, kill);
        return store;
      },
      kill: async (store) => killers.get(store)?.(),
      remove: () => server.stop(),
    };
  },
);
