/** The store that settings ask for. Those that few use are loaded when they are first used. */

import type { CommandStore, Mirrors, StateSource } from "../../commands/environment.ts";
import type { HttpLogRecord } from "../../http/call.ts";
import { realPathOf } from "../../lib/files/real-path.ts";
import type { SecretMask } from "../../lib/mask.ts";
import type { EventSink } from "../../model/operation/event.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { locationOf as httpLocation } from "../../store/http/place.ts";
import { createLocalStore, type LocalStoreOptions } from "../../store/local/local-store.ts";
import { neverMirrored } from "../../store/mirror/problems.ts";
import { locationOf as postgresLocation, targetOf } from "../../store/postgres/target.ts";
import { locationOf as s3Location } from "../../store/s3/place.ts";
import { createSeal, noKeys } from "../../store/seal/seal.ts";
import { lazyStore } from "./lazy-store.ts";
import type { RemoteSettings } from "./mirrors.ts";
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

export function openStore(
  settings: StoreSettings,
  ports: StorePorts,
  from: StateSource = "store",
): CommandStore {
  const { encryption } = settings;
  if (settings.kind === "local") {
    if (from === "mirror") throw neverMirrored(settings.path);
    const path = realPathOf(settings.path);
    if (encryption === undefined) {
      return createLocalStore({ path, ...ports, seal: createSeal(path, noKeys) });
    }
    return lazyStore(path, async () => {
      const seal = await ports.lateSealFor(path, encryption);
      return createLocalStore({ path, ...ports, seal });
    });
  }
  const { location, open } = remoteStore(settings, ports);
  const shown = from === "mirror" ? `the mirror of ${location}` : location;
  return lazyStore(shown, async () => {
    const { mirrorOf, withMirror } = await import("./mirrors.ts");
    if (from === "mirror") return mirrorOf(location, settings, ports);
    return withMirror(await open(), settings, ports);
  });
}

/** Where it is, and how it is opened, without its mirror. */
function remoteStore(
  settings: RemoteSettings,
  ports: StorePorts,
): { readonly location: string; readonly open: () => Promise<CommandStore> } {
  switch (settings.kind) {
    case "http":
      return {
        location: httpLocation(settings, ports.environment),
        open: async () => {
          const { openHttpStore } = await import("./http-store.ts");
          return openHttpStore(settings, { ...ports, log: ports.openLog() });
        },
      };
    case "s3":
      return {
        location: s3Location(settings),
        open: async () => {
          const { openS3Store } = await import("./s3-store.ts");
          return openS3Store(settings, { ...ports, log: ports.openLog() });
        },
      };
    case "postgres":
      return {
        location: postgresLocation(settings, ports.environment, ports.user),
        open: async () => {
          const { openPostgresStore } = await import("./postgres-store.ts");
          return openPostgresStore(settings, ports);
        },
      };
  }
}

/** The mirrors of a folder of configuration. */
export async function mirrorsIn(
  directory: string,
  settings: StoreSettings,
  ports: StorePorts,
): Promise<Mirrors> {
  const { openMirrors } = await import("./mirrors.ts");
  return openMirrors(directory, settings, ports);
}

/** Statements that an administrator of a database runs; undefined of a store that is none. */
export async function storeDefinitions(
  settings: StoreSettings,
  { environment, user }: Pick<StorePorts, "environment" | "user">,
): Promise<string | undefined> {
  if (settings.kind !== "postgres") return undefined;
  const { definitionScript } = await import("../../store/postgres/tables.ts");
  return definitionScript(settings.schema, targetOf(settings, environment, user).user);
}
