/** `vmform state reseal`: what is recorded is written anew, encrypted as is configured now. */

import { foldAll } from "../../state/fold.ts";
import { CommandError, type WorkspaceEnvironment } from "../environment.ts";
import type { WorkspaceOptions } from "../reading.ts";
import { withLockedWorkspace } from "../workspace.ts";
import { recordedAlone } from "./state.ts";

export type Resealed = {
  /** False where all of it was so before. */
  readonly changed: boolean;
  /** Where it is. */
  readonly location: string;
  readonly encrypted: boolean;
};

/**
 * Holds the lock. What is recorded stays the same, and so do plans that were made before. Throws
 * `CommandError` when nothing was ever recorded.
 */
export async function resealCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  timeoutMs: number,
): Promise<Resealed> {
  const needs = { ...recordedAlone, lock: { operation: "state reseal", timeoutMs } };
  return withLockedWorkspace(environment, options, needs, async ({ store, fence, configured }) => {
    const { location } = store;
    const { snapshot, journal, remarks = [] } = await store.read();
    if (snapshot === undefined) throw new CommandError(`Nothing is recorded at ${location}.`);
    environment.remark(remarks.filter(({ code }) => code !== staleCode));
    const changed = remarks.some(({ code }) => code === staleCode);
    if (changed) await store.compact(foldAll(snapshot, journal), fence);
    const { encryption } = configured.settings.state;
    return { changed, location, encrypted: encryption?.first !== undefined };
  });
}

/** Of the remark that something is not sealed as it would be now. */
const staleCode = "STO065";
