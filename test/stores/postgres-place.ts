/** Stores in a database of a test's server, as processes on several machines would open them. */

import { randomUUID } from "node:crypto";
import type { PostgresStoreSettings } from "../../src/model/recorded/postgres-settings.ts";
import type { Seal } from "../../src/model/recorded/seal.ts";
import type { Store } from "../../src/model/recorded/store.ts";
import { openPostgresStore, type PostgresPorts } from "../../src/store/postgres/open.ts";
import { openStates } from "../../src/store/postgres/states.ts";
import { clock } from "../../src/wiring/clock.ts";
import { plainSeal } from "../helpers/seals.ts";
import type { StorePlace } from "./conformance.ts";
import type { PostgresServer } from "./postgres-server.ts";

export type PostgresOpening = Partial<PostgresStoreSettings> & {
  readonly host?: string;
  readonly pid?: number;
  readonly ports?: Partial<PostgresPorts>;
  readonly seal?: Seal;
};

let lastPid = 1000;

export function openIn(url: string, opening: PostgresOpening = {}) {
  const [settings, ports] = settingsFor(url, opening);
  return openPostgresStore(settings, { ...ports, seal: opening.seal ?? plainSeal() });
}

/** A place of the conformance suite: a kill ends its sessions, as the server sees an ended process. */
export function killablePlace(
  server: PostgresServer,
  opening: () => Pick<PostgresOpening, "name" | "seal">,
): StorePlace {
  const processes = new Map<Store, { readonly host: string; readonly pid: number }>();
  return {
    open: (host) => {
      const pid = (lastPid += 1);
      const store = openIn(server.url("postgres"), { host, pid, ...opening() });
      processes.set(store, { host, pid });
      return store;
    },
    kill: async (store) => {
      const of = processes.get(store);
      await server.admin(
        "postgres",
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
          where application_name = 'vmform ${of?.host} ${of?.pid}'`,
      );
      await store.close();
    },
    remove: () => Promise.resolve(),
  };
}

export function statesIn(url: string, opening: PostgresOpening = {}) {
  return openStates(...settingsFor(url, opening));
}

function settingsFor(
  url: string,
  opening: PostgresOpening,
): [PostgresStoreSettings & { readonly beside: string }, PostgresPorts] {
  const { host = "host-a", pid = (lastPid += 1), ports, seal: _, ...settings } = opening;
  return [
    {
      kind: "postgres",
      name: "web",
      schema: "vmform",
      directory: "/nowhere",
      beside: "/nowhere",
      url,
      ...settings,
    },
    {
      environment: {},
      readSecret: () => Promise.reject(new Error("there are no secrets")),
      readTextFile: () => Promise.reject(new Error("there are no files")),
      clock,
      random: randomUUID,
      host,
      process: { pid },
      user: "ann",
      ...ports,
    },
  ];
}
