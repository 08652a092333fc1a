/**
 * A run that a worker has is stopped by somebody's wish: what has begun ends, nothing else begins,
 * and who wanted it is told wherever the run is. Where its worker is dead, the next one sees the
 * wish, looks at what was begun, and does not go on.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Board } from "../../src/model/board/board.ts";
import { isLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { hasPostgres } from "../stores/postgres-server.ts";
import { boardOf, eachPlace } from "./each-place.ts";
import { findNode22 } from "./node22.ts";

/** One after another, each long enough to be met. */
const world = { daemon: { durations_ms: { create: 300, clone: 600, power_on: 600 } } };
const estate = ["base", "a", "b", "c"]
  .map((id, at, all) => {
    const parent = at === 0 ? "power: off" : 'parent_id: "${daemon_vm.base.id}", power: on';
    const after = at < 2 ? "" : `, depends_on: [daemon_vm.${all[at - 1]}]`;
    return `  daemon_vm.${id}: { id: ${id}, ${parent}${after} }`;
  })
  .join("\n");
const node = findNode22();

describe.runIf(hasPostgres())("with a server", () => {
  const processes = new Set<ChildProcess>();
  const its = eachPlace(estate, world);
  let board: Board;
  beforeEach(async () => {
    ({ board } = await boardOf(its.place.url));
  });
  afterEach(async () => {
    for (const one of processes) one.kill("SIGKILL");
    await board.close();
  });

  const effects = (): readonly string[] =>
    its.place
      .mutations()
      .filter(({ effect }) => effect)
      .map(({ method, path, body }) => `${method} ${path} ${body}`);
  const begun = (): Promise<void> =>
    expect.poll(() => effects().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
  /** The rest is done by the next run, and nothing twice. */
  const goOn = async (): Promise<void> => {
    await its.place.watch(0, await its.place.submit("apply", "--auto-approve"));
    await its.place.run(0, "plan", "--detailed-exitcode");
    const all = effects();
    expect(new Set(all).size).toBe(all.length);
  };

  test("a run that a worker has is stopped, and its worker goes on with others", async () => {
    its.place.worker("one");
    const id = await its.place.submit("apply", "--auto-approve");
    await begun();
    expect(await board.run(id)).toMatchObject({ status: "running", mayCancel: true });
    const told = await its.place.run(1, "cancel", id, "--watch");
    expect(told.stderr + told.stdout).toMatch(
      /ann@desk asked to stop it at [^\n]*: what has begun ends[^]*cancelled\. Cancelled by ann@desk\. Apply was interrupted\. Resources: [1-3] added[^\n]* not finished\./,
    );
    expect(await board.run(id)).toMatchObject({
      status: "cancelled",
      mayCancel: false,
      cancellation: { who: "ann@desk" },
    });
    expect((await its.place.run(0, "runs", "show", id)).stdout).toMatch(
      /outcome: interrupted[^]*ann@desk asked to stop it at/,
    );
    expect((await its.place.run(1, "cancel", id)).stderr).toContain("has ended by now: cancelled");
    if (isLongRun) await goOn();
  });

  test.runIf(isLongRun)("by its page, while it is planned: nothing is begun", async () => {
    // Else it has been planned before anybody could want that.
    its.place.simulators.setFaults({
      faults: [{ on: "GET /api/vms", times: "always", hang: "before" }],
    });
    its.place.worker("one");
    const id = await its.place.submit("apply");
    const asked = (): number => its.place.simulators.log().length;
    await expect.poll(asked, { timeout: 60_000 }).toBeGreaterThan(0);
    expect((await board.run(id))?.status).toBe("running");
    const deed = await board.cancel(id, "", { who: "ada", role: "operate", via: "oidc" });
    expect(deed).toMatchObject({ done: true, told: expect.stringContaining("was asked") });
    expect(await its.place.watch(1, id)).toMatch(/cancelled\. Cancelled by ada@web, by oidc/);
    expect(effects()).toEqual([]);
    expect((await board.audit({ offset: 0, limit: 9 })).rows).toMatchObject([
      { action: "cancel", subject: id, detail: "asked its worker to stop it" },
    ]);
    its.place.simulators.setFaults(undefined);
    await goOn();
  });

  test.runIf(isLongRun && node !== undefined)(
    "a run whose worker is dead is looked at, and not gone on with",
    async () => {
      const words = ["--database", its.place.url, "--name", "lost", "--heartbeat", "10s"];
      const { main } = buildProgram();
      const worker = spawn(node ?? "", [main, "worker", ...words], { stdio: "ignore" });
      processes.add(worker);
      const id = await its.place.submit("apply", "--auto-approve");
      await begun();
      worker.kill("SIGKILL");
      const done = effects();
      expect((await its.place.run(0, "cancel", id)).stdout).toContain("was asked to stop it");
      its.place.worker("next");
      expect(await its.place.watch(1, id)).toMatch(
        /cancelled\. Cancelled by ann@desk\. Nothing more was begun\. Plan: /,
      );
      expect(effects()).toEqual(done);
      // What was begun is closed by reading.
      expect((await its.place.run(0, "plan")).stdout).not.toContain("left operations open");
      await goOn();
    },
    120_000,
  );
});
