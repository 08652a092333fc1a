/** The store that settings ask for. Those that few use are loaded when they are first used. */

import type { CommandStore } from "../../commands/environment.ts";
import type { HttpLogRecord } from "../../http/call.ts";
import { realPathOf } from "../../lib/files/real-path.ts";
import type { SecretMask } from "../../lib/mask.ts";
import type { EventSink } from "../../model/operation/event.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { locationOf as httpLocation } from "../../store/http/place.ts";
import { createLocalStore, type LocalStoreOptions } from "../../store/local/local-store.ts";
import { locationOf as postgresLocation, targetOf } from "../../store/postgres/target.ts";
import { locationOf as s3Location } from "../../store/s3/place.ts";
import { createSeal, noKeys } from "../../store/seal/seal.ts";
import { lazyStore } from "./lazy-store.ts";
import type { Seals } from "./seals.ts";

export type StorePorts = Seals &
  Pick<LocalStoreOptions, "clock" | "random" | "host" | "process" | "user"> & {
    readonly environment: { readonly [name: string]: string | undefined };
    readonly mask: SecretMask;
    /** Of vmform. */
    readonly version: string;
    readonly events: EventSink;
    /** Begins the log of requests, if one is wanted. */
    readonly openLog: () => ((record: HttpLogRecord) => void) | undefined;
  };

export function openStore(settings: StoreSettings, ports: StorePorts): CommandStore {
  const { encryption } = settings;
  if (settings.kind === "local") {
    const path = realPathOf(settings.path);
    if (encryption === undefined) {
      return createLocalStore({ path, ...ports, seal: createSeal(path, noKeys) });
    }
    return lazyStore(path, async () => {
      const seal = await ports.lateSealFor(path, encryption);
      return createLocalStore({ path, ...ports, seal });
    });
  }
  if (settings.kind === "http") {
    return lazyStore(httpLocation(settings, ports.environment), async () => {
      const { openHttpStore } = await import("./http-store.ts");
      return openHttpStore(settings, { ...ports, log: ports.openLog() });
    });
  }
  if (settings.kind === "s3") {
    return lazyStore(s3Location(settings), async () => {
      const { openS3Store } = await import("./s3-store.ts");
      return openS3Store(settings, { ...ports, log: ports.openLog() });
    });
  }
  return lazyStore(postgresLocation(settings, ports.environment, ports.user), async () => {
    const { openPostgresStore } = await import("./postgres-store.ts");
    return openPostgresStore(settings, ports);
  });
}

/** Statements that an administrator of a database runs; undefined of a store that is none. */
export async function storeDefinitions(
  settings: StoreSettings,
  user: string,
): Promise<string | undefined> {
  if (settings.kind !== "postgres") return undefined;
  const { definitionScript } = await import("../../store/postgres/tables.ts");
  return definitionScript(settings.schema, targetOf(settings, process.env, user).user);
}
