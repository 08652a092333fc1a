/** `vmform workspace`: which recorded states a configuration has, and which of them is used. */

import { closestName, plural } from "../../lib/text.ts";
import {
  defaultWorkspace,
  isWorkspaceName,
  type WorkspaceSelection,
} from "../../model/recorded/workspace.ts";
import { nowhere } from "../../model/said/problem.ts";
import { foldAll } from "../../state/fold.ts";
import { initialState } from "../../state/initial.ts";
import { problem } from "../codes.ts";
import {
  CommandError,
  DiagnosticError,
  type StoredWorkspaces,
  type WorkspaceEnvironment,
} from "../environment.ts";
import { takeLock, underFence } from "../lock.ts";
import { settingsAlone, type WorkspaceOptions } from "../reading.ts";
import { withWorkspace } from "../workspace.ts";
import { recordedAlone } from "./state.ts";

export type ListedWorkspaces = {
  readonly selected: WorkspaceSelection;
  /** Sorted, the default one first. */
  readonly names: readonly string[];
  /** The store cannot tell which there are. */
  readonly untold: boolean;
};

export async function listWorkspaces(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<ListedWorkspaces> {
  const selected = await selectionOf(environment, options);
  const names = await namesIn(environment, options);
  const sorted = [...new Set(names ?? [selected.name])].toSorted();
  return {
    selected,
    names: [defaultWorkspace, ...sorted.filter((name) => name !== defaultWorkspace)],
    untold: names === undefined,
  };
}

/**
 * Begins a history of its own. Resolves to whether it is used from now on: the environment may
 * choose another. Throws `CommandError` when there is one of that name.
 */
export async function newWorkspace(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  name: string,
): Promise<boolean> {
  requireName(name);
  if (name === defaultWorkspace) throw isThere(name);
  const lock = { operation: "workspace new", timeoutMs: 0 };
  await withWorkspace(as(environment, name), options, recordedAlone, async (workspace) => {
    const { store, configured } = workspace;
    const fence = await takeLock(environment, store, lock);
    await underFence(store, fence, async () => {
      const { snapshot } = await store.read();
      if (snapshot !== undefined) throw isThere(name);
      const simulated = configured.settings.simulator !== undefined;
      const { newId } = environment;
      await store.compact(initialState(newId(), newId(), simulated), fence);
    });
  });
  await environment.selectWorkspace(options.directory, name);
  return (await selectionOf(environment, options)).name === name;
}

/** From now on, commands in this folder use it. */
export async function selectWorkspace(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  name: string,
): Promise<void> {
  requireName(name);
  const { by } = await selectionOf(environment, options);
  if (by === "environment") {
    throw new CommandError(
      "VMFORM_WORKSPACE is set, and counts more than what is selected.",
      "Unset it, or change it.",
    );
  }
  if (name !== defaultWorkspace) await requireRecorded(environment, options, name);
  await environment.selectWorkspace(options.directory, name);
}

export type DeletedWorkspace = {
  /** Objects that nobody manages any more. */
  readonly forgotten: number;
};

/**
 * Deletes recorded state, and touches no object. Throws `CommandError` where objects are recorded
 * or operations are open, unless `force`.
 */
export async function deleteWorkspace(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  name: string,
  force: boolean,
): Promise<DeletedWorkspace> {
  requireName(name);
  await refuseInUse(environment, options, name);
  await requireRecorded(environment, options, name);
  return withStored(environment, options, async ({ remove }) => {
    if (remove === undefined) throw notHere("delete one");
    const lock = { operation: "workspace delete", timeoutMs: 0 };
    return withWorkspace(as(environment, name), options, recordedAlone, async ({ store }) => {
      // Given back when the store is closed: its place is gone then.
      await takeLock(environment, store, lock);
      const { snapshot, journal } = await store.read();
      const state = snapshot && foldAll(snapshot, journal);
      const forgotten = state?.objects.length ?? 0;
      const open = state?.open.length ?? 0;
      if (!force && forgotten + open > 0) throw stillUsed(name, forgotten, open);
      await remove(name);
      return { forgotten };
    });
  });
}

async function refuseInUse(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  name: string,
): Promise<void> {
  if (name === defaultWorkspace) {
    throw new CommandError(
      "The default workspace is always there.",
      "To destroy what is recorded in it: vmform destroy",
    );
  }
  const selected = await selectionOf(environment, options);
  if (selected.name !== name) return;
  const other =
    selected.by === "environment" ? "Unset VMFORM_WORKSPACE." : "vmform workspace select default";
  throw new CommandError(`The workspace ${name} is the one in use.`, `Leave it first: ${other}`);
}

/** Throws `DiagnosticError` where nothing was ever recorded under that name. */
async function requireRecorded(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  name: string,
): Promise<void> {
  const there = await withWorkspace(
    as(environment, name),
    options,
    recordedAlone,
    async (place) => {
      return (await place.store.read()).snapshot !== undefined;
    },
  );
  if (there) return;
  const names = ((await namesIn(environment, options)) ?? []).filter((one) => one !== name);
  const near = closestName(name, [...names, defaultWorkspace]);
  const detail = `There is no workspace ${name}.`;
  throw new DiagnosticError([
    problem(nowhere, "CLI031", {
      detail,
      fix:
        near === undefined
          ? `To make it: vmform workspace new ${name}`
          : `Did you mean ${near}? To make it: vmform workspace new ${name}`,
    }),
  ]);
}

async function namesIn(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<readonly string[] | undefined> {
  return withStored(environment, options, ({ names }) => names());
}

async function withStored<T>(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  work: (stored: StoredWorkspaces) => Promise<T>,
): Promise<T> {
  const { value, diagnostics } = await settingsAlone(as(environment, defaultWorkspace), options);
  environment.remark(diagnostics);
  const stored = await environment.openWorkspaces(value.settings.written);
  try {
    return await work(stored);
  } finally {
    await stored.close();
  }
}

function as(environment: WorkspaceEnvironment, name: string): WorkspaceEnvironment {
  return { ...environment, workspace: () => Promise.resolve({ name, by: "file" }) };
}

async function selectionOf(
  { workspace }: WorkspaceEnvironment,
  { directory }: WorkspaceOptions,
): Promise<WorkspaceSelection> {
  return (await workspace?.(directory)) ?? { name: defaultWorkspace, by: "default" };
}

function requireName(name: string): void {
  if (isWorkspaceName(name)) return;
  const detail = `${JSON.stringify(name)} is no name of a workspace.`;
  const fix = "Use letters, digits, hyphens and underscores, at most 64, a letter or digit first.";
  throw new DiagnosticError([problem(nowhere, "CLI031", { detail, fix })]);
}

function isThere(name: string): CommandError {
  return new CommandError(
    `There is a workspace ${name} already.`,
    `To use it: vmform workspace select ${name}`,
  );
}

function stillUsed(name: string, objects: number, open: number): CommandError {
  const what = [
    ...(objects === 0 ? [] : [plural(objects, "object")]),
    ...(open === 0 ? [] : [plural(open, "open operation")]),
  ];
  return new CommandError(
    `The workspace ${name} is not empty: ${what.join(" and ")} would be forgotten, and stay.`,
    `Destroy first: VMFORM_WORKSPACE=${name} vmform destroy. To forget them all the same: --force`,
  );
}

function notHere(what: string): CommandError {
  return new CommandError(`vmform cannot ${what} in a store of this kind.`, "Do it at the server.");
}
