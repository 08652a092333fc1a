/** Places of recorded state that this machine knows of besides the one that is configured. */

import { join } from "node:path";
import type { RecordedPlace } from "../../commands/environment.ts";
import { defaultStatePath } from "../../config/settings/settings.ts";
import { realPathOf } from "../../lib/files/real-path.ts";
import { StoreError } from "../../model/recorded/store.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { foldAll } from "../../state/fold.ts";
import { openStore, type StorePorts } from "./stores.ts";

/**
 * The file that is the default, and mirrors of other stores. What cannot be read, as for want of
 * its key, is passed over.
 */
export async function recordedPlaces(
  directory: string,
  settings: StoreSettings,
  ports: StorePorts,
): Promise<readonly RecordedPlace[]> {
  const { mirroredElsewhere } = await import("./mirrors.ts");
  const { location } = openStore(settings, ports);
  const [file, mirrors] = await Promise.all([
    defaultFile(directory, settings, ports),
    mirroredElsewhere(directory, location, settings, ports),
  ]);
  return [...file, ...mirrors];
}

async function defaultFile(
  directory: string,
  settings: StoreSettings,
  ports: StorePorts,
): Promise<readonly RecordedPlace[]> {
  const path = join(directory, defaultStatePath);
  if (settings.kind === "local" && realPathOf(settings.path) === realPathOf(path)) return [];
  const { encryption } = settings;
  const commons = { beside: path, ...(encryption === undefined ? {} : { encryption }) };
  const store = openStore({ kind: "local", path, ...commons }, ports);
  try {
    const { snapshot, journal } = await store.read();
    if (snapshot === undefined) return [];
    const recorded = foldAll(snapshot, journal);
    return [{ location: path, path: defaultStatePath, recorded }];
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  } finally {
    await store.close();
  }
}
