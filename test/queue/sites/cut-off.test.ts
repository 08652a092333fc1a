/**
 * Sessions of a database are ended again and again while calls travel by it: each call ends, and
 * what is told of a change is what became of it.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RemoteError } from "../../../src/model/operation/remote-error.ts";
import { onlyInLongRun } from "../../helpers/amount.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../../stores/postgres-server.ts";
import { operation } from "../../unit/providers/daemon/daemon-server.ts";
import { startAgent, startRun, travel } from "./site-place.ts";

/** So many at least, and so many sessions are ended meanwhile. */
const [calls, cutsMin] = [150, 60];
const lanes = 6;

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());

  test("each change is made once or not at all, as is told", onlyInLongRun, async () => {
    const sent: string[] = [];
    const agent = await startAgent(server, {
      site: "site-a",
      open: async () => ({
        read: async () => [],
        send: async ({ subject }) => {
          sent.push(subject.identity);
          await sleep(5);
          return {};
        },
        version: async () => "5.1",
        close: async () => {},
      }),
    });
    const channel = await startRun(server);
    await expect.poll(() => channel.present("site-a"), { timeout: 20_000 }).toBeDefined();
    const there = await travel(channel, "site-a", 60_000);
    const told = new Map<string, "done" | "none" | "unknown">();
    const cuts: unknown[] = [];
    const outcomes = (): readonly string[] => [...told.values()];
    const isMore = (): boolean =>
      told.size < calls || cuts.length < cutsMin || !outcomes().includes("done");
    const lane = async (): Promise<void> => {
      while (isMore()) {
        const name = String(told.size);
        // Others of the lane see that it is given.
        told.set(name, "unknown");
        told.set(name, await outcomeOf(there.send(operation("on", name), Date.now() + 60_000)));
        await there.version?.().catch(onlyUnavailable);
      }
    };
    const over = new AbortController();
    const cutting = async (): Promise<void> => {
      while (!over.signal.aborted) {
        // One of them, wherever it is: those of runs, of the agent, its lock, its listener.
        const [cut] = await server.admin(
          "postgres",
          `select pg_terminate_backend(pid) from pg_stat_activity
            where backend_type = 'client backend' and pid <> pg_backend_pid()
            order by random() limit 1`,
        );
        if (cut !== undefined) cuts.push(cut);
        // Slower than an agent finds its place again.
        await sleep(Math.random() * 800);
      }
    };
    const cut = cutting();
    await Promise.all(Array.from({ length: lanes }, lane));
    over.abort();
    await cut;
    await agent.close();
    await channel.close();
    const counts = ["done", "none", "unknown"].map(
      (one) => `${outcomes().filter((outcome) => outcome === one).length} ${one}`,
    );
    console.info(`${cuts.length} sessions were ended; of changes: ${counts.join(", ")}`);
    const wrong = [...told].filter(([name, outcome]) => {
      const times = sent.filter((one) => one === name).length;
      return times > 1 || (outcome === "done" && times === 0) || (outcome === "none" && times > 0);
    });
    expect(wrong).toEqual([]);
  });
});

async function outcomeOf(sending: Promise<unknown>): Promise<"done" | "none" | "unknown"> {
  try {
    await sending;
    return "done";
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return error.effect;
  }
}

function onlyUnavailable(error: unknown): void {
  if (!(error instanceof RemoteError) || error.effect !== "none") throw error;
}
