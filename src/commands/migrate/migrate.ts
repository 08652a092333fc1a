/**
 * `vmform state migrate`: brings recorded state of every workspace from one store to another. What
 * can be refused is refused before anything is written, and what was stopped goes on when it is run
 * again (`handover.ts`).
 */

import { resolve } from "node:path";
import { isPlaceFile, type LoadedPlace, loadPlace } from "../../config/load-place.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { Handover } from "../../model/recorded/recorded.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { defaultWorkspace, inWorkspace } from "../../model/recorded/workspace.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import {
  CommandError,
  type CommandStore,
  DiagnosticError,
  type WorkspaceEnvironment,
} from "../environment.ts";
import { takeLock, underFence } from "../lock.ts";
import { settingsAlone, type WorkspaceOptions } from "../reading.ts";
import { recordedAlone } from "../state/state.ts";
import { withLockedWorkspace } from "../workspace.ts";
import { contentsIn, handOver, nextStep, reclaim, type Side } from "./handover.ts";

export type MigrateOptions = WorkspaceOptions & {
  /** Each as a place is named; what is absent is what the configuration says. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Besides those that the store can tell of. */
  readonly workspaces: readonly string[];
  /** Also over older copies of the same history. */
  readonly force: boolean;
  readonly lockTimeoutMs: number;
};

export type MigratedWorkspace = {
  readonly workspace: string;
  readonly kind: "moved" | "already";
  readonly objects: number;
  readonly serial: number;
  readonly position: number;
  readonly from: string;
  readonly to: string;
};

export type Migrated = {
  readonly workspaces: readonly MigratedWorkspace[];
  /** What the configuration is to say from now on; undefined where it says so already. */
  readonly written: string | undefined;
  /** The old store cannot tell which workspaces it has. */
  readonly untold: boolean;
};

/** Throws `DiagnosticError` and `CommandError`; what was moved before that stays moved. */
export async function migrateCommand(
  environment: WorkspaceEnvironment,
  options: MigrateOptions,
): Promise<Migrated> {
  const { value, diagnostics } = await settingsAlone(environment, options);
  environment.remark(diagnostics);
  const { settings: configured } = value;
  const { settings: from } = await placeOf(environment, options, options.from, configured);
  const { settings: to, written } = await placeOf(environment, options, options.to, configured);
  const { names, untold } = await workspacesOf(environment, from.written, configured, options);
  const pairs = names.map((workspace) => pairOf(from.written, to.written, workspace));
  const filled: Pair[] = [];
  for (const pair of pairs) {
    if (await isMovable(environment, pair, options.force)) filled.push(pair);
  }
  if (filled.length === 0) {
    const { location } = environment.openStore(from.written);
    throw new CommandError(
      `Nothing is recorded at ${location}.`,
      "Name the place where recorded state is: --from",
    );
  }
  const workspaces: MigratedWorkspace[] = [];
  for (const pair of filled) workspaces.push(await migrate(environment, options, pair));
  return { workspaces, untold, written };
}

/** How a place is named. */
export const placeForms =
  "A place is a path, https://…, s3://BUCKET/KEY, postgres://…, a configuration file, or " +
  "what vmform.state would hold: '{ s3: { … } }'";

/** What the configuration says, or what is named on the command line. */
async function placeOf(
  environment: WorkspaceEnvironment,
  { directory }: WorkspaceOptions,
  words: string | undefined,
  configured: Settings,
): Promise<LoadedPlace> {
  if (words === undefined) return { settings: configured, written: undefined };
  const file = isPlaceFile(words)
    ? { name: words, bytes: await environment.readFile(words) }
    : undefined;
  const { home } = environment.system;
  const context = { directory, home, version: environment.version };
  const { value, diagnostics } = loadPlace(words, file, context);
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics);
  const { encryption } = configured.written;
  if (value !== undefined && (file !== undefined || encryption === undefined)) return value;
  // A configuration says how it is encrypted there; what only names a place says nothing of it.
  if (value !== undefined && encryption !== undefined) {
    const { settings } = value;
    return { ...value, settings: { ...settings, written: { ...settings.written, encryption } } };
  }
  throw file === undefined
    ? new CommandError(`${words} is no place for recorded state.`, placeForms, "usage")
    : new CommandError(
        `${words} names no place for recorded state.`,
        "It is read as a configuration: write vmform.state into it.",
        "file",
      );
}

