/** The store in PostgreSQL, with the secrets and files of a configuration. */

import type { SecretMask } from "../../lib/mask.ts";
import type { EventSink } from "../../model/operation/event.ts";
import type { StoreCommons } from "../../model/recorded/store-settings.ts";
import {
  accessTo,
  openPostgresStore as open,
  type PostgresPorts,
  type PostgresStore,
} from "../../store/postgres/open.ts";
import type { Access } from "../../store/postgres/session.ts";
import { openStates, type StatesOfDatabase } from "../../store/postgres/states.ts";
import { locationOf, targetOf } from "../../store/postgres/target.ts";
import { readSettingsFile } from "../providers.ts";
import { settingSecretReader } from "../secrets.ts";
import type { Seals } from "./seals.ts";

type Ports = Omit<PostgresPorts, "readSecret" | "readTextFile" | "onLost"> & {
  readonly mask: SecretMask;
  readonly events: EventSink;
};

export function openPostgresStates(
  settings: Parameters<typeof open>[0],
  ports: Ports,
): StatesOfDatabase {
  return openStates(settings, withSecrets(settings, ports));
}

/** Throws `StoreError` for settings that cannot be used. */
export async function openPostgresStore(
  settings: Parameters<typeof open>[0] & StoreCommons,
  ports: Ports & Pick<Seals, "lateSealFor">,
): Promise<PostgresStore> {
  const location = locationOf(settings, ports.environment, ports.user);
  const seal = await ports.lateSealFor(location, settings.encryption);
  return open(settings, { ...withSecrets(settings, ports), seal });
}

/** How the server of these settings is connected to, its secrets read. */
export async function openAccess(
  settings: Parameters<typeof open>[0],
  ports: Ports,
): Promise<Access> {
  const { environment, user } = ports;
  const target = targetOf(settings, environment, user);
  return accessTo(target, settings, withSecrets(settings, ports));
}

function withSecrets(settings: Parameters<typeof open>[0], ports: Ports): PostgresPorts {
  const { directory, password } = settings;
  const where = locationOf(settings, ports.environment, ports.user);
  const secrets = settingSecretReader(directory, ports.mask, password);
  return {
    ...ports,
    onLost: (message) => ports.events({ kind: "request-retried", request: where, message }),
    readSecret: secrets.read,
    readTextFile: (path) => readSettingsFile(directory, path),
  };
}
