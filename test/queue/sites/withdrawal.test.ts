/**
 * Calls that are withdrawn while an agent takes them, on a PostgreSQL server of the test's own: each
 * is either taken and done once, or proved to be never sent.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decode } from "../../../src/sites/codec.ts";
import { amount } from "../../helpers/amount.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../../stores/postgres-server.ts";
import { offerSend, startAgent, startRun } from "./site-place.ts";

const calls = amount(60, 1_000);
/** Side by side, so that the agent is busy and calls lie there. */
const lanes = 24;

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());

  test(`of ${calls} calls none is sent twice, and none lost`, async () => {
    const sent: string[] = [];
    const agent = await startAgent(server, {
      site: "site-a",
      open: async () => ({
        read: async () => [],
        send: async ({ subject }) => {
          sent.push(subject.identity);
          await sleep(Math.random() * 40);
          return { message: subject.identity };
        },
        close: async () => {},
      }),
    });
    const channel = await startRun(server);
    await expect.poll(() => channel.present("site-a"), { timeout: 20_000 }).toBeDefined();
    const unsent: string[] = [];
    const answered: string[] = [];
    const numbers = Array.from({ length: calls }, (_, number) => String(number));
    const lane = async (): Promise<void> => {
      for (let name = numbers.pop(); name !== undefined; name = numbers.pop()) {
        const id = await offerSend(channel, "site-a", name);
        await sleep(Math.random() * 30);
        if ((await channel.withdraw("site-a", id, true)) === "never-taken") {
          unsent.push(name);
          continue;
        }
        const answer = await channel.answer("site-a", id, 60_000);
        expect(decode(answer ?? "")).toMatchObject({ status: "done", value: { message: name } });
        answered.push(name);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    await agent.close();
    await channel.close();
    expect(sent.toSorted()).toEqual(answered.toSorted());
    expect(new Set([...unsent, ...sent]).size).toBe(calls);
    expect(unsent.length + sent.length).toBe(calls);
    // Both happen, or nothing was raced.
    expect(unsent.length).toBeGreaterThan(0);
    expect(sent.length).toBeGreaterThan(0);
  }, 240_000);
});
