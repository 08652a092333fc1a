/**
 * Many states, sites and workers in virtual time: what one round of scheduled drift asks of the
 * database, how long it takes, and at what number it breaks. Pure: equal input gives equal output.
 *
 * The database is a number of servers that each do one thing at a time, and every step costs what
 * was measured of it (`constants.ts`). A worker does one run at a time, a site so many calls.
 */

import { createHeap } from "./heap.ts";

/** Milliseconds of the database for each step, as they add up when it is busy. */
export type Costs = {
  /** A run from sent to completed: queue, lock given and taken, its record. */
  readonly run: number;
  /** To read recorded state: besides, for each object. */
  readonly read: number;
  readonly readObject: number;
  /** A group of journal entries that is appended. */
  readonly append: number;
  /** A call to a site from offered to answered. */
  readonly call: number;
};

export type Fleet = {
  readonly states: number;
  readonly objectsPerState: number;
  readonly sites: number;
  readonly workers: number;
  /** Calls that the agents of one site do at once. */
  readonly callsAtOnce: number;
  /** Objects that one call reads. */
  readonly objectsPerCall: number;
  /** How long an interface takes for such a call, milliseconds. */
  readonly answerMs: number;
  /** What a worker computes for each object, milliseconds. */
  readonly objectMs: number;
  /** Things that the database does at once. */
  readonly databaseServers: number;
};

export type Round = {
  /** From the moment all are due until the last is done. */
  readonly lastMs: number;
  /** Half of the states are done by then. */
  readonly medianMs: number;
  /** Shares of the time of the round, 0 to 1. */
  readonly database: number;
  readonly workers: number;
  readonly sites: number;
  readonly runs: number;
  readonly calls: number;
};

/** All states are due at once, as one line of cron has it. */
export function simulateRound(fleet: Fleet, costs: Costs): Round {
  const clock = createClock();
  const database = createResource(clock, fleet.databaseServers);
  const workers = createResource(clock, fleet.workers);
  const sites = Array.from({ length: fleet.sites }, () => createResource(clock, fleet.callsAtOnce));
  const callsPerRun = Math.ceil(fleet.objectsPerState / fleet.objectsPerCall);
  const ends: number[] = [];
  for (let state = 0; state < fleet.states; state += 1) {
    const site = sites[state % fleet.sites];
    if (site === undefined) throw new Error("there is no site");
    workers.take((release) => {
      const finish = (): void => {
        database.use(costs.run / 2, () => {
          ends.push(clock.now());
          release();
        });
      };
      const compute = (): void => clock.after(fleet.objectMs * fleet.objectsPerState, finish);
      const call = (left: number): void => {
        if (left === 0) return compute();
        site.take((free) => {
          database.use(costs.call / 2, () =>
            clock.after(fleet.answerMs, () =>
              database.use(costs.call / 2, () => {
                free();
                call(left - 1);
              }),
            ),
          );
        });
      };
      const read = costs.read + costs.readObject * fleet.objectsPerState;
      database.use(costs.run / 2, () => database.use(read, () => call(callsPerRun)));
    });
  }
  clock.run();
  ends.sort((left, right) => left - right);
  const lastMs = ends.at(-1) ?? 0;
  const share = (busyMs: number, servers: number): number =>
    lastMs === 0 ? 0 : busyMs / (lastMs * servers);
  const atSites = sites.reduce((sum, site) => sum + site.busyMs(), 0);
  return {
    lastMs,
    medianMs: ends[Math.floor((ends.length - 1) / 2)] ?? 0,
    database: share(database.busyMs(), fleet.databaseServers),
    workers: share(workers.busyMs(), fleet.workers),
    sites: share(atSites, fleet.sites * fleet.callsAtOnce),
    runs: ends.length,
    calls: callsPerRun * fleet.states,
  };
}

/** The fewest workers by which a round ends in time; undefined where no number of them helps. */
export function workersFor(fleet: Fleet, costs: Costs, withinMs: number): number | undefined {
  const isEnough = (workers: number): boolean =>
    simulateRound({ ...fleet, workers }, costs).lastMs <= withinMs;
  if (!isEnough(fleet.states)) return undefined;
  let [tooFew, enough] = [0, fleet.states];
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

type Clock = {
  readonly now: () => number;
  readonly after: (ms: number, work: () => void) => void;
  /** Until nothing is left to be done. */
  readonly run: () => void;
};

function createClock(): Clock {
  const due = createHeap<() => void>();
  let now = 0;
  return {
    now: () => now,
    after: (ms, work) => due.push(now + ms, work),
    run: () => {
      for (let next = due.pop(); next !== undefined; next = due.pop()) {
        now = next.key;
        next.item();
      }
    },
  };
}

type Resource = {
  /** In the order of asking. Whoever has it gives it back. */
  readonly take: (work: (release: () => void) => void) => void;
  /** Has it for so long. */
  readonly use: (ms: number, then: () => void) => void;
  /** Of all servers together. */
  readonly busyMs: () => number;
};

function createResource(clock: Clock, servers: number): Resource {
  const waiting: (() => void)[] = [];
  let first = 0;
  let free = servers;
  let busyMs = 0;
  const begin = (work: (release: () => void) => void): void => {
    const since = clock.now();
    work(() => {
      busyMs += clock.now() - since;
      const next = waiting[first];
      if (next === undefined) {
        free += 1;
        return;
      }
      first += 1;
      // At its own moment, so that no call stands on the stack of another.
      clock.after(0, next);
    });
  };
  const take: Resource["take"] = (work) => {
    if (free === 0) {
      waiting.push(() => begin(work));
      return;
    }
    free -= 1;
    clock.after(0, () => begin(work));
  };
  const use: Resource["use"] = (ms, then) =>
    take((release) =>
      clock.after(ms, () => {
        release();
        then();
      }),
    );
  return { take, use, busyMs: () => busyMs };
}
