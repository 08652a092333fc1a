/** The board on a database: what its pages show of workers' runs, and approvals that workers do. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../src/model/board/board.ts";
import { StoreError } from "../../src/model/recorded/store.ts";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { boardOf } from "./each-place.ts";
import { createFleetPlace } from "./fleet-place.ts";

const all = { offset: 0, limit: 50 };
const ada: Person = { who: "ada", role: "approve", via: "oidc" };

describe.runIf(hasPostgres())("the board", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());

  test("of an empty database has nothing, and says so", async () => {
    const { board } = await boardOf(server.url(await server.createDatabase()));
    expect(await board.states("", all)).toEqual({ rows: [], total: 0 });
    expect(await board.runs({}, all)).toEqual({ rows: [], total: 0 });
    expect(await board.state("web")).toBeUndefined();
    expect(await board.run("x")).toBeUndefined();
    expect(await board.drift("web")).toEqual({ reports: [], found: [] });
    expect(await board.agents()).toEqual([]);
    expect(await board.waiting()).toBe(0);
    expect(await board.audit(all)).toEqual({ rows: [], total: 0 });
    await board.close();
  }, 60_000);

  test("shows runs of workers and approves the plan that was shown", async () => {
    const place = await createFleetPlace(server);
    const { board, errors } = await boardOf(place.url);
    try {
      place.write("  daemon_vm.a: { id: a, power: on }");
      place.worker("first");
      const id = await place.submit("apply");
      await expect.poll(() => board.waiting(), { timeout: 30_000 }).toBe(1);
      const shown = await board.run(id);
      expect(shown).toMatchObject({ id, state: "web", command: "apply", status: "needs-approval" });
      expect(shown?.plan?.operations.length).toBeGreaterThan(0);
      expect(shown?.need?.kinds).toEqual([]);
      expect(shown?.events.length).toBeGreaterThan(0);
      const planId = shown?.need?.planId ?? "";
      expect(await board.approve(id, { planId: "another", kinds: [] }, ada)).toMatchObject({
        done: false,
      });
      expect(await board.waiting()).toBe(1);
      expect(await board.approve(id, { planId, kinds: [] }, ada)).toEqual({ done: true });
      expect(await board.approve(id, { planId, kinds: [] }, ada)).toMatchObject({ done: false });
      await place.watch(0, id);
      expect((await board.run(id))?.approvals).toMatchObject([{ who: "ada@web, by oidc" }]);
      expect((await board.run(id))?.record?.operations.length).toBeGreaterThan(0);
      const audit = await board.audit(all);
      expect(audit.rows).toMatchObject([{ who: "ada", action: "approve", subject: id }]);
      expect(place.mutations().length).toBeGreaterThan(0);
      const { rows } = await board.runs({}, all);
      expect(rows).toMatchObject([{ id, state: "web", status: "done" }]);
      expect((await board.runs({ status: "failed" }, all)).total).toBe(0);
      expect((await board.states("WE", all)).rows).toMatchObject([
        { name: "web", objects: 1, sealed: false, waiting: 0, lastRun: { id } },
      ]);
      await expect.poll(board.agents).toMatchObject([
        {
          ...{ kind: "worker", name: "first", now: "idle", version: "0.1.0" },
          detail: expect.stringMatching(/, Node\.js 22\.12\.0; has 0 of 4 runs$/),
        },
      ]);
      const look = await place.submit("drift");
      await place.watch(0, look);
      expect((await board.drift("web")).reports).toMatchObject([{ objects: 1, found: 0 }]);
      expect(errors).toEqual([]);
    } finally {
      await board.close();
      await place.remove();
    }
  });

  test.runIf(isLongRun)(
    "comes back when the database does, and of two people one approves",
    async () => {
      const place = await createFleetPlace(server);
      const { board } = await boardOf(place.url);
      try {
        place.write("  daemon_vm.a: { id: a, power: on }");
        const worker = place.worker("first");
        const id = await place.submit("apply");
        await place.watch(2, id);
        worker.stop();
        await worker.ended;
        const planId = (await board.run(id))?.planId ?? "";
        // As while a page is open: by then the session is gone.
        await server.stop("immediate");
        await expect(board.run(id)).rejects.toThrow(StoreError);
        await expect(board.approve(id, { planId, kinds: [] }, ada)).rejects.toThrow(StoreError);
        await expect(board.decline(id, planId, ada)).rejects.toThrow(StoreError);
        await server.start();
        expect((await board.run(id))?.status).toBe("needs-approval");
        const people = [ada, { ...ada, who: "bob" }];
        const both = await Promise.all(
          people.map((one) => board.approve(id, { planId, kinds: [] }, one)),
        );
        expect(both.filter(({ done }) => done)).toHaveLength(1);
        expect((await board.run(id))?.approvals).toHaveLength(1);
        expect((await board.audit(all)).rows).toHaveLength(1);
      } finally {
        await board.close();
        await place.remove();
      }
    },
  );
});
