/** What a run needs of the world: clock, files, store, types and providers. */

import { constants, access as mayAccess, stat } from "node:fs/promises";
import { homedir, hostname, userInfo } from "node:os";
import { dirname } from "node:path";
import { fileReader } from "../cli/files/file-reader.ts";
import { nodeFiles } from "../cli/files/node-files.ts";
import type { EnvironmentFactory } from "../cli/run.ts";
import type { Terminal } from "../cli/terminal/terminal.ts";
import type { CommandEnvironment, ModuleInstaller, SystemProbe } from "../commands/environment.ts";
import { isConfigurationFile } from "../commands/reading.ts";
import { proxyFor } from "../http/connection/proxy.ts";
import { ownProcess } from "../lib/files/process-identity.ts";
import { isSystemError } from "../lib/files/system-error.ts";
import type { SecretMask } from "../lib/mask.ts";
import { moduleReader } from "../modules/reader.ts";
import {
  dataRegistry,
  providerCodes,
  settingsSchemas,
  typeRegistry,
} from "../providers/registry.ts";
import { clock } from "./clock.ts";
import { databaseEnvironment } from "./database-environment.ts";
import { shippedExamples } from "./examples.ts";
import { freshId } from "./fresh-id.ts";
import { hookSender } from "./hooks.ts";
import { openHttpLog } from "./http-log.ts";
import { packageLoader } from "./packages.ts";
import { openProviders } from "./providers.ts";
import { secretReader } from "./secrets.ts";
import { travelsOf } from "./sites/travel.ts";
import { recordedPlaces } from "./stores/recorded-places.ts";
import { createSeals } from "./stores/seals.ts";
import { mirrorsIn, openStore, type StorePorts, storeDefinitions } from "./stores/stores.ts";
import { chooseWorkspace, chosenWorkspace, openWorkspaces } from "./stores/workspaces.ts";

type Outside = {
  readonly version: string;
  readonly mask: SecretMask;
  readonly terminal: Terminal;
};

const siteLooks = () => import("./sites/look.ts");

/** `version` is that of the program; `mask` learns every secret that is read. */
export function createEnvironment(
  { version, mask, terminal }: Outside,
  { events, remark, debugHttp, interrupts }: Parameters<EnvironmentFactory>[0],
): CommandEnvironment {
  const storePorts: StorePorts = {
    ...createSeals(mask),
    clock,
    random: freshId,
    host: hostname(),
    process: ownProcess(),
    user: userName(),
    environment: databaseEnvironment(process.env, process.cwd()),
    mask,
    version,
    events,
    openLog: () => (debugHttp === undefined ? undefined : openHttpLog(debugHttp, terminal)),
  };
  return {
    version,
    types: typeRegistry(),
    dataTypes: dataRegistry(),
    providerSettings: settingsSchemas(),
    providerCodes,
    examples: shippedExamples,
    clock,
    newId: freshId,
    maskText: (text) => mask.mask(text),
    operator: { who: storePorts.user, host: storePorts.host },
    variables: prefixed(process.env, "VMFORM_VAR_"),
    ...nodeFiles,
    durationFiles: nodeFiles,
    fileReader: (folder) => fileReader(folder, homedir()),
    folderReader: (root) =>
      moduleReader({
        root,
        isConfiguration: isConfigurationFile,
        fileReader: (folder) => fileReader(folder, homedir()),
      }),
    moduleInstaller: openInstaller,
    openStore: (settings, from) => openStore(settings, storePorts, from),
    lookAtSites: async (state, sites) => (await siteLooks()).sitesLook(state, sites, storePorts),
    lookAtWorkers: async (state) => (await siteLooks()).workersLook(state, storePorts),
    openSeal: ({ encryption }, location) => storePorts.sealFor(location, encryption),
    workspace: chosenWorkspace,
    openMirrors: (directory, settings) => mirrorsIn(directory, settings, storePorts),
    recordedPlaces: (directory, settings) => recordedPlaces(directory, settings, storePorts),
    selectWorkspace: chooseWorkspace,
    openWorkspaces: (written) => openWorkspaces(written, storePorts),
    storeDefinitions: (settings) => storeDefinitions(settings, storePorts),
    packageLoader: (root) => packageLoader(root, { mask, terminal }),
    openProviders: async (simulator, directory, behind, packages = []) => {
      const log = debugHttp === undefined ? undefined : openHttpLog(debugHttp, terminal);
      const secrets = secretReader(directory, mask);
      const travels = travelsOf(behind, storePorts);
      return openProviders({ simulator, directory, events, mask, secrets, log, packages, travels });
    },
    loadFleet: async () => {
      const { fleetPorts } = await import("./fleet.ts");
      return fleetPorts(storePorts);
    },
    ...simulatedWorlds(mask),
    sendHook: hookSender(mask, version),
    hideSecret: (secret) => mask.add(secret),
    system,
    events,
    remark,
    interrupts,
  };
}

const system: SystemProbe = {
  nodeVersion: process.version,
  home: homedir(),
  folderProblem: (path) => folderProblem(path),
  proxyOf: (origin) => proxyFor(origin, process.env)?.host,
};
/** Loaded by who uses them, and the simulators with them. */
function simulatedWorlds(mask: SecretMask): Pick<CommandEnvironment, "openTestWorld" | "openTwin"> {
  return {
    openTestWorld: async (source, packages = []) => {
      const { openTestWorld } = await import("./testing/world.ts");
      return openTestWorld(source, mask, packages);
    },
    openTwin: async (source) => {
      const { openTwin } = await import("./twin/twin.ts");
      return openTwin(source, mask);
    },
  };
}

/** Little is ever fetched: what does it is loaded by then, and the client of HTTP with it. */
async function openInstaller(root: string, upgrade: boolean): Promise<ModuleInstaller> {
  const { moduleInstaller } = await import("../modules/install.ts");
  const { download } = await import("../http/download.ts");
  return moduleInstaller({ root, upgrade, download });
}

/** Of a folder that is still to be made, its nearest parent counts. */
async function folderProblem(path: string): Promise<string | undefined> {
  try {
    await mayAccess(path, constants.W_OK | constants.X_OK);
    return (await stat(path)).isDirectory() ? undefined : "it is no folder";
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const parent = dirname(path);
    if (error.code === "ENOENT" && parent !== path) return folderProblem(parent);
    return error.message;
  }
}

/** Variables of a prefix, by their names without it. */
export function prefixed(
  variables: { readonly [name: string]: string | undefined },
  prefix: string,
): { readonly [name: string]: string } {
  const entries = Object.entries(variables).flatMap(([name, value]) =>
    name.startsWith(prefix) && value !== undefined ? [[name.slice(prefix.length), value]] : [],
  );
  return Object.fromEntries(entries);
}

/** A container may run under a user id that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
