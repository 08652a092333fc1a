/** Calls by way of a PostgreSQL server of the test's own, with the agent in this process. */

import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RemoteError } from "../../../src/model/operation/remote-error.ts";
import type { ProviderSession } from "../../../src/model/provider/provider.ts";
import type { RunEnd } from "../../../src/queue/sites/run-end.ts";
import { ChannelError } from "../../../src/sites/call.ts";
import { decode, encode } from "../../../src/sites/codec.ts";
import { amount, isLongRun } from "../../helpers/amount.ts";
import { realClock } from "../../helpers/program.ts";
import { openIn } from "../../stores/postgres-place.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../../stores/postgres-server.ts";
import { operation } from "../../unit/providers/daemon/daemon-server.ts";
import { offerSend, type RunningAgent, startAgent, startRun, travel } from "./site-place.ts";

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  const closers: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });
  afterAll(() => server.remove());

  function session(parts: Partial<ProviderSession> = {}): ProviderSession {
    return {
      read: async (wanted) => wanted.map(() => ({ status: "missing", proof: "gone" })),
      send: async () => ({}),
      close: async () => {},
      ...parts,
    };
  }

  async function agent(site: string, parts: Partial<ProviderSession>): Promise<RunningAgent> {
    const started = await startAgent(server, { site, open: async () => session(parts) });
    closers.push(started.close);
    return started;
  }

  async function run(options: Parameters<typeof startRun>[1] = {}): Promise<RunEnd> {
    const started = await startRun(server, options);
    closers.push(started.close);
    return started;
  }

  async function errorOf(work: Promise<unknown>): Promise<RemoteError> {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error instanceof RemoteError) return error;
    throw new Error(`it did not fail as expected: ${String(error)}`);
  }

  const present = (channel: RunEnd, site: string) =>
    expect.poll(() => channel.present(site), { timeout: 20_000 });

  test("a call is done at the site and answered, with any text", async () => {
    const text = "\u0000 \ud800 ' \\ ü";
    const version = async () => text;
    await agent("site-a", { version });
    const channel = await run();
    await present(channel, "site-a").toMatchObject({ version: "0.1.0", readOnly: false });
    const there = await travel(channel, "site-a");
    expect(await there.version?.()).toBe(text);
    const rows = await server.admin(
      "postgres",
      "select count(*)::integer as left from vmform_queue.job where name = 'site-site-a'",
    );
    expect(rows).toEqual([{ left: 0 }]);
  }, 30_000);

  test.runIf(isLongRun)(
    "hundreds of calls at once, and large ones, are all answered",
    async () => {
      const large = "é\\\u0000".repeat(amount(10_000, 1_000_000));
      let underWay = 0;
      let most = 0;
      await agent("site-a", {
        readData: async (_, { nth = null }) => {
          underWay += 1;
          most = Math.max(most, underWay);
          await realClock.sleep(5);
          underWay -= 1;
          return { nth, large: nth === 0 ? large : "" };
        },
      });
      const channel = await run();
      await present(channel, "site-a").toBeDefined();
      const there = await travel(channel, "site-a");
      const numbers = Array.from({ length: amount(20, 200) }, (_, nth) => nth);
      const answers = await Promise.all(
        numbers.map(async (nth) => there.readData?.("t", { nth, large: nth === 1 ? large : "" })),
      );
      expect(answers.map((answer) => answer?.["nth"])).toEqual(numbers);
      expect(answers[0]?.["large"] === large).toBe(true);
      expect(most).toBeLessThanOrEqual(8);
    },
    120_000,
  );

  test("a call that never came is kept out, and one that was withdrawn stays so", async () => {
    const sent: string[] = [];
    await agent("site-f", {
      send: async ({ id }) => {
        sent.push(id);
        return {};
      },
    });
    const channel = await run();
    await present(channel, "site-f").toBeDefined();
    const id = randomUUID();
    expect(await channel.withdraw("site-f", id, false)).toBe("never-taken");
    // Its reply may be lost as well.
    expect(await channel.withdraw("site-f", id, false)).toBe("never-taken");
    await expect(channel.offer("site-f", id, "{}")).rejects.toMatchObject({ offered: true });
    expect(await channel.answer("site-f", id, amount(500, 3_000))).toBeUndefined();
    expect(sent).toEqual([]);
    const cutOff = { ...channel, offer: () => Promise.reject(new ChannelError("cut off", true)) };
    const there = await travel(channel, "site-f");
    const cut = await travel(cutOff, "site-f").catch((error: unknown) => error);
    expect(cut).toMatchObject({ kind: "unavailable", effect: "none" });
    await there.send(operation("on", "a"), Date.now() + 60_000, { planId: "p", tries: 1 });
    expect(sent).toHaveLength(1);
  }, 60_000);

  test.runIf(isLongRun)(
    "a call that never came to the agent it was taken for is told",
    async () => {
      const sent: string[] = [];
      await agent("site-g", {
        send: async ({ id }) => {
          sent.push(id);
          return {};
        },
      });
      const channel = await run();
      await present(channel, "site-g").toBeDefined();
      const take = async (id: string, startedOn: string): Promise<void> => {
        await server.admin(
          "postgres",
          `insert into vmform_queue.job (id, name, data, state, started_on)
          values ('${id}', 'site-site-g', '{"call":""}', 'active', ${startedOn})`,
        );
      };
      const [lost, ofAnother] = [randomUUID(), randomUUID()];
      await take(lost, "clock_timestamp()");
      await take(ofAnother, "clock_timestamp() - interval '1 hour'");
      const answer = await channel.answer("site-g", lost, 60_000);
      expect(decode(answer ?? "")).toMatchObject({ status: "refused", reason: "lost" });
      expect(await channel.answer("site-g", ofAnother, 1_000)).toBeUndefined();
      expect(sent).toEqual([]);
    },
    120_000,
  );

  test.runIf(isLongRun)(
    "what was sent while the database was away is never told as lost",
    async () => {
      const sent: string[] = [];
      let send = (): void => {};
      const isSent = new Promise<void>((resolve) => (send = resolve));
      await agent("site-h", {
        send: async ({ id }) => {
          sent.push(id);
          await isSent;
          return { message: "done" };
        },
      });
      const channel = await run();
      await present(channel, "site-h").toBeDefined();
      const id = await offerSend(channel, "site-h", "a");
      await expect.poll(() => sent).toHaveLength(1);
      await server.stop("immediate");
      send();
      // For longer than until a call counts as lost.
      await realClock.sleep(17_000);
      await server.start();
      const answer = async () =>
        decode((await channel.answer("site-h", id, 1).catch(() => undefined)) ?? encode(null));
      await expect
        .poll(answer, { timeout: 60_000 })
        .toMatchObject({ status: "done", value: { message: "done" } });
      expect(sent).toHaveLength(1);
    },
    300_000,
  );

  test("calls that nobody waits for any more are removed by the next run", async () => {
    await agent("site-c", { version: async () => "1" });
    const channel = await run();
    await present(channel, "site-c").toBeDefined();
    const there = await travel(channel, "site-c");
    const left = ["long ago", "just now"].map(() => randomUUID());
    for (const id of left) await channel.offer("site-c", id, "{}");
    await server.admin(
      "postgres",
      `update vmform_queue.job set created_on = now() - interval '4 hours' where id = '${left[0]}'`,
    );
    expect(await there.version?.()).toBe("1");
    await closers.pop()?.();
    const rows = await server.admin(
      "postgres",
      "select id::text from vmform_queue.job where name = 'site-site-c'",
    );
    expect(rows.map(({ id }) => id)).toEqual([left[1]]);
  }, 30_000);

  test("a change is done under the lock of its run, and not when that is another's", async () => {
    const sent: string[] = [];
    await agent("site-a", {
      send: async ({ id }) => {
        sent.push(id);
        return {};
      },
    });
    const store = openIn(server.url("postgres"));
    const fence = await store.lock("apply", 0);
    const channel = await run({ lockId: fence.lockId });
    await present(channel, "site-a").toBeDefined();
    const there = await travel(channel, "site-a");
    await there.send(operation("on", "a"), Date.now() + 60_000);
    expect(sent).toHaveLength(1);
    await store.unlock(fence);
    const next = openIn(server.url("postgres"));
    await next.lock("apply", 0);
    const error = await errorOf(there.send(operation("on", "a"), Date.now() + 60_000));
    expect(error).toMatchObject({ effect: "none" });
    expect(error.message).toContain("no longer has the lock");
    expect(sent).toHaveLength(1);
    await store.close();
    await next.close();
  }, 30_000);

  test("an agent takes over from one that ends; a site without one is known as such", async () => {
    const one = await agent("site-b", { version: async () => "one" });
    const channel = await run();
    await present(channel, "site-b").toBeDefined();
    const other = await agent("site-b", { version: async () => "other" });
    await expect
      .poll(() => other.news, { timeout: 20_000 })
      .toContainEqual({ kind: "standing by" });
    const there = await travel(channel, "site-b");
    expect(await there.version?.()).toBe("one");
    await one.close();
    await expect.poll(() => other.news, { timeout: 20_000 }).toContainEqual({ kind: "taking" });
    expect(await there.version?.()).toBe("other");
    await other.close();
    expect(await channel.present("site-b")).toBeUndefined();
    expect(await channel.present("site-of-nobody")).toBeUndefined();
    expect((await errorOf(travel(channel, "site-b"))).message).toContain("no agent of the site");
  }, 40_000);
});
