/** `vmform state reseal`: what is recorded is written anew, encrypted as is configured now. */

import { StoreError } from "../../model/recorded/store.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { defaultWorkspace, inWorkspace } from "../../model/recorded/workspace.ts";
import { foldAll } from "../../state/fold.ts";
import { CommandError, type CommandStore, type WorkspaceEnvironment } from "../environment.ts";
import type { WorkspaceOptions } from "../reading.ts";
import { closing, withLockedWorkspace } from "../workspace.ts";
import { recordedAlone } from "./state.ts";

export type Resealed = {
  /** False where all of it was so before. */
  readonly changed: boolean;
  /** Where it is. */
  readonly location: string;
  readonly encrypted: boolean;
  /** Other workspaces of which that cannot be said, as far as the store tells which there are. */
  readonly left: readonly string[];
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
    const { state, written, workspace } = configured.settings;
    const encrypted = state.encryption?.first !== undefined;
    const left = await othersLeft(environment, written, workspace);
    return { changed, location, encrypted, left };
  });
}

/** Whoever takes a key away, or its exception, has to know what still needs it. */
async function othersLeft(
  environment: WorkspaceEnvironment,
  written: StoreSettings,
  used: string,
): Promise<readonly string[]> {
  const stored = await environment.openWorkspaces(written);
  const names = await closing(stored, () => stored.names());
  const left: string[] = [];
  for (const name of [defaultWorkspace, ...(names ?? []).toSorted()]) {
    const settings = inWorkspace(written, name);
    if (name === used || settings === undefined) continue;
    const store = environment.openStore(settings);
    if (await closing(store, () => isLeft(store))) left.push(name);
  }
  return left;
}

async function isLeft(store: CommandStore): Promise<boolean> {
  try {
    const { remarks = [] } = await store.read();
    return remarks.some(({ code }) => code === staleCode);
  } catch (error) {
    // It is damaged, or none of the keys is its own.
    if (error instanceof StoreError) return true;
    throw error;
  }
}

/** Of the remark that something is not sealed as it would be now. */
const staleCode = "STO065";
