/** The queue of runs on a PostgreSQL server of the test's own. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bossSchema, openBoss, stopBoss } from "../../src/queue/boss.ts";
import { makeRunQueues, sendRun, workRuns } from "../../src/queue/runs.ts";
import type { Access } from "../../src/store/postgres/session.ts";
import { targetOf } from "../../src/store/postgres/target.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";

test.each([
  ["vmform", "vmform_queue"],
  ["infra_2", "infra_2_queue"],
  ["Ünï code", "vmform_d67f4e1f3a4a4f2b_queue"],
])("the schema beside %s is %s", (schema, expected) => {
  const made = bossSchema(schema);
  expect(made.length).toBe(expected.length);
  expect(made).toMatch(/^[a-z0-9_]{1,50}$/);
});

test("a database that is not there is told as for any store", async () => {
  const target = targetOf({ url: "postgres://nobody@127.0.0.1:1/none" }, {}, "nobody");
  const access: Access = { target, password: undefined, tls: {}, applicationName: "vmform test" };
  const opening = openBoss(access, { schema: "vmform", supervises: false, onError: () => {} });
  await expect(opening).rejects.toMatchObject({ name: "StoreError", code: "STO040" });
});

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());

  async function open(errors: Error[]) {
    const access: Access = {
      target: targetOf({ url: server.url("postgres") }, {}, "nobody"),
      password: undefined,
      tls: {},
      applicationName: "vmform test",
    };
    const onError = (error: Error): void => {
      errors.push(error);
    };
    return openBoss(access, { schema: "vmform", supervises: true, onError });
  }

  test("runs of one state are one at a time and in order, others beside them", async () => {
    const errors: Error[] = [];
    const boss = await open(errors);
    const other = await open(errors);
    await makeRunQueues(boss, { schema: "vmform" });
    await makeRunQueues(other, { schema: "vmform" });
    const active = new Map<string, number>();
    const done: string[] = [];
    let most = 0;
    let begun = (): void => undefined;
    const otherBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const run = async (submission: string): Promise<void> => {
      const [state = ""] = submission.split("-");
      active.set(state, (active.get(state) ?? 0) + 1);
      most = Math.max(most, active.get(state) ?? 0);
      // That states do not wait for each other is seen by one that would wait for ever.
      if (submission === "b-1") begun();
      if (submission === "a-1") await otherBegun;
      await sleep(20);
      active.set(state, (active.get(state) ?? 0) - 1);
      done.push(submission);
    };
    const lost = (): Promise<void> => Promise.reject(new Error("none is lost"));
    for (const each of [boss, other]) await workRuns(each, { run, lost }, { atOnce: 2 });
    const sent = ["a-1", "b-1", "a-2", "b-2", "a-3", "b-3"];
    for (const submission of sent) {
      await sendRun(boss, submission, { state: submission.slice(0, 1) });
    }
    await expect.poll(() => done.length, { timeout: 30_000 }).toBe(sent.length);
    expect(most).toBe(1);
    expect(done.filter((one) => one.startsWith("a"))).toEqual(["a-1", "a-2", "a-3"]);
    await stopBoss(other, 5000);
    await stopBoss(boss, 5000);
    expect(errors).toEqual([]);
  }, 60_000);
});
