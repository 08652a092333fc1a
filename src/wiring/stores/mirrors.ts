/** Where mirrors of stores are: beside the configuration, one for each store and workspace. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { CommandStore, Mirrors, RecordedPlace } from "../../commands/environment.ts";
import { nodeFileSystem } from "../../lib/files/file-system.ts";
import { hasEnded } from "../../lib/files/process-identity.ts";
import type { LockSurroundings } from "../../lib/lock/lock-file.ts";
import type { LocalStoreSettings, StoreSettings } from "../../model/recorded/store-settings.ts";
import { foldAll } from "../../state/fold.ts";
import {
  loadMirror,
  type MirrorPlace,
  mirrorNames,
  mirrorPlace,
  readHead,
} from "../../store/mirror/files.ts";
import { openMirrorStore } from "../../store/mirror/mirror-store.ts";
import { mirrored } from "../../store/mirror/mirrored-store.ts";
import { noSuchMirror } from "../../store/mirror/problems.ts";
import { lookAtMirror, putAside } from "../../store/mirror/shelf.ts";
import type { StorePorts } from "./stores.ts";

/** Settings of a store that is not on this machine. */
export type RemoteSettings = Exclude<StoreSettings, LocalStoreSettings>;

function mirrorFolder(directory: string): string {
  return join(directory, ".vmform", "mirror");
}

/** The store as commands use it: with its mirror. */
export async function withMirror(
  store: CommandStore,
  settings: RemoteSettings,
  ports: StorePorts,
): Promise<CommandStore> {
  const place = await placeFor(store.location, settings, ports);
  const folder = mirrorFolder(settings.directory);
  return mirrored(store, {
    place,
    around: surroundings(ports),
    user: ports.user,
    tell: (diagnostic) => ports.events({ kind: "diagnostic", diagnostic }),
    others: async () => {
      const names = await mirrorNames(folder);
      return names.map((name) => mirrorPlace(nodeFileSystem, folder, name, name, place.seal));
    },
  });
}

/** The mirror instead of its store, which is not asked for anything. */
export async function mirrorOf(
  location: string,
  settings: RemoteSettings,
  ports: StorePorts,
): Promise<CommandStore> {
  const place = await placeFor(location, settings, ports);
  return openMirrorStore({ ...ports, place, beside: settings.beside });
}

export async function openMirrors(
  directory: string,
  { beside, encryption }: StoreSettings,
  ports: StorePorts,
): Promise<Mirrors> {
  const folder = mirrorFolder(directory);
  const seal = await ports.lateSealFor(folder, encryption);
  const placeOf = (name: string): MirrorPlace =>
    mirrorPlace(nodeFileSystem, folder, name, name, seal);
  return {
    list: async () =>
      Promise.all((await mirrorNames(folder)).map((one) => lookAtMirror(placeOf(one)))),
    putAside: async (name) => {
      if (!(await mirrorNames(folder)).includes(name)) throw noSuchMirror(name);
      const { user } = ports;
      return putAside(placeOf(name), { around: surroundings(ports), user, beside, seal });
    },
  };
}

/** What is in mirrors of other stores than the one at `location`, where it can be read. */
export async function mirroredElsewhere(
  directory: string,
  location: string,
  { encryption }: StoreSettings,
  ports: StorePorts,
): Promise<readonly RecordedPlace[]> {
  const folder = mirrorFolder(directory);
  const names = await mirrorNames(folder);
  if (names.length === 0) return [];
  const seal = await ports.lateSealFor(folder, encryption);
  const found = await Promise.all(
    names.map(async (name): Promise<readonly RecordedPlace[]> => {
      const place = mirrorPlace(nodeFileSystem, folder, name, name, seal);
      try {
        const [head, loaded] = [await readHead(place), await loadMirror(place)];
        if (head === undefined || loaded === undefined || head.of === location) return [];
        const recorded = foldAll(loaded.snapshot, loaded.entries);
        return [{ location: head.of, mirror: name, recorded }];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}

async function placeFor(
  location: string,
  settings: RemoteSettings,
  ports: StorePorts,
): Promise<MirrorPlace> {
  const seal = await ports.lateSealFor(`the mirror of ${location}`, settings.encryption);
  const name = nameFor(location, settings, ports);
  return mirrorPlace(nodeFileSystem, mirrorFolder(settings.directory), name, location, seal);
}

/** What tells stores apart beyond what people are shown of them. */
function nameFor(location: string, settings: RemoteSettings, { environment }: StorePorts): string {
  const more = {
    http: () => (settings.kind === "http" ? (settings.address ?? environment.TF_HTTP_ADDRESS) : ""),
    s3: () =>
      settings.kind === "s3"
        ? (settings.endpoint ?? environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL)
        : "",
    postgres: () => "",
  };
  const words = [settings.kind, location, more[settings.kind]() ?? ""];
  const hash = createHash("sha256").update(JSON.stringify(words)).digest("hex");
  return `${settings.kind}-${hash.slice(0, 16)}`;
}

function surroundings(ports: StorePorts): LockSurroundings {
  return {
    fs: nodeFileSystem,
    clock: ports.clock,
    host: ports.host,
    process: ports.process,
    hasEnded: (other) => hasEnded(ports.process, other),
    newId: ports.random,
  };
}
