/** `vmform state mirror`: the mirrors of a folder of configuration, and putting one aside. */

import type { ShelvedMirror } from "../../model/recorded/mirror.ts";
import type { Mirrors, WorkspaceEnvironment } from "../environment.ts";
import { settingsAlone, type WorkspaceOptions } from "../reading.ts";

/** Asks no server. */
export async function listMirrors(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<readonly ShelvedMirror[]> {
  return (await mirrorsIn(environment, options)).list();
}

/** Throws `StoreError`, as for one that a run uses. */
export async function putMirrorAside(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  name: string,
): ReturnType<Mirrors["putAside"]> {
  return (await mirrorsIn(environment, options)).putAside(name);
}

async function mirrorsIn(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<Mirrors> {
  const { value, diagnostics } = await settingsAlone(environment, options);
  environment.remark(diagnostics);
  return environment.openMirrors(options.directory, value.settings.state);
}
