/**
 * One run of a worker: the configuration is unpacked into a folder of its own, and the same
 * commands are run on it as a person would run. The lock, the fence and recovery are those of the
 * store.
 */

import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type CommandEnvironment,
  type CommandStore,
  InterruptedError,
} from "../../commands/environment.ts";
import type { FleetPorts } from "../../commands/fleet/ports.ts";
import type { Taken, WorkerFleet } from "../../model/fleet/fleet.ts";
import type { Cancellation } from "../../model/fleet/submission.ts";
import { StoreError } from "../../model/recorded/store.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Shell } from "../run.ts";
import { applyRun } from "./apply-run.ts";
import { createEventSink } from "./event-sink.ts";
import { driftRun, planRun } from "./look-run.ts";
import { cancelledEnd, endedAnyway, mayHaveBegun, type OneRun, type RunEnd } from "./one-run.ts";
import { createRunTerminal, type RunTerminal } from "./run-terminal.ts";

export type Performing = {
  readonly shell: Shell;
  readonly environment: CommandEnvironment;
  readonly ports: FleetPorts;
  readonly fleet: WorkerFleet;
  /** Name of the worker. */
  readonly worker: string;
  /** Runs of now; whoever stops the worker asks each to stop. */
  readonly running: Set<RunTerminal>;
};

const stoppedSeconds = 1;

/** Throws what makes the queue deliver the run again: that the database fails. */
export async function perform(
  performing: Performing,
  id: string,
  lost: AbortSignal,
): Promise<void> {
  const { fleet, worker, shell, ports } = performing;
  const taken = await fleet.take(id, worker);
  if (taken === undefined) return;
  const { cancellation } = taken;
  if (cancellation !== undefined && !mayHaveBegun(taken)) {
    await fleet.end(taken, cancelledEnd(taken, cancellation));
    return;
  }
  if (taken.version !== shell.version) {
    const detail =
      `It waits for a worker of vmform ${taken.version}, which has packed it; ` +
      `${worker} has ${shell.version}.`;
    await fleet.leave(taken, detail);
    return;
  }
  const end = await ports.inTemporaryFolder((folder) => inFolder(performing, taken, folder, lost));
  if (end !== undefined) await settle(fleet, taken, end);
}

/** One that somebody wants to end by now is neither put back nor does it wait. */
async function settle(fleet: WorkerFleet, taken: Taken, end: RunEnd): Promise<void> {
  const isSettled =
    end.status === "stopped"
      ? await fleet.putBack(taken, end.detail, stoppedSeconds)
      : await fleet.end(taken, end);
  if (isSettled) return;
  const by = await fleet.cancellation(taken.id);
  if (by !== undefined) await fleet.end(taken, cancelledEnd(taken, by, end));
}

/** Who wants the run to end; absent while nobody does. */
type Wish = { by?: Cancellation };

/** Undefined when somebody else has it by now. */
async function inFolder(
  performing: Performing,
  taken: Taken,
  folder: string,
  lost: AbortSignal,
): Promise<RunEnd | undefined> {
  const { shell, fleet, worker, running } = performing;
  let isLost = false;
  // Whoever reads it is somewhere else.
  const clean = (line: string): string =>
    line.replaceAll(` --chdir ${folder}`, "").replaceAll(`${folder}/`, "");
  const onLost = (): void => {
    isLost = true;
    terminal.stop("SIGTERM");
  };
  const sink = createEventSink(fleet, taken, { clean, onLost });
  const terminal = createRunTerminal(shell.terminal.environment, {
    hear: sink.line,
    note: sink.say,
  });
  running.add(terminal);
  const wish: Wish = {};
  const stopHeeding = heedWish(fleet, taken, wish, (by, what) => {
    sink.say(`${askerText(by)}: ${what}`);
    if (taken.cancellation === undefined) terminal.stop("SIGTERM");
  });
  lost.addEventListener("abort", onLost);
  if (lost.aborted) onLost();
  try {
    const again = taken.attempt > 1 ? `, for the ${taken.attempt}. time` : "";
    sink.say(`${worker} has taken ${taken.kind} ${taken.id} of the state ${taken.state}${again}`);
    const prepare = async (): Promise<void> =>
      performing.ports.unpack(await fleet.bundle(taken.bundle), folder);
    const end = await ended(prepare, {
      ...{ taken, sink, folder, shell: shellOf(performing, taken, terminal, wish) },
      planFile: join(dirname(folder), "approved.plan"),
      keepPlan: async (text, approved) => {
        if (!(await fleet.keepPlan(taken, text, approved))) onLost();
      },
    });
    if (isLost) return undefined;
    return end.status === "done" || end.status === "failed" ? endedAnyway(end, wish.by) : end;
  } finally {
    stopHeeding();
    lost.removeEventListener("abort", onLost);
    running.delete(terminal);
    await sink.close();
  }
}

