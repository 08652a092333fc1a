/**
 * Checks for drift by the clock. pg-boss keeps the schedules and sends what is due; a worker makes
 * a submission of that, unless the one before has not ended yet: who is behind is not sent after.
 */

import type { PgBoss } from "pg-boss";
import { parseJson, stringifyJson } from "../lib/json.ts";
import { plural } from "../lib/text.ts";
import { type Schedule, ScheduleError } from "../model/fleet/submission.ts";
import type { Connection } from "./connection.ts";
import { submissionStatements } from "./submissions.ts";
import { insert, shortId } from "./submitting.ts";

/** As pg-boss knows them. */
export const scheduleQueue = "due";
const queue = scheduleQueue;
const dueAtOnce = 100;

/** Minute, hour, day, month, day of the week. */
const fieldCount = 5;

/** The schedule as text: pg-boss writes its own form of JSON. */
type Due = { readonly schedule: string };

type Schedules = {
  readonly set: (schedule: Schedule) => Promise<void>;
  readonly list: () => Promise<readonly Schedule[]>;
  readonly remove: (state: string) => Promise<boolean>;
  readonly work: () => Promise<{ readonly stopTaking: () => Promise<void> }>;
};

export function createSchedules(connection: Connection, newId: () => string): Schedules {
  const { boss, inTransaction, tables } = connection;
  const statements = submissionStatements(tables);
  const prepare = async (): Promise<void> => {
    if ((await boss.getQueue(queue)) === null) {
      await boss.createQueue(queue, { policy: "exclusive", notify: true, retryLimit: 3 });
    }
  };
  /** One that was submitted already, and has not ended, is left out: so it may be asked again. */
  const submitDue = async (data: Due): Promise<void> => {
    const [schedule] = scheduleIn(data);
    if (schedule === undefined) return;
    const { cron: _cron, zone: _zone, bundle, ...asked } = schedule;
    await inTransaction(async (inside, db) => {
      const [unended] = await inside(statements.unended, [asked.state]);
      if (unended !== undefined) return;
      const of = { asked: { ...asked, kind: "drift" as const }, bundle, scheduled: true };
      await insert(connection, inside, db, { ...of, id: shortId(newId) });
    });
  };
  return {
    set: async (schedule) => {
      await prepare();
      const { state, cron, zone } = schedule;
      requireTimes(boss, cron, zone);
      const due: Due = { schedule: stringifyJson(schedule) };
      await boss.schedule(queue, cron, due, {
        tz: zone,
        key: scheduleKey(state),
        singletonKey: state,
      });
    },
    list: async () => {
      const found = await boss.getSchedules(queue);
      return found.flatMap(({ data }) => scheduleIn(data));
    },
    remove: async (state) => {
      const key = scheduleKey(state);
      const [found] = await boss.getSchedules(queue, key);
      if (found === undefined) return false;
      await boss.unschedule(queue, key);
      return true;
    },
    work: async () => {
      await prepare();
      // Many are due at one minute: each batch of one would wait for the next look.
      const many = { batchSize: dueAtOnce, notifyPollingIntervalSeconds: 2 } as const;
      await boss.work<Due>(queue, many, async (jobs) => {
        for (const { data } of jobs) await submitDue(data);
      });
      return { stopTaking: () => boss.offWork(queue, { wait: false }) };
    },
  };
}

/** Throws `ScheduleError`. */
function requireTimes(boss: PgBoss, cron: string, zone: string): void {
  const count = cron.trim().split(/\s+/).length;
  // The reader of cron fills what is missing from the front: `0 2 * *` is each minute of the 2nd.
  if (count !== fieldCount && !/^@\w+$/.test(cron)) {
    throw new ScheduleError(`it has ${plural(count, "field")}, not ${fieldCount}.`);
  }
  try {
    boss.previewSchedule(cron, { tz: zone, count: 1 });
  } catch (error) {
    throw new ScheduleError(error instanceof Error ? error.message : String(error));
  }
}

/** Names of states may have what a key may not. */
export function scheduleKey(state: string): string {
  return Buffer.from(state, "utf8").toString("hex");
}

function scheduleIn(data: unknown): readonly Schedule[] {
  if (typeof data !== "object" || data === null || !("schedule" in data)) return [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `set`
  return [parseJson(String(data.schedule)) as unknown as Schedule];
}
