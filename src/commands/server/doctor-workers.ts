/** What `vmform doctor` says of workers: which there are, and whether what is submitted is done. */

import { listWords } from "../../config/read/form/spelling.ts";
import { plural } from "../../lib/text.ts";
import { clockText } from "../../lib/time/clock-text.ts";
import type { WorkersLook, WorkerThere } from "../../model/fleet/worker-look.ts";
import type { Check } from "../../model/provider/check.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import type { WorkspaceEnvironment } from "../environment.ts";

/** None where nobody has workers. Throws `StoreError`. */
export async function workerChecks(
  { lookAtWorkers, clock }: WorkspaceEnvironment,
  state: StoreSettings,
): Promise<readonly Check[]> {
  const look = await lookAtWorkers?.(state);
  if (look === undefined || (look.workers.length === 0 && look.queued.size === 0)) return [];
  const { workers } = look;
  const detail =
    workers.length === 0
      ? "no worker is there"
      : workers.map((worker) => workerText(worker, clock.now())).join("; ");
  const problem = silentProblem(workers) ?? waitingProblem(look);
  const status = problem === undefined ? "ok" : "warning";
  const data = { workers: workers.map(workerData) };
  const told = problem?.told === undefined ? detail : `${detail}; ${problem.told}`;
  const check = { name: "workers", status, detail: told, data } as const;
  return [problem === undefined ? check : { ...check, fix: problem.fix }];
}

type Problem = { readonly told?: string; readonly fix: string };

function silentProblem(workers: readonly WorkerThere[]): Problem | undefined {
  const silent = workers.filter((worker) => worker.silent);
  if (silent.length === 0) return undefined;
  const names = listWords(
    silent.map(({ name }) => name),
    "and",
  );
  return { fix: `Look at ${names}: stopped, hanging or cut off. Others take its runs.` };
}

/** Each does what its own version has packed, and no other. */
function waitingProblem({ workers, queued, version }: WorkersLook): Problem | undefined {
  const there = new Set(workers.map((worker) => worker.version));
  const missing = [...queued].find(([packed]) => !there.has(packed));
  if (missing !== undefined) {
    const [packed, count] = missing;
    return {
      told: `${plural(count, "run")} of vmform ${packed} waiting, for which none is there`,
      fix: `Start a worker of vmform ${packed}: vmform worker`,
    };
  }
  if (there.has(version)) return undefined;
  return {
    told: `this is vmform ${version}, and none does what it submits`,
    fix: `Start a worker of vmform ${version}, or submit with the version that workers have.`,
  };
}

function workerText(
  { name, version, host, running, atOnce, sinceMs, seenMs, silent }: WorkerThere,
  nowMs: number,
): string {
  const now = silent
    ? `silent since ${clockText(seenMs, nowMs)}`
    : `since ${clockText(sinceMs, nowMs)}, with ${running} of ${plural(atOnce, "run")}`;
  return `${name} of vmform ${version} on ${host}, ${now}`;
}

function workerData({ sinceMs, seenMs, atOnce, ...rest }: WorkerThere) {
  const { name, version, node, host, running, silent } = rest;
  return {
    ...{ name, version, node, host, at_once: atOnce, running, silent },
    since: new Date(sinceMs).toISOString(),
    seen: new Date(seenMs).toISOString(),
  };
}