async function workspacesOf(
  environment: WorkspaceEnvironment,
  written: StoreSettings,
  { workspace: selected }: Settings,
  { workspaces }: MigrateOptions,
): Promise<{ readonly names: readonly string[]; readonly untold: boolean }> {
  const stored = await environment.openWorkspaces(written);
  try {
    const told = await stored.names();
    const others = [selected, ...workspaces, ...(told ?? [])].toSorted();
    return { names: [...new Set([defaultWorkspace, ...others])], untold: told === undefined };
  } finally {
    await stored.close();
  }
}

type Pair = {
  readonly workspace: string;
  readonly from: StoreSettings;
  readonly to: StoreSettings;
};

function pairOf(from: StoreSettings, to: StoreSettings, workspace: string): Pair {
  const [source, target] = [inWorkspace(from, workspace), inWorkspace(to, workspace)];
  if (source !== undefined && target !== undefined) return { workspace, from: source, to: target };
  const side = source === undefined ? "it comes from" : "it is to go to";
  throw new CommandError(
    `The address ${side} has no place for the workspace ${workspace}.`,
    "Write {workspace} into it, as in …/state/web-{workspace}.",
  );
}

/** False where nothing is recorded. Takes no lock. Throws what would be refused later. */
async function isMovable(
  environment: WorkspaceEnvironment,
  pair: Pair,
  force: boolean,
): Promise<boolean> {
  return withStores(environment, pair, async (from, to) => {
    if (placeName(from, pair.from) === placeName(to, pair.to)) {
      throw new CommandError(
        `Both places are the same: ${from.location}.`,
        "Name the other one: --to, or --from where the configuration names the new one already.",
      );
    }
    const source = await contentsIn(from);
    if (source === undefined) return false;
    const places = { from: placeName(from, pair.from), to: placeName(to, pair.to) };
    nextStep(places, source, await contentsIn(to), force);
    return true;
  });
}

/** The same wherever it is named from. */
function placeName({ location }: CommandStore, { kind }: StoreSettings): string {
  return kind === "local" ? resolve(location) : location;
}

async function withStores<T>(
  environment: WorkspaceEnvironment,
  pair: Pair,
  work: (from: CommandStore, to: CommandStore) => Promise<T>,
): Promise<T> {
  const from = environment.openStore(pair.from);
  const to = environment.openStore(pair.to);
  try {
    return await work(from, to);
  } finally {
    await from.close().catch(() => undefined);
    await to.close().catch(() => undefined);
  }
}

/** What it takes away is taken away after what it needs. */
async function migrate(
  environment: WorkspaceEnvironment,
  { lockTimeoutMs, force }: MigrateOptions,
  pair: Pair,
): Promise<MigratedWorkspace> {
  const lock = { operation: "state migrate", timeoutMs: lockTimeoutMs };
  return withStores(environment, pair, async (from, to) => {
    const fromFence = await takeLock(environment, from, lock);
    return underFence(from, fromFence, async () => {
      const toFence = await takeLock(environment, to, lock);
      return underFence(to, toFence, async () => {
        const side = (store: CommandStore, fence: Side["fence"], settings: StoreSettings) => ({
          ...{ store, fence, name: placeName(store, settings) },
          readAnew: () => anew(environment, settings, contentsIn),
          runsAnew: () => anew(environment, settings, (one) => one.runs()),
        });
        const { kind, state } = await handOver(
          side(from, fromFence, pair.from),
          side(to, toFence, pair.to),
          {
            ...{ operator: environment.operator, version: environment.version, force },
            ...{ nowMs: environment.clock.now(), runId: environment.newId() },
          },
        );
        return {
          workspace: pair.workspace,
          kind,
          objects: state.objects.length,
          serial: state.serial,
          position: state.journal.position,
          from: from.location,
          to: to.location,
        };
      });
    });
  });
}

async function anew<T>(
  environment: WorkspaceEnvironment,
  settings: StoreSettings,
  read: (store: CommandStore) => Promise<T>,
): Promise<T> {
  const store = environment.openStore(settings);
  try {
    return await read(store);
  } finally {
    await store.close().catch(() => undefined);
  }
}

export type Reclaimed = { readonly location: string; readonly handover: Handover | undefined };

/** The copy that the configuration names counts again, whatever became of the other. */
export async function reclaimCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions & { readonly lockTimeoutMs: number },
): Promise<Reclaimed> {
  const lock = { operation: "state migrate", timeoutMs: options.lockTimeoutMs };
  const needs = { ...recordedAlone, lock };
  return withLockedWorkspace(environment, options, needs, async ({ store, fence }) => ({
    location: store.location,
    handover: await reclaim(store, fence),
  }));
}
