/** The providers of one run, over HTTP or to simulators of its own. */

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { EmbeddedSimulator, ProviderAccess } from "../commands/environment.ts";
import type { HttpLogRecord } from "../http/call.ts";
import { foreignHomeFix, isForeignHome, userPath } from "../lib/files/user-path.ts";
import type { SecretMask } from "../lib/mask.ts";
import type { EventSink } from "../model/operation/event.ts";
import type { LoadedPackage } from "../model/provider/package.ts";
import { openProviderAccess } from "../providers/access.ts";
import type { SecretReader } from "../secrets/reader.ts";
import type { RunningSimulators } from "../simulators/start.ts";
import { wayOf, withoutWay } from "../sites/way.ts";
import { clock } from "./clock.ts";
import type { Travels } from "./sites/travel.ts";

type Opening = {
  readonly simulator: EmbeddedSimulator | undefined;
  /** Folder that paths of files in settings are relative to. */
  readonly directory: string;
  readonly events: EventSink;
  readonly mask: SecretMask;
  readonly secrets: SecretReader;
  readonly packages: readonly LoadedPackage[];
  readonly log: ((record: HttpLogRecord) => void) | undefined;
  /** To sites. Absent: there is no way to any. */
  readonly travels?: Travels;
};

/** The HTTP client is loaded when a session speaks to somebody, simulators where embedded. */
export async function openProviders(opening: Opening): Promise<ProviderAccess> {
  const { simulator, directory, events, mask, secrets, log, packages, travels } = opening;
  const running = simulator === undefined ? undefined : await startSimulators(simulator);
  let sent = 0;
  const access = openProviderAccess({
    clock,
    mask,
    events,
    packages: {
      loaded: packages,
      path: (text) => resolve(userPath(directory, text, homedir())),
      log: (text) => void process.stderr.write(`${text}\n`),
    },
    readSecret: secrets.read,
    readTextFile: (path) => readSettingsFile(directory, path),
    dialTo: running?.origins,
    onExchange: () => {
      sent += 1;
    },
    http: async (options) => {
      const { createHttpClients } = await import("../http/client.ts");
      return createHttpClients({
        clock,
        random: Math.random,
        environment: process.env,
        mask,
        ...options,
        ...(log === undefined ? {} : { log }),
      });
    },
  });
  return {
    open: (provider, settings, wanted) => {
      const way = running === undefined ? wayOf(settings) : undefined;
      const here = way === undefined || travels === undefined;
      if (here) return access(provider, withoutWay(settings), wanted);
      return travels.open(way, provider, settings, wanted);
    },
    allowCommands: secrets.allowCommands,
    requestsSent: () => sent + (travels?.sent() ?? 0),
    close: async () => {
      await travels?.close();
      await running?.stop();
    },
  };
}

/** A secret or another file that settings name. */
export async function readSettingsFile(directory: string, path: string): Promise<string> {
  if (isForeignHome(path)) throw new Error(foreignHomeFix.replace(/\.$/, ""));
  return await readFile(userPath(directory, path, homedir()), "utf8");
}

async function startSimulators(simulator: EmbeddedSimulator): Promise<RunningSimulators> {
  const { startEmbedded } = await import("./simulators.ts");
  return startEmbedded(simulator);
}
