/** `vmform worker`: does what was submitted, until it is stopped. */

import { hostname } from "node:os";
import { CommandError } from "../../commands/environment.ts";
import { loadBeforeChanges } from "../../lib/before-changes.ts";
import { plural } from "../../lib/text.ts";
import { RestoredError } from "../../model/fleet/fleet.ts";
import { StoreError } from "../../model/recorded/store.ts";
import { streamMessage } from "../../render/run/event-json.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import type { Run, Shell } from "../run.ts";
import { databaseOf } from "./database.ts";
import type { WorkerFlags } from "./fleet-command.ts";
import { requireNode } from "./node-version.ts";
import { type Performing, perform } from "./perform.ts";
import type { RunTerminal } from "./run-terminal.ts";

const atOnceDefault = 4;
const heartbeatMsDefault = 30_000;
const heartbeatMsMin = 10_000;
const keepMsDefault = 90 * 24 * 3_600_000;
/** What somebody may be looking at stays. */
const keepMsMin = 3_600_000;
const pruneEveryMs = 3_600_000;

export async function runWorker(shell: Shell, run: Run, flags: WorkerFlags): Promise<ExitCode> {
  const { environment } = run;
  requireNode(environment, "vmform worker");
  const { atOnce = atOnceDefault, heartbeat = heartbeatMsDefault } = flags;
  if (heartbeat < heartbeatMsMin) {
    throw new CommandError("--heartbeat is 10s at least.", undefined, "usage");
  }
  const { keep = keepMsDefault } = flags;
  if (keep < keepMsMin) throw new CommandError("--keep is 1h at least.", undefined, "usage");
  loadBeforeChanges({ everything: true });
  const ports = await environment.loadFleet();
  const heartbeatSeconds = Math.ceil(heartbeat / 1000);
  const fleet = await ports.openWorker(databaseOf(flags), {
    ...{ heartbeatSeconds, atOnce, version: shell.version },
  });
  if (flags.restored === true) return settleRestored(run, fleet);
  const worker = flags.name ?? `${hostname()}-${process.pid}`;
  const running = new Set<RunTerminal>();
  const say = teller(run, worker);
  const performing: Performing = { shell, environment, ports, fleet, worker, running };
  try {
    const atMost = plural(atOnce, "run");
    const from = `${worker} takes runs from ${fleet.location}, ${atMost} at a time.`;
    say("started", `${from} Ctrl-C stops it.`);
    const pruning = startPruning(fleet, keep, say);
    await untilStopped(shell, say, performing, atOnce).finally(pruning.stop);
    say("stopped", "Stopped.");
    return exitCodes.ok;
  } finally {
    await fleet.close();
  }
}

/** What a worker says of itself: for people, or as messages of the stream. */
type Say = (
  phase: "started" | "taken" | "ended" | "removed" | "stopping" | "stopped",
  message: string,
  run?: string,
) => void;

function teller({ view, environment }: Run, worker: string): Say {
  return (phase, message, run) => {
    if (!view.json) return view.say(message);
    const rest = { worker, phase, ...(run === undefined ? {} : { run }) };
    const atMs = environment.clock.now();
    view.message(streamMessage({ level: "info", message, atMs, type: "worker", rest }));
  };
}

/** Now and then, beside the runs: of several workers, each finds what no other has removed. */
function startPruning(
  fleet: Performing["fleet"],
  keepMs: number,
  say: Say,
): { readonly stop: () => void } {
  const prune = async (): Promise<void> => {
    try {
      const { runs, configurations } = await fleet.prune(keepMs);
      if (runs + configurations === 0) return;
      const packed = plural(configurations, "configuration");
      say("removed", `Removed what has ended long ago: ${plural(runs, "run")}, ${packed}.`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // It is not what a worker is for; what is old is there in an hour as well.
      say("removed", `What has ended long ago could not be removed: ${error.message}`);
    }
  };
  void prune();
  const timer = setInterval(() => void prune(), pruneEveryMs);
  return { stop: () => clearInterval(timer) };
}

/** The first request to stop takes nothing more and drains what runs; the second ends at once. */
async function untilStopped(
  shell: Shell,
  say: Say,
  performing: Performing,
  atOnce: number,
): Promise<void> {
  const { fleet, running, environment } = performing;
  const doing = new Set<Promise<void>>();
  let isStopping = false;
  const run = async (id: string, lost: AbortSignal): Promise<void> => {
    if (isStopping) throw new Error("the worker is stopping");
    say("taken", `run ${id}: taken`, id);
    const done = perform(performing, id, lost);
    doing.add(done);
    try {
      await done;
      say("ended", `run ${id}: ended here`, id);
    } finally {
      doing.delete(done);
    }
  };
  const self = { name: performing.worker, host: hostname(), node: environment.system.nodeVersion };
  let isAsked = false;
  let problem: CommandError | undefined;
  let wake = (): void => undefined;
  const restored = ({ message }: RestoredError): void => {
    problem = restoredProblem(message);
    isStopping = true;
    for (const terminal of running) terminal.stop("SIGTERM");
    wake();
  };
  const work = await fleet.work({ run, restored }, { ...self, atOnce }).catch((error: unknown) => {
    throw error instanceof RestoredError ? restoredProblem(error.message) : error;
  });
  await new Promise<void>((resolve) => {
    wake = resolve;
    if (problem !== undefined) resolve();
    shell.terminal.onInterrupt((signal) => {
      if (isAsked) shell.terminal.exit(exitCodes.interrupted);
      isAsked = true;
      isStopping = true;
      say("stopping", `Stopping: ${plural(doing.size, "run")} to drain.`);
      for (const terminal of running) terminal.stop(signal);
      resolve();
    });
  });
  await work.stopTaking();
  // Each has put itself back, or has ended.
  await Promise.allSettled(doing);
  if (problem !== undefined) throw problem;
}

function restoredProblem(message: string): CommandError {
  return new CommandError(
    `${message} What was done since is not known there, and may be there as if it waited: no ` +
      "worker takes anything.",
    "Stop all workers and agents, look at what was done (vmform runs --submitted, vmform drift), " +
      "then end what is unfinished there: vmform worker --restored. After that start them again.",
  );
}

/** Takes nothing itself: it stands in no unit file, and is said once. */
async function settleRestored(
  { view, environment }: Run,
  fleet: Performing["fleet"],
): Promise<ExitCode> {
  try {
    const count = await fleet.settleRestored(environment.operator);
    view.say(`Ended what was unfinished: ${plural(count, "run")}. Workers may be started again.`);
    return exitCodes.ok;
  } catch (error) {
    if (!(error instanceof RestoredError)) throw error;
    throw new CommandError(error.message, "Stop them first: they may be at work.");
  } finally {
    await fleet.close();
  }
}
