/** Workers and those who ask them: the database, and configurations that travel. */

import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { CommandError } from "../commands/environment.ts";
import type { EmbeddedDatabase, FleetPorts } from "../commands/fleet/ports.ts";
import type { PostgresStoreSettings } from "../model/recorded/postgres-settings.ts";
import { BundleError, packFolder, unpackFolder } from "../modules/bundle.ts";
import { openFleet, openWorkerFleet } from "../queue/fleet.ts";
import { fleetScript } from "../queue/tables.ts";
import { openDatabaseBoard } from "../serve/database/board.ts";
import { EmbeddedProblem } from "../serve/embedded/problem.ts";
import { accessTo } from "../store/postgres/open.ts";
import { locationOf, targetOf } from "../store/postgres/target.ts";
import { clock } from "./clock.ts";
import { readSettingsFile } from "./providers.ts";
import { settingSecretReader } from "./secrets.ts";
import type { StorePorts } from "./stores/stores.ts";

export function fleetPorts(ports: StorePorts): FleetPorts {
  return {
    open: async (settings) =>
      openFleet({ ...(await connectionTo(settings, ports)), supervises: false, sessionsMax: 2 }),
    openWorker: async (settings, { atOnce, ...how }) => {
      const connection = ofAllStates(await connectionTo(settings, ports));
      const sessionsMax = 5 + atOnce;
      return openWorkerFleet({ ...connection, ...how, supervises: true, sessionsMax });
    },
    openBoard: async (settings, noQueue) => {
      const connection = ofAllStates(await connectionTo(settings, ports));
      return openDatabaseBoard({ ...connection, noQueue });
    },
    startEmbedded: () => startEmbeddedHere(ports),
    definitions: (settings) => {
      const { user } = targetOf(settings, ports.environment, ports.user);
      return fleetScript(settings.schema, user);
    },
    pack: (folder) => packFolder(folder).catch(inWords),
    unpack: unpackFolder,
    inTemporaryFolder,
    within,
  };
}

async function startEmbeddedHere({ environment }: StorePorts): Promise<EmbeddedDatabase> {
  const { startEmbedded } = await import("../serve/embedded/embedded.ts");
  const started = await startEmbedded(process.cwd(), environment["PATH"] ?? "").catch(inWords);
  const lost = started.lost.catch(inWords);
  lost.catch(() => undefined);
  return { ...started, lost };
}

function ofAllStates<T extends { readonly location: string }>(connection: T): T {
  return { ...connection, location: connection.location.replace(/, state [^)]*\)$/, ")") };
}

async function connectionTo(settings: PostgresStoreSettings, ports: StorePorts) {
  const { environment, user, mask, events } = ports;
  const target = targetOf(settings, environment, user);
  const location = locationOf(settings, environment, user);
  const { directory, password, schema } = settings;
  const access = await accessTo(target, settings, {
    ...ports,
    onLost: () => undefined,
    readSecret: settingSecretReader(directory, mask, password).read,
    readTextFile: (path) => readSettingsFile(directory, path),
  });
  const onError = onceAMinute((message) =>
    events({ kind: "request-retried", request: location, message }),
  );
  return { access, location, schema, newId: randomUUID, onError };
}

/** Each of many connections that are lost at once says the same. */
function onceAMinute(tell: (message: string) => void): (error: Error) => void {
  const toldMs = new Map<string, number>();
  return ({ message }) => {
    const text = message.replace(/ \(Queue: .*\)$/, "");
    const nowMs = clock.now();
    if (nowMs - (toldMs.get(text) ?? Number.NEGATIVE_INFINITY) < 60_000) return;
    toldMs.set(text, nowMs);
    tell(text);
  };
}

function inWords(error: unknown): never {
  if (error instanceof BundleError || error instanceof EmbeddedProblem) {
    throw new CommandError(error.message, error.fix);
  }
  throw error;
}

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  // Made for its owner alone.
  const scratch = await mkdtemp(join(tmpdir(), "vmform-run-"));
  try {
    const folder = join(await realpath(scratch), "configuration");
    await mkdir(folder);
    return await work(folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function within(folder: string, path: string): Promise<string | undefined> {
  const found = relative(await realpath(folder), await realpath(resolve(path)));
  return found === "" || found.startsWith(`..${sep}`) || found === ".." ? undefined : found;
}
