/** Telling the hooks of a configuration: all at once, and a warning where one cannot be told. */

import type { Settings } from "../config/settings/settings.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import type { Hook, HookEvent, HookMessage } from "../model/said/hook.ts";
import { nowhere } from "../model/said/problem.ts";
import { warning } from "./codes.ts";
import type { WorkspaceEnvironment } from "./environment.ts";
import { knownSettings } from "./known-settings.ts";
import { settingsAlone, type WorkspaceOptions } from "./reading.ts";

export type Happened = {
  readonly event: HookEvent;
  /** As in `vmform apply`. */
  readonly command: string;
  /** One line for people, without secrets. */
  readonly summary: string;
};

/**
 * Warnings, one for each hook that could not be told. Never throws: what the settings say wrongly
 * was told by the command itself.
 */
export async function notify(
  environment: Pick<WorkspaceEnvironment, "sendHook"> & WorkspaceEnvironment,
  options: WorkspaceOptions,
  { event, command, summary }: Happened,
): Promise<readonly Diagnostic[]> {
  const { sendHook, clock, newId, operator } = environment;
  if (sendHook === undefined) return [];
  const settings = knownSettings(environment) ?? (await readSettings(environment, options));
  const hooks = settings?.hooks?.[event] ?? [];
  if (settings === undefined || hooks.length === 0) return [];
  const message: HookMessage = {
    ...{ id: newId(), event, atMs: clock.now(), command, summary },
    directory: options.directory,
    workspace: settings.workspace,
    simulated: settings.simulator !== undefined,
    ...(settings.state.kind === "postgres" ? { state: settings.state.name } : {}),
    ...(operator.submission === undefined ? {} : { submission: operator.submission }),
  };
  const told = await Promise.all(
    hooks.map(async (hook, index): Promise<readonly Diagnostic[]> => {
      const why = await sendHook(hook, message);
      if (why === undefined) return [];
      const detail = `${hookText(hook, index)} could not be told of ${event}: ${why}.`;
      return [warning(nowhere, "CLI035", { detail })];
    }),
  );
  return told.flat();
}

async function readSettings(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<Settings | undefined> {
  const read = await settingsAlone(environment, options).catch(() => undefined);
  return read?.value.settings;
}

/** The URL of a webhook may let in whoever knows it: its host is enough. */
function hookText(hook: Hook, index: number): string {
  const place = `Hook ${index + 1}`;
  if (hook.kind === "command") return `${place} (${JSON.stringify(hook.words[0])})`;
  return typeof hook.url === "string" ? `${place} (${new URL(hook.url).host})` : place;
}
