/** Stores in a database of a test's server, as processes on several machines would open them. */

import { randomUUID } from "node:crypto";
import type { PostgresStoreSettings } from "../../src/model/recorded/postgres-settings.ts";
import type { Seal } from "../../src/model/recorded/seal.ts";
import { openPostgresStore, type PostgresPorts } from "../../src/store/postgres/open.ts";
import { openStates } from "../../src/store/postgres/states.ts";
import { clock } from "../../src/wiring/clock.ts";
import { plainSeal } from "../helpers/seals.ts";

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
