/** What is removed of runs that have ended long ago, and what never is. */

import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NewSubmission, SubmissionKind } from "../../src/model/fleet/submission.ts";
import { openFleet, openWorkerFleet } from "../../src/queue/fleet.ts";
import { targetOf } from "../../src/store/postgres/target.ts";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";

const options = {
  ...{ workspace: "default", variables: [], variableFiles: [], targets: [], excludes: [] },
  ...{ replace: [], allowed: [], autoApprove: false },
};
const bundleOf = (letter: string) => ({ sha256: letter.repeat(64), bytes: new Uint8Array([1]) });
const asked = (kind: SubmissionKind, letter: string): NewSubmission => ({
  ...{ state: "web", kind, who: "ann", host: "desk", options, version: "0.1.0" },
  bundle: bundleOf(letter),
});

/** When the queue was looked at last. */
async function monitored(
  admin: (text: string) => Promise<readonly { readonly [column: string]: unknown }[]>,
): Promise<string> {
  const [row] = await admin("select monitor_on::text from vmform_queue.queue where name = 'runs'");
  return String(row?.["monitor_on"]);
}

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());

  async function open(supervises = false) {
    const database = await server.createDatabase();
    const url = server.url(database);
    const access = {
      ...{ target: targetOf({ url }, {}, "nobody"), password: undefined, tls: {} },
      applicationName: "vmform test",
    };
    const common = {
      ...{ access, location: "the test", schema: "vmform", newId: randomUUID },
      onError: () => undefined,
    };
    const fleet = await openFleet({ ...common, supervises: false });
    const worker = await openWorkerFleet({ ...common, version: "0.1.0", supervises });
    const admin = (...statements: readonly string[]) => server.admin(database, ...statements);
    const close = async () => {
      await worker.close();
      await fleet.close();
    };
    return { fleet, worker, admin, close };
  }

  test("the old goes, with what it has said; what somebody needs stays", async () => {
    const { fleet, worker, admin, close } = await open();
    const ended = async (
      kind: SubmissionKind,
      letter: string,
      days: number,
      status: "done" | "failed" | "needs_approval",
    ): Promise<string> => {
      const { id } = await fleet.submit(asked(kind, letter));
      const taken = await worker.take(id, "one");
      if (taken === undefined) throw new Error("it was not taken");
      await worker.tell(taken, [`{"of":"${id}"}`]);
      await worker.end(taken, { status, detail: "" });
      await admin(
        `update vmform.submission set ended_at = now() - interval '${days} days' where id = '${id}'`,
      );
      return id;
    };
    const gone = [
      await ended("drift", "a", 400, "done"),
      await ended("drift", "b", 300, "failed"),
      await ended("apply", "c", 200, "done"),
    ];
    const kept = [
      // The last report of drift, and the check after it that failed.
      await ended("drift", "d", 150, "done"),
      await ended("drift", "e", 140, "failed"),
      await ended("apply", "f", 120, "needs_approval"),
      await ended("apply", "0", 100, "done"),
      await ended("drift", "1", 1, "failed"),
    ];
    // One more in between, which neither is the last nor was done.
    gone.push(kept.splice(1, 1)[0] ?? "");
    const { id: waiting } = await fleet.submit(asked("plan", "2"));
    kept.push(waiting);
    await fleet.schedule({ ...asked("drift", "3"), cron: "0 0 * * *", zone: "UTC" }, bundleOf("3"));
    await fleet.schedule({ ...asked("drift", "4"), cron: "0 1 * * *", zone: "UTC" }, bundleOf("4"));
    await admin("update vmform.bundle set packed_at = now() - interval '500 days'");

    expect(await worker.prune(90 * 24 * 3_600_000)).toEqual({ runs: 4, configurations: 5 });
    const left = (await fleet.list(100)).map(({ id }) => id);
    expect(left.toSorted()).toEqual(kept.toSorted());
    for (const id of gone) expect(await fleet.events(id, "0")).toEqual([]);
    const bundles = await admin("select left(sha256, 1) as letter from vmform.bundle order by 1");
    // That of the schedule of now as well; the one before it is needed by nobody.
    expect(bundles.map(({ letter }) => letter).join("")).toBe("0124df");
    expect(await worker.prune(90 * 24 * 3_600_000)).toEqual({ runs: 0, configurations: 0 });
    // Packed long ago and handed over again, it is needed from now on.
    await admin("update vmform.bundle set packed_at = now() - interval '500 days'");
    await fleet.submit(asked("plan", "4"));
    expect(await worker.prune(3_600_000)).toMatchObject({ configurations: 0 });
    await close();
  });

  test("a run of more than a day is not given up while it is alive", async () => {
    const { fleet, admin, close } = await open();
    const { id } = await fleet.submit(asked("apply", "a"));
    const [job] = await admin(
      `select expire_seconds from vmform_queue.job where data->>'submission' = '${id}'`,
    );
    expect(Number(job?.["expire_seconds"])).toBe(24 * 24 * 3600);
    // What a timer of Node.js can wait for.
    expect(Number(job?.["expire_seconds"]) * 1000).toBeLessThan(2 ** 31);
    await close();
  });

  test.runIf(isLongRun)("nor when whoever supervises looks at it", async () => {
    const { fleet, worker, admin, close } = await open(true);
    const { id } = await fleet.submit(asked("apply", "a"));
    const news = new EventEmitter();
    const begun = once(news, "begun") as Promise<[AbortSignal]>;
    await worker.work(
      {
        run: async (_, lost) => {
          const ending = once(news, "end");
          news.emit("begun", lost);
          await ending;
        },
        restored: () => {},
      },
      { name: "one", host: "here", node: "v22.12.0", atOnce: 1 },
    );
    const [lost] = await begun;
    const of = `from vmform_queue.job where data->>'submission' = '${id}'`;
    await admin(
      `update vmform_queue.job set started_on = now() - interval '30 hours'
        where data->>'submission' = '${id}'`,
    );
    const before = await monitored(admin);
    await expect.poll(() => monitored(admin), { timeout: 60_000 }).not.toBe(before);
    const then = await monitored(admin);
    await expect.poll(() => monitored(admin), { timeout: 60_000 }).not.toBe(then);
    const [job] = await admin(`select state ${of}`);
    expect(job?.["state"]).toBe("active");
    expect(lost.aborted).toBe(false);
    news.emit("end");
    await close();
  });
});
