/** A store in PostgreSQL as settings and environment say. Secrets are read when it connects. */

import { tmpdir } from "node:os";
import { nodeFileSystem } from "../../lib/files/file-system.ts";
import { shellWord } from "../../lib/shell-word.ts";
import type { PostgresStoreSettings } from "../../model/recorded/postgres-settings.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import type { Store, StoreError } from "../../model/recorded/store.ts";
import type { SecretReference } from "../../model/value/secret-reference.ts";
import { writeEmergencyCopy } from "../kit/emergency-copy.ts";
import { createPostgresStore, type PostgresStoreOptions } from "./postgres-store.ts";
import { secretMissing, unusableSetting } from "./problems.ts";
import { type Access, openSession } from "./session.ts";
import { locationOf, type Target, targetOf } from "./target.ts";

/** What connecting needs. */
export type PostgresPorts = Pick<
  PostgresStoreOptions,
  "clock" | "random" | "host" | "process" | "user" | "onLost"
> & {
  readonly environment: { readonly [name: string]: string | undefined };
  /** What a reference stands for, masked from then on. Throws with the reason. */
  readonly readSecret: (reference: SecretReference) => Promise<string>;
  /** A certificate or a key. */
  readonly readTextFile: (path: string) => Promise<string>;
};

export type PostgresStore = Store & {
  /**
   * For a state that cannot be saved though work was done: writes it on this machine and returns
   * the error to show, which names the copy. Does not reject.
   */
  writeEmergencyCopy(state: RecordedState, cause: unknown): Promise<StoreError>;
};

/** Throws `StoreError` for settings that cannot be used. */
export function openPostgresStore(
  settings: PostgresStoreSettings & { readonly beside: string },
  ports: PostgresPorts & { readonly seal: Seal },
): PostgresStore {
  const { environment, user, clock } = ports;
  const target = targetOf(settings, environment, user);
  const location = locationOf(settings, environment, user);
  const { schema, name, beside } = settings;
  const store = createPostgresStore({
    ...ports,
    location,
    role: target.user,
    schema,
    name,
    open: async () => openSession(await accessTo(target, settings, ports)),
  });
  return {
    ...store,
    writeEmergencyCopy: (state, cause) =>
      writeEmergencyCopy({
        fs: nodeFileSystem,
        path: beside,
        seal: ports.seal,
        location,
        putBack: (copy) => `vmform state push ${shellWord(copy)}`,
        temporaryFolder: tmpdir(),
        nowMs: clock.now(),
        state,
        cause,
      }),
  };
}

export async function accessTo(
  target: Target,
  settings: PostgresStoreSettings,
  ports: PostgresPorts,
): Promise<Access> {
  const { environment, host, process } = ports;
  return {
    target,
    password: await passwordOf(settings, ports),
    tls:
      target.sslMode === "disable"
        ? {}
        : {
            ...(await fileOf(ports, "ca", settings.caFile ?? (environment.PGSSLROOTCERT || ""))),
            ...(await fileOf(ports, "cert", environment.PGSSLCERT || "")),
            ...(await fileOf(ports, "key", environment.PGSSLKEY || "")),
          },
    applicationName: `vmform ${host} ${process.pid}`,
  };
}

/** Undefined when none is named. */
async function passwordOf(
  { password }: PostgresStoreSettings,
  { environment, readSecret }: PostgresPorts,
): Promise<string | undefined> {
  if (password === undefined && !environment.PGPASSWORD) return undefined;
  try {
    return await readSecret(password ?? { kind: "env", name: "PGPASSWORD" });
  } catch (error) {
    throw secretMissing(error instanceof Error ? error.message : String(error), error);
  }
}

/** A certificate or a key. Libraries of PostgreSQL know the word `system`, which is no file. */
async function fileOf(
  { readTextFile }: PostgresPorts,
  name: "ca" | "cert" | "key",
  path: string,
): Promise<{ readonly [name: string]: string }> {
  if (path === "" || path === "system") return {};
  try {
    return { [name]: await readTextFile(path) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw unusableSetting(`a file that cannot be read: ${reason}`, "Correct its path.");
  }
}
