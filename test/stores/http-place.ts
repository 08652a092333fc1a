/** Http stores of one server, each as a process of its own opens it. */

import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHttpClients } from "../../src/http/client.ts";
import { createSecretMask } from "../../src/lib/mask.ts";
import {
  createDocumentStore,
  type DocumentStore,
} from "../../src/store/document/document-store.ts";
import type { StateExchange } from "../../src/store/document/exchange.ts";
import type { HttpPlace } from "../../src/store/http/exchange.ts";
import { httpServer } from "../../src/store/http/http-server.ts";
import { openStateExchange } from "../../src/wiring/stores/state-exchange.ts";
import { testPorts } from "../helpers/http-ports.ts";
import { plainSeal } from "../helpers/seals.ts";
import { createTestClock } from "../unit/store/local/fixtures.ts";
import type { RunningStateServer } from "./state-server.ts";

export type OpenedStore = {
  readonly store: DocumentStore;
  /** Nothing of it reaches the server any more. */
  readonly kill: () => void;
};

export function placeAt(server: RunningStateServer, optional = false): HttpPlace {
  const { address, lockAddress: url, lockMethod, unlockMethod } = server;
  return {
    address,
    url: address,
    updateMethod: "POST",
    lock: { lock: { method: lockMethod, url }, unlock: { method: unlockMethod, url }, optional },
    isGitLab: address.includes("/api/v4/"),
  };
}

let lastPid = 100;

export function openHttpStore(place: HttpPlace, host: string, seal = plainSeal()): OpenedStore {
  const clock = createTestClock();
  const clients = createHttpClients(testPorts({ clock }));
  const exchange = openStateExchange({
    clients,
    mask: createSecretMask(),
    login: undefined,
    tls: {},
  });
  let dead = false;
  const mortal: StateExchange = {
    ...exchange,
    send: (request) =>
      dead ? Promise.reject(new Error("the process is gone")) : exchange.send(request),
  };
  const store = createDocumentStore({
    server: httpServer({ place, exchange: mortal, clock, random: () => 0.5, version: "0.1.0" }),
    newId: randomUUID,
    host,
    pid: (lastPid += 1),
    user: "ann",
    seal,
    beside: join(tmpdir(), `vmform-http-${process.pid}`, "recorded"),
  });
  return {
    store,
    kill: () => {
      dead = true;
    },
  };
}
