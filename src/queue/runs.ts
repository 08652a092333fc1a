/**
 * The queue of runs. What is delivered is the id of a submission and nothing else, so that what a
 * run is about stands in one place. One run of a state is active at a time, for the sake of order:
 * what fences a run is the lock of its state.
 */

import type { PgBoss } from "pg-boss";

export type RunsOptions = {
  /** After how long without a sign of life a worker is given up, seconds; at least 10. */
  readonly heartbeatSeconds?: number;
};

const queue = "runs";
/** Where a run comes to whose workers have died again and again. */
const lostQueue = "runs_lost";

const heartbeatSecondsDefault = 30;
/** The longest that pg-boss knows: an apply that is still alive is not cut. */
const longestSeconds = 24 * 60 * 60;
const retries = { retryLimit: 3, retryDelay: 2, retryBackoff: true, retryDelayMax: 60 } as const;

type Delivery = { readonly submission: string };

/** Makes the queues where they are missing. */
export async function makeRunQueues(boss: PgBoss, options: RunsOptions = {}): Promise<void> {
  if ((await boss.getQueue(lostQueue)) === null) {
    await boss.createQueue(lostQueue, { retryLimit: 10, retryDelay: 30, notify: true });
  }
  if ((await boss.getQueue(queue)) !== null) return;
  await boss.createQueue(queue, {
    ...retries,
    policy: "singleton",
    notify: true,
    deadLetter: lostQueue,
    expireInSeconds: longestSeconds,
    heartbeatSeconds: options.heartbeatSeconds ?? heartbeatSecondsDefault,
  });
}

type Sql = ReturnType<PgBoss["getDb"]>;

/** Sends the run of a submission: as part of a transaction, where one is given. */
export async function sendRun(
  boss: PgBoss,
  submission: string,
  options: RunsOptions & {
    readonly state: string;
    readonly db?: Sql;
    /** Not before so many seconds have passed. */
    readonly afterSeconds?: number;
  },
): Promise<void> {
  const { state, db, afterSeconds, heartbeatSeconds } = options;
  const delivery: Delivery = { submission };
  const id = await boss.send(queue, delivery, {
    singletonKey: state,
    ...(heartbeatSeconds === undefined ? {} : { heartbeatSeconds }),
    ...(db === undefined ? {} : { db }),
    ...(afterSeconds === undefined ? {} : { startAfter: afterSeconds }),
  });
  if (id === null) throw new Error(`the run ${submission} was not taken by its queue`);
}

export type RunHandlers = {
  /**
   * Does a run. `lost` is aborted when another worker may have it by now: nothing more is begun
   * then. What it throws makes the queue deliver it again, a few times.
   */
  readonly run: (submission: string, lost: AbortSignal) => Promise<void>;
  /** A run that was delivered as often as it may be, and never ended. */
  readonly lost: (submission: string) => Promise<void>;
};

export type RunsWork = {
  /** Takes nothing more; what runs goes on. */
  readonly stopTaking: () => Promise<void>;
};

/** Begins to take runs, so many at a time. */
export async function workRuns(
  boss: PgBoss,
  { run, lost }: RunHandlers,
  options: { readonly atOnce: number },
): Promise<RunsWork> {
  const polling = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 } as const;
  await boss.work<Delivery>(
    queue,
    { ...polling, localConcurrency: options.atOnce },
    async ([job]) => {
      if (job !== undefined) await run(job.data.submission, job.signal);
    },
  );
  await boss.work<Delivery>(lostQueue, polling, async ([job]) => {
    if (job !== undefined) await lost(job.data.submission);
  });
  return {
    stopTaking: async () => {
      await boss.offWork(queue, { wait: false });
      await boss.offWork(lostQueue, { wait: false });
    },
  };
}