/** One that is known when it is taken lets what was begun be looked at, and nothing more. */
function heedWish(
  fleet: WorkerFleet,
  taken: Taken,
  wish: Wish,
  told: (by: Cancellation, what: string) => void,
): () => void {
  const { cancellation } = taken;
  if (cancellation === undefined) {
    return fleet.heed(taken, (by) => {
      wish.by = by;
      told(by, "what has begun ends, and nothing else is begun");
    });
  }
  wish.by = cancellation;
  told(cancellation, "what was begun is looked at, and nothing else is begun");
  return () => undefined;
}

/** A configuration that is damaged, or a fault of vmform, ends the run and not the worker. */
async function ended(prepare: () => Promise<void>, run: OneRun): Promise<RunEnd> {
  const { plan, kind } = run.taken;
  try {
    await prepare();
    if (plan !== undefined) await writeFile(run.planFile, plan, { mode: 0o600 });
    if (kind === "drift") return await driftRun(run);
    return kind === "plan" ? await planRun(run) : await applyRun(run);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const text = error instanceof Error ? error.message : String(error);
    const detail = `It cannot be done here: ${text}`;
    run.sink.say(detail, "error");
    return { status: "failed", exitCode: exitCodes.bug, detail };
  }
}

/** The run is somebody's, and the lock says which run holds it. */
function shellOf(
  { shell }: Performing,
  taken: Taken,
  { terminal }: RunTerminal,
  wish: Wish,
): Shell {
  const { workspace: name } = taken.options;
  return {
    ...shell,
    terminal,
    environment: async (options) => {
      const environment = await shell.environment(options);
      return {
        ...environment,
        operator: {
          ...{ who: approverOf(taken), host: environment.operator.host },
          submission: taken.id,
        },
        interrupts: {
          ...environment.interrupts,
          asker: () => (wish.by === undefined ? undefined : askerText(wish.by)),
          begin: () => {
            if (wish.by !== undefined) throw new InterruptedError();
            environment.interrupts.begin();
          },
        },
        workspace: () => Promise.resolve({ name, by: "environment" }),
        openStore: (settings) => lockedFor(taken, environment.openStore(settings)),
      };
    },
  };
}

function askerText({ who, host, atMs }: Cancellation): string {
  return `${who}@${host} asked to stop it at ${new Date(atMs).toISOString()}`;
}

/** Whoever has said yes last, else whoever has asked. */
function approverOf({ approvals, who }: Taken): string {
  return approvals.at(-1)?.who ?? who;
}

/**
 * The lock of an earlier attempt is taken from it: its claim has passed to this one, so it is dead,
 * stopped or cut off, and the fence keeps out whatever still comes of it.
 */
function lockedFor({ id, attempt }: Taken, store: CommandStore): CommandStore {
  const mark = ` (run ${id})`;
  return {
    ...store,
    lock: async (operation, timeoutMs) => {
      const holder = attempt > 1 ? await store.holder() : undefined;
      if (holder?.operation.endsWith(mark) === true) await store.forceUnlock(holder.id);
      return store.lock(`${operation}${mark}`, timeoutMs);
    },
  };
}
