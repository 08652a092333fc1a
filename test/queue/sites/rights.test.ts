/**
 * What the role of an agent may do in the database, on a PostgreSQL server of the test's own: take
 * the calls of its own site, and nothing else.
 */

import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBoss, stopBoss } from "../../../src/queue/boss.ts";
import { makeRunQueues } from "../../../src/queue/runs.ts";
import { siteScript } from "../../../src/queue/sites/definitions.ts";
import { openIn } from "../../stores/postgres-place.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../../stores/postgres-server.ts";
import { accessTo, startAgent, startRun, travel } from "./site-place.ts";

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  let client: pg.Client;
  let tables: { readonly own: string; readonly other: string };

  beforeAll(async () => {
    server = await startPostgres();
    const store = openIn(server.url("postgres"));
    await store.lock("apply", 0);
    await store.close();
    const options = { schema: "vmform", supervises: false, onError: () => undefined };
    const boss = await openBoss(accessTo(server), options);
    await makeRunQueues(boss, { schema: "vmform" });
    await server.admin("postgres", "create role agent_a login", "create role agent_b login");
    for (const [site, role] of [
      ["site-a", "agent_a"],
      ["site-b", "agent_b"],
    ] as const) {
      const script = siteScript({ schema: "vmform", site, role });
      // Twice, since nothing may come of the second.
      await server.admin("postgres", script, script);
    }
    await boss.send("site-site-b", { call: "of another" });
    const named = await server.admin(
      "postgres",
      "select name, table_name from vmform_queue.queue where name like 'site-%' order by name",
    );
    const [own, other] = named.map((row) => `vmform_queue.${String(row.table_name)}`);
    tables = { own: own ?? "", other: other ?? "" };
    await stopBoss(boss, 0);
    client = new pg.Client({
      connectionString: server.url("postgres").replace("admin@", "agent_a@"),
    });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await server.remove();
  });

  const codeOf = (statement: string): Promise<string> =>
    client.query(statement).then(
      () => "done",
      (error: unknown) => (error as { readonly code: string }).code,
    );

  test("an agent serves its site by it", async () => {
    const agent = await startAgent(server, {
      site: "site-a",
      user: "agent_a",
      open: async () => ({
        read: async () => [],
        send: async () => ({}),
        version: async () => "5.1",
        close: async () => {},
      }),
    });
    const channel = await startRun(server);
    await expect.poll(() => channel.present("site-a"), { timeout: 20_000 }).toBeDefined();
    expect(await (await travel(channel, "site-a")).version?.()).toBe("5.1");
    await agent.close();
    await channel.close();
  }, 60_000);

  test("it serves no other site", async () => {
    const starting = startAgent(server, {
      site: "site-b",
      user: "agent_a",
      open: () => Promise.reject(new Error("not reached")),
    });
    await expect(starting).rejects.toThrow(/permission denied/);
  });

  const insufficient = "42501";
  const refusals: readonly (readonly [string, () => string])[] = [
    ...["state", "resource", "journal", "lease", "run", "version", "site"].flatMap((table) => [
      [`reads ${table}`, () => `select * from vmform.${table}`] as const,
      [`empties ${table}`, () => `delete from vmform.${table}`] as const,
    ]),
    ["takes a lock from a run", () => "update vmform.state set fence = fence + 1"],
    ["says who is at another site", () => "update vmform.site set agent = 'me'"],
    ["journals", () => "insert into vmform.journal values (1, 1, 1, now(), '{}')"],
    ["reads calls of all sites", () => "select * from vmform_queue.job"],
    ["reads calls of another site", () => `select * from ${tables.other}`],
    ["takes calls of another site", () => `update ${tables.other} set state = 'active'`],
    ["makes calls to another site", () => `insert into ${tables.other} default values`],
    ["makes calls to its own site", () => `insert into ${tables.own} default values`],
    ["deletes calls of its own site", () => `delete from ${tables.own}`],
    ["submits a run", () => "insert into vmform_queue.job_common (name) values ('runs')"],
    ["reads what is submitted", () => "select * from vmform_queue.job_common"],
    ["changes a schedule", () => "delete from vmform_queue.schedule"],
    ["changes a queue", () => "update vmform_queue.queue set retry_limit = 5"],
    [
      "makes a queue",
      () => "select vmform_queue.create_queue('mine', '{\"policy\":\"standard\"}')",
    ],
    ["makes a table", () => "create table vmform.mine (a integer)"],
    ["makes a table beside the queues", () => "create table vmform_queue.mine (a integer)"],
    [
      "puts its function in the place of another",
      () =>
        "create or replace function vmform.fence_of(state integer) returns bigint " +
        "language sql as 'select 1::bigint'",
    ],
  ];

  test.each(refusals)("it is refused when it %s", async (_, statement) => {
    expect(await codeOf(statement())).toBe(insufficient);
  });

  test("it lets no other role in", async () => {
    // Without the right to give it on, the server only warns.
    await client.query(`grant select on ${tables.own} to agent_b`);
    const { rows } = await client.query<{ readonly may: boolean }>(
      `select has_table_privilege('agent_b', '${tables.own}', 'select') as may`,
    );
    expect(rows).toEqual([{ may: false }]);
  });

  test("of another site it learns nothing by the functions that it may call", async () => {
    const entered = await client.query(
      "select * from vmform.site_enter('site-b', 'me', '1', 1, false, 'here', 0)",
    );
    expect(entered.rows).toEqual([]);
    expect(
      await server.admin("postgres", "select agent from vmform.site where name = 'site-b'"),
    ).toEqual([{ agent: null }]);
    const { rows } = await client.query("select vmform.fence_of(1) as fence");
    expect(rows).toEqual([{ fence: "1" }]);
    await server.admin(
      "postgres",
      "update vmform.site set agent = 'there', since = now() where name = 'site-b'",
    );
    const { rows: since } = await client.query("select vmform.site_since('site-b', 'there')");
    expect(since).toEqual([{ site_since: null }]);
  });
});
