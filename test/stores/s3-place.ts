/** S3 stores of one bucket, each as a process of its own opens it. */

import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHttpClients } from "../../src/http/client.ts";
import { createSecretMask } from "../../src/lib/mask.ts";
import {
  createDocumentStore,
  type DocumentStore,
} from "../../src/store/document/document-store.ts";
import type { StateExchange, StateReply, StateRequest } from "../../src/store/document/exchange.ts";
import { placeOf, type S3Keys } from "../../src/store/s3/place.ts";
import { s3Server } from "../../src/store/s3/s3-server.ts";
import { openStateExchange } from "../../src/wiring/stores/state-exchange.ts";
import { testPorts } from "../helpers/http-ports.ts";
import { plainSeal } from "../helpers/seals.ts";
import { createTestClock } from "../unit/store/local/fixtures.ts";

export type OpenedStore = {
  readonly store: DocumentStore;
  /** Nothing of it reaches the server any more. */
  readonly kill: () => void;
};

export const keys: S3Keys = { accessKeyId: "AKIATEST", secretAccessKey: "secret-of-the-test" };
export const bucket = "states";

let lastPid = 100;

/** A clock that begins now, as signatures want, and that only sleeping moves. */
export function openS3Store(
  endpoint: string,
  key: string,
  host: string,
  /** A reply in place of that of the server, which gets nothing then; the request waits for it. */
  meddle: (
    request: StateRequest,
  ) => StateReply | undefined | Promise<StateReply | undefined> = () => undefined,
  seal = plainSeal(),
): OpenedStore {
  const clock = createTestClock(Date.now());
  const exchange = openStateExchange({
    clients: createHttpClients(testPorts({ clock })),
    mask: createSecretMask(),
    login: undefined,
    tls: {},
  });
  let dead = false;
  const mortal: StateExchange = {
    ...exchange,
    send: async (request) => {
      if (dead) throw new Error("the process is gone");
      return (await meddle(request)) ?? (await exchange.send(request));
    },
  };
  const settings = {
    ...({ kind: "s3", directory: "/folder", usePathStyle: true } as const),
    ...{ bucket, key, endpoint, region: "us-east-1", allowUnverified: false },
  };
  const place = placeOf(settings, {});
  const store = createDocumentStore({
    server: s3Server({
      ...{ place, keys, exchange: mortal, clock },
      random: () => 0.5,
      version: "0.1.0",
    }),
    newId: randomUUID,
    host,
    pid: (lastPid += 1),
    user: "ann",
    seal,
    beside: join(tmpdir(), `vmform-s3-${process.pid}`, "recorded"),
  });
  return {
    store,
    kill: () => {
      dead = true;
    },
  };
}
