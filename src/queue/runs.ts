/**
 * The queue of runs. What is delivered is the id of a submission and nothing else, so that what a
 * run is about stands in one place. One run of a state is active at a time, for the sake of order:
 * what fences a run is the lock of its state.
 */

import { createHash } from "node:crypto";
import type { PgBoss } from "pg-boss";
import { bossSchema } from "./boss.ts";

export type RunsOptions = {
  /** After how long without a sign of life a worker is given up, seconds; at least 10. */
  readonly heartbeatSeconds?: number;
};

export type QueueOptions = RunsOptions & {
  /** Of the store. */
  readonly schema: string;
};

const queue = "runs";
/** Where a run comes to whose workers have died again and again. */
const lostQueue = "runs_lost";

const heartbeatSecondsDefault = 30;
/** The longest that pg-boss lets a queue be made with. */
const longestMadeSeconds = 24 * 60 * 60;
/**
 * An apply that is still alive is not cut: heartbeats tell that. The longest that a timer of
 * Node.js can wait is 2^31 ms, which is a little more.
 */
const longestSeconds = 24 * 24 * 60 * 60;
const retries = { retryLimit: 3, retryDelay: 2, retryBackoff: true, retryDelayMax: 60 } as const;

type Delivery = { readonly submission: string };

/** Makes the queues where they are missing. */
export async function makeRunQueues(boss: PgBoss, options: QueueOptions): Promise<void> {
  if ((await boss.getQueue(lostQueue)) === null) {
    await boss.createQueue(lostQueue, { retryLimit: 10, retryDelay: 30, notify: true });
  }
  await makeQueue(boss, queue, options);
}

/** Makes the one of runs that were left to workers of a version, where it is missing. */
export async function makeVersionQueue(
  boss: PgBoss,
  version: string,
  options: QueueOptions,
): Promise<void> {
  await makeQueue(boss, queueFor(version), options);
}

async function makeQueue(boss: PgBoss, name: string, options: QueueOptions): Promise<void> {
  const found = await boss.getQueue(name);
  if (found?.expireInSeconds === longestSeconds) return;
  if (found === null) await createQueue(boss, name, options);
  await boss
    .getDb()
    .executeSql(
      `update ${bossSchema(options.schema)}.queue set expire_seconds = $2 where name = $1`,
      [name, longestSeconds],
    );
}

async function createQueue(boss: PgBoss, name: string, options: RunsOptions): Promise<void> {
  await boss.createQueue(name, {
    ...retries,
    policy: "singleton",
    notify: true,
    deadLetter: lostQueue,
    expireInSeconds: longestMadeSeconds,
    heartbeatSeconds: options.heartbeatSeconds ?? heartbeatSecondsDefault,
  });
}

/** Put back into the queue of all, whoever took it first would be the first again and again. */
function queueFor(version: string): string {
  return `${queue}_${createHash("sha256").update(version).digest("hex").slice(0, 16)}`;
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
    /** For workers of that version alone (`makeVersionQueue`); absent: for any. */
    readonly version?: string;
  },
): Promise<void> {
  const { state, db, afterSeconds, heartbeatSeconds, version } = options;
  const delivery: Delivery = { submission };
  const id = await boss.send(version === undefined ? queue : queueFor(version), delivery, {
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

/** Begins to take runs, so many at a time, and one more of those left to workers of its version. */
export async function workRuns(
  boss: PgBoss,
  { run, lost }: RunHandlers,
  { atOnce, version }: { readonly atOnce: number; readonly version?: string },
): Promise<RunsWork> {
  const polling = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 } as const;
  const taking = [
    { name: queue, localConcurrency: atOnce },
    ...(version === undefined ? [] : [{ name: queueFor(version), localConcurrency: 1 }]),
  ];
  for (const { name, localConcurrency } of taking) {
    await boss.work<Delivery>(name, { ...polling, localConcurrency }, async ([job]) => {
      if (job !== undefined) await run(job.data.submission, job.signal);
    });
  }
  await boss.work<Delivery>(lostQueue, polling, async ([job]) => {
    if (job !== undefined) await lost(job.data.submission);
  });
  return {
    stopTaking: async () => {
      for (const { name } of taking) await boss.offWork(name, { wait: false });
      await boss.offWork(lostQueue, { wait: false });
    },
  };
}
