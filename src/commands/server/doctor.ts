/**
 * `vmform doctor`: whether everything that a run needs is there. It looks and never changes: of the
 * files nothing is written, and the endpoints get session and read calls only.
 */

import { dirname } from "node:path";
import type { Settings } from "../../config/blocks/settings.ts";
import type { Configuration } from "../../config/load.ts";
import { mixedWorlds } from "../../engine/prepare.ts";
import { createSessions } from "../../engine/sessions.ts";
import type { Check } from "../../model/check.ts";
import { hasErrors, type WithDiagnostics } from "../../model/diagnostic.ts";
import type { RecordedState } from "../../model/recorded.ts";
import { StoreError } from "../../model/store.ts";
import { whileWaiting } from "../../model/wait.ts";
import { type CommandEnvironment, CommandError, type CommandStore } from "../environment.ts";
import {
  enginePorts,
  openProviders,
  openStore,
  readConfiguration,
  readRecorded,
  readSettingsOnly,
  type WorkspaceOptions,
} from "../workspace.ts";
import { endpointChecks } from "./doctor-endpoint.ts";

/** First version of Node.js that runs vmform, as `engines` of the package says. */
const nodeNeeded = [20, 19] as const;

/**
 * Never throws for what is wrong with a workspace: that is its result. Checks that build on one
 * that failed are left out.
 */
export async function doctorCommand(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<readonly Check[]> {
  const node = nodeCheck(environment.system.nodeVersion);
  const read = await attempt(() => readSettingsOnly(environment, options));
  if ("problem" in read) return [node, { name: "configuration", ...read.problem }];
  const configuration = await readConfiguration(environment, options);
  const checks: Check[] = [node, configurationCheck(configuration)];
  if (hasErrors(read.value.diagnostics)) return checks;
  const settings = read.value.value;
  checks.push(await folderCheck(environment, settings));
  const store = openStore(environment, settings);
  const state = await attempt(() =>
    readRecorded(environment, store, settings.simulator !== undefined),
  );
  checks.push(
    "problem" in state
      ? { name: "state", ...state.problem }
      : stateCheck(state.value.state, state.value.fresh, settings),
    await lockCheck(store),
  );
  const recorded = "problem" in state ? undefined : state.value.state;
  const endpoints = () =>
    checkEndpoints(environment, options, {
      settings,
      configuration: configuration.value,
      recorded,
    });
  return [...checks, ...(await environment.interrupts.untilInterrupted(endpoints))];
}

type Problem = Pick<Check, "detail" | "fix"> & { readonly status: "failed" };

/** The value, or the error that a user can mend. */
async function attempt<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly problem: Problem }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof StoreError)) throw error;
    const { message: detail, fix } = error;
    return { problem: { status: "failed", detail, ...(fix === undefined ? {} : { fix }) } };
  }
}

function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [majorNeeded, minorNeeded] = nodeNeeded;
  const enough = major > majorNeeded || (major === majorNeeded && minor >= minorNeeded);
  const needed = nodeNeeded.join(".");
  return enough
    ? { name: "node", status: "ok", detail: `version ${version}` }
    : {
        name: "node",
        status: "failed",
        detail: `version ${version}, and ${needed} is needed`,
        fix: `Install Node.js ${needed} or later.`,
      };
}

function configurationCheck({
  value,
  diagnostics,
}: WithDiagnostics<Configuration | undefined>): Check {
  const name = "configuration";
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first !== undefined) {
    const where = first.source === undefined ? "" : `${first.source.file}:${first.source.line}: `;
    const more = errors.length === 1 ? "" : `, and ${errors.length - 1} more`;
    const detail = `${where}${first.summary} (${first.code})${more}`;
    return { name, status: "failed", detail, fix: "See all with: vmform validate" };
  }
  const count = value?.instances.length ?? 0;
  return { name, status: "ok", detail: count === 1 ? "1 object" : `${count} objects` };
}

async function folderCheck({ system }: CommandEnvironment, settings: Settings): Promise<Check> {
  const path = dirname(settings.state.path);
  const problem = await system.folderProblem(path);
  return problem === undefined
    ? { name: "folder", status: "ok", detail: `${path} can be written` }
    : {
        name: "folder",
        status: "failed",
        detail: `${path} cannot be written: ${problem}`,
        fix: "Mend what the system reports, or name another place: vmform.state.local.path",
      };
}

function stateCheck(state: RecordedState, fresh: boolean, settings: Settings): Check {
  const name = "state";
  const [mixed] = mixedWorlds(state, settings.simulator !== undefined);
  if (mixed !== undefined) {
    const { detail, fix } = mixed;
    return { name, status: "failed", detail, ...(fix === undefined ? {} : { fix }) };
  }
  if (fresh) return { name, status: "ok", detail: "nothing is recorded yet" };
  const objects = state.objects.length === 1 ? "1 object" : `${state.objects.length} objects`;
  const detail = `${objects}, serial ${state.serial}`;
  const owed = [
    ...(state.open.length === 0 ? [] : [`operations left open: ${state.open.length}`]),
    ...(state.restores.length === 0 ? [] : [`VMs owed their power: ${state.restores.length}`]),
  ];
  if (owed.length === 0) return { name, status: "ok", detail };
  const fix = "The next vmform apply settles what an interrupted run has left.";
  return { name, status: "warning", detail: [detail, ...owed].join("; "), fix };
}

async function lockCheck(store: CommandStore): Promise<Check> {
  const name = "lock";
  const holder = await attempt(() => store.holder());
  if ("problem" in holder) return { name, ...holder.problem };
  if (holder.value === undefined) return { name, status: "ok", detail: "free" };
  const { id, who, host, pid, operation, createdMs } = holder.value;
  const detail =
    createdMs === 0
      ? "held, and its file says not by whom"
      : `held by ${who} on ${host} (process ${pid}, ${operation})`;
  const fix = `Wait until it has ended. Only if its holder is gone: vmform force-unlock ${id}`;
  return { name, status: "warning", detail, fix };
}

type Endpoints = {
  readonly settings: Settings;
  /** Undefined when it has errors. */
  readonly configuration: Configuration | undefined;
  readonly recorded: RecordedState | undefined;
};

/** Of every provider that is configured, or recorded with objects. */
async function checkEndpoints(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
  { settings, configuration, recorded }: Endpoints,
): Promise<readonly Check[]> {
  const used = new Set(recorded?.objects.map(({ provider }) => provider));
  const known = [
    ...(recorded?.providers ?? []).filter(({ name }) => used.has(name)),
    ...(configuration?.providers ?? []),
  ];
  const byName = new Map(known.map((provider) => [provider.name, provider.settings]));
  if (byName.size === 0) return [];
  const opened = await attempt(() => openProviders(environment, settings, options.directory));
  if ("problem" in opened) return [{ name: "simulator", ...opened.problem }];
  const providers = opened.value;
  const store = openStore(environment, settings);
  const sessions = createSessions(enginePorts(environment, store, providers), "read");
  try {
    const simulated = settings.simulator !== undefined;
    const checks: Check[] = [];
    for (const [name, value] of byName) {
      const what = `checking provider ${name}`;
      const check = () => endpointChecks(environment, sessions, { name, value, simulated });
      checks.push(...(await whileWaiting(environment.events, { rank: "phase", what }, check)));
    }
    return checks;
  } finally {
    await sessions.close();
    await providers.close();
  }
}
