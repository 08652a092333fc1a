/**
 * `vmform doctor`: whether everything that a run needs is there. It looks and never changes: of the
 * files nothing is written, and the endpoints get session and read calls only.
 */

import { dirname } from "node:path";
import type { Configuration } from "../../config/load.ts";
import type { Settings } from "../../config/settings/settings.ts";
import { isNodeEnough } from "../../lib/node-version.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { Check } from "../../model/provider/check.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import { StoreError } from "../../model/recorded/store.ts";
import { hasErrors, type WithDiagnostics } from "../../model/said/diagnostic.ts";
import {
  CommandError,
  type CommandStore,
  DiagnosticError,
  type WorkspaceEnvironment,
} from "../environment.ts";
import {
  type Configured,
  type Reading,
  readConfiguration,
  settingsAlone,
  type WorkspaceOptions,
} from "../reading.ts";
import { type Recorded, type Workspace, withWorkspace } from "../workspace.ts";
import { endpointChecks } from "./doctor-endpoint.ts";
import { siteChecks, sitesOf } from "./doctor-sites.ts";
import { workerChecks } from "./doctor-workers.ts";

/** First version of Node.js that runs vmform, as `engines` of the package says. */
const nodeNeeded = [20, 19] as const;

/**
 * Never throws for what is wrong with a workspace: that is its result. Checks that build on one
 * that failed are left out.
 */
export async function doctorCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<readonly Check[]> {
  const node = nodeCheck(environment.system.nodeVersion);
  const configuration = await attempt(() => readConfiguration(environment, options));
  if ("problem" in configuration)
    return [node, { name: "configuration", ...configuration.problem }];
  const checks = [node, configurationCheck(configuration.value)];
  // Of the block vmform; it is among what is wrong with the configuration.
  const settings = await attempt(() => settingsAlone(environment, options));
  if ("problem" in settings) return checks;
  const read: Reading<Configured> = () => Promise.resolve({ ...settings.value, diagnostics: [] });
  const needs = { read, access: "read" } as const;
  const more = await withWorkspace(environment, options, needs, (workspace) =>
    checksIn(workspace, configuration.value.value),
  );
  return [...checks, ...more];
}

/** `configuration` is undefined when it has errors. */
async function checksIn(
  workspace: Workspace<Configured>,
  configuration: Configuration | undefined,
): Promise<readonly Check[]> {
  const { environment, configured, store } = workspace;
  const { settings } = configured;
  const folder = await folderCheck(environment, settings);
  const recorded = await attempt(workspace.recorded);
  const state = "problem" in recorded ? recorded.problem : stateCheck(recorded.value);
  const sites = workspace.simulated ? [] : sitesOf(configuration);
  const atSites = await attempt(() => siteChecks(environment, settings.state, sites));
  const workers = await attempt(() => workerChecks(environment, settings.state));
  const checks = [
    ...[folder, { name: "state", ...state }, await lockCheck(store, settings)],
    ...("problem" in atSites ? [{ name: "sites", ...atSites.problem }] : atSites.value),
    ...("problem" in workers ? [{ name: "workers", ...workers.problem }] : workers.value),
  ];
  const known = "problem" in recorded ? undefined : recorded.value.state;
  const endpoints = () => checkEndpoints(workspace, configuration, known);
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
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    const { detail, fix } = problem;
    return { problem: { status: "failed", detail, ...(fix === undefined ? {} : { fix }) } };
  }
}

function problemOf(
  error: unknown,
): { readonly detail: string; readonly fix?: string | undefined } | undefined {
  if (error instanceof DiagnosticError) return error.diagnostics.find((item) => hasErrors([item]));
  if (!(error instanceof CommandError || error instanceof StoreError)) return undefined;
  return { detail: error.message, fix: error.fix };
}

function nodeCheck(version: string): Check {
  const enough = isNodeEnough(version, nodeNeeded);
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

/** Where recorded state is on a server, its folder is for what that server could not take. */
async function folderCheck(
  { system }: Pick<WorkspaceEnvironment, "system">,
  settings: Settings,
): Promise<Check> {
  const name = "folder";
  const { kind, beside } = settings.state;
  const path = dirname(beside);
  const problem = await system.folderProblem(path);
  if (kind !== "local") {
    const purpose = "for what the server of recorded state could not take";
    return problem === undefined
      ? { name, status: "ok", detail: `${path} can be written, ${purpose}` }
      : {
          name,
          status: "warning",
          detail: `${path} cannot be written, ${purpose}: ${problem}`,
          fix: "Mend what the system reports, or it is kept in the folder for temporary files.",
        };
  }
  return problem === undefined
    ? { name, status: "ok", detail: `${path} can be written` }
    : {
        name,
        status: "failed",
        detail: `${path} cannot be written: ${problem}`,
        fix: "Mend what the system reports, or name another place: vmform.state.local.path",
      };
}

function stateCheck({ state, fresh }: Recorded): Omit<Check, "name"> {
  if (fresh) return { status: "ok", detail: "nothing is recorded yet" };
  const objects = state.objects.length === 1 ? "1 object" : `${state.objects.length} objects`;
  const detail = `${objects}, serial ${state.serial}`;
  const owed = [
    ...(state.open.length === 0 ? [] : [`operations left open: ${state.open.length}`]),
    ...(state.restores.length === 0 ? [] : [`VMs owed their power: ${state.restores.length}`]),
  ];
  if (owed.length === 0) return { status: "ok", detail };
  const fix = "The next vmform apply settles what an interrupted run has left.";
  return { status: "warning", detail: [detail, ...owed].join("; "), fix };
}

/** A server of the http protocol tells who has the lock only to whoever asks for it. */
async function lockCheck(store: CommandStore, { state }: Settings): Promise<Check> {
  const name = "lock";
  const holder = await attempt(() => store.holder());
  if ("problem" in holder) return { name, ...holder.problem };
  if (holder.value === undefined) {
    const unasked = "no run has begun to write; who else has the lock, only a run finds out";
    return { name, status: "ok", detail: state.kind === "http" ? unasked : "free" };
  }
  const { id, who, host, pid, operation, createdMs } = holder.value;
  const detail =
    createdMs === 0
      ? "held, and nothing says by whom"
      : `held by ${who} on ${host} (process ${pid}, ${operation})`;
  const fix = `Wait until it has ended. Only if its holder is gone: vmform force-unlock ${id}`;
  return { name, status: "warning", detail, fix };
}

/** Of every provider that is configured, or recorded with objects. */
async function checkEndpoints(
  { environment, simulated, connect }: Workspace<Configured>,
  configuration: Configuration | undefined,
  recorded: RecordedState | undefined,
): Promise<readonly Check[]> {
  const used = new Set(recorded?.objects.map(({ provider }) => provider));
  const known = [
    ...(recorded?.providers ?? []).filter(({ name }) => used.has(name)),
    ...(configuration?.providers ?? []),
  ];
  const byName = new Map(known.map((provider) => [provider.name, provider.settings]));
  if (byName.size === 0) return [];
  const connected = await attempt(connect);
  if ("problem" in connected) return [{ name: "simulator", ...connected.problem }];
  const { sessions } = connected.value;
  const checks: Check[] = [];
  for (const [name, value] of byName) {
    const what = `checking provider ${name}`;
    const check = () => endpointChecks(environment, sessions, { name, value, simulated });
    checks.push(...(await whileWaiting(environment.events, { rank: "phase", what }, check)));
  }
  return checks;
}
