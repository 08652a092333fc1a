/**
 * Three hundred states whose drift is looked for each minute, by four workers: no state is worked at
 * by two at once, and none is left behind. What a run does is left out here; the clock is real.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Fleet, WorkerFleet } from "../../src/model/fleet/fleet.ts";
import { openFleet, openWorkerFleet } from "../../src/queue/fleet.ts";
import { targetOf } from "../../src/store/postgres/target.ts";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, startPostgres } from "../stores/postgres-server.ts";

const states = Array.from({ length: 300 }, (_, index) => `site-${index % 50}/state ${index}`);
const workers = ["one", "two", "three", "four"];
const nothing = {
  ...{ workspace: "default", variables: [], variableFiles: [], targets: [], excludes: [] },
  ...{ replace: [], allowed: [], autoApprove: false },
} as const;

/** Which runs of a state there are, and how many of them at once at most. */
type Seen = { active: number; most: number; ended: number };

test.runIf(hasPostgres() && isLongRun)(
  "none twice at once, none starved",
  async () => {
    const server = await startPostgres();
    const errors: Error[] = [];
    const options = {
      access: {
        target: targetOf({ url: server.url("postgres") }, {}, "nobody"),
        ...{ password: undefined, tls: {}, applicationName: "vmform test" },
      },
      ...{ location: "the test", schema: "vmform", newId: randomUUID },
      onError: (error: Error) => void errors.push(error),
    };
    const fleet = await openFleet({ ...options, supervises: false });
    const fleets: WorkerFleet[] = [];
    try {
      await schedule(fleet);
      const seen = new Map<string, Seen>();
      for (const name of workers) {
        const one = await openWorkerFleet({
          ...{ ...options, version: "0.1.0", supervises: true, sessionsMax: 6 },
        });
        fleets.push(one);
        const work = { run: (id: string) => run(one, id, name, seen), restored: () => {} };
        await one.work(work, { name, host: "here", node: "v22.12.0", atOnce: 4 });
      }
      const rounds = () => Math.min(...states.map((state) => seen.get(state)?.ended ?? 0));
      const untilMs = Date.now() + 5 * 60_000;
      while (rounds() < 2 && Date.now() < untilMs) await sleep(500);
      expect(rounds()).toBeGreaterThanOrEqual(2);
      expect(Math.max(...[...seen.values()].map(({ most }) => most))).toBe(1);
      // Whoever is behind is left out, and caught up with: nobody gets far ahead.
      expect(Math.max(...[...seen.values()].map(({ ended }) => ended))).toBeLessThanOrEqual(4);
      expect(errors).toEqual([]);
    } finally {
      await Promise.all([...fleets, fleet].map((one) => one.close()));
      await server.remove();
    }
  },
  600_000,
);

async function schedule(fleet: Fleet): Promise<void> {
  const bundle = { sha256: "0".repeat(64), bytes: new Uint8Array([1]) };
  for (const state of states) {
    const every = { cron: "* * * * *", zone: "UTC" };
    const asked = { state, who: "ann", host: "desk", options: nothing, version: "0.1.0" };
    await fleet.schedule({ ...asked, ...every }, bundle);
  }
}

async function run(
  fleet: WorkerFleet,
  id: string,
  worker: string,
  all: Map<string, Seen>,
): Promise<void> {
  const taken = await fleet.take(id, worker);
  if (taken === undefined) return;
  const seen = all.get(taken.state) ?? { active: 0, most: 0, ended: 0 };
  all.set(taken.state, seen);
  seen.active += 1;
  seen.most = Math.max(seen.most, seen.active);
  await sleep(20 + (Number.parseInt(id, 16) % 60));
  seen.active -= 1;
  seen.ended += 1;
  await fleet.end(taken, { status: "done", exitCode: 0, detail: "no drift" });
}
