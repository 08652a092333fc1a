/**
 * A database that is restored from a backup while a worker goes on: what was done since is there as
 * if it waited. The worker notices, nobody takes anything, and nothing is sent twice.
 */

import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, type PostgresServer } from "../stores/postgres-server.ts";
import { eachPlace } from "./each-place.ts";

describe.runIf(isLongRun && hasPostgres())("with a server", () => {
  const its = eachPlace("  daemon_vm.a: { id: a, power: on }");

  test("a plan that was approved and applied is not applied once more", async () => {
    const { place, server } = its;
    const planner = place.worker("planner");
    const id = await place.submit("apply");
    const shown = await place.watch(2, id);
    planner.stop();
    await planner.ended;
    await place.approve(shown);
    await backUp(server);
    const worker = place.worker("one");
    expect(await place.watch(0, id)).toContain("1 added");
    const sent = place.mutations();
    expect(sent.length).toBeGreaterThan(0);
    await restore(server);
    const { code, stderr } = await worker.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("was restored from a backup, as one on");
    expect((await place.run(0, "runs", "--submitted")).stdout).toContain("waits for a worker");
    // Whoever starts it again is told the same, and how to go on.
    const again = await place.worker("two").ended;
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("vmform worker --restored");
    const settled = await place.worker("three", "0.1.0", "--restored").ended;
    expect(settled.stdout + settled.stderr).toContain("Ended what was unfinished: 1 run.");
    place.worker("four");
    expect(await place.watch(1, id)).toContain("interrupted. The database was restored");
    // What is there is told by the next plan, and not made once more.
    expect(await place.watch(1, await place.submit("plan"))).toContain("PLN002");
    expect(place.mutations()).toEqual(sent);
  }, 120_000);
});

async function backUp(server: PostgresServer): Promise<void> {
  await server.stop("fast");
  execFileSync("cp", ["-a", data(server), `${data(server)}-backup`]);
  await server.start();
}

async function restore(server: PostgresServer): Promise<void> {
  await server.stop("immediate");
  renameSync(data(server), `${data(server)}-lost`);
  renameSync(`${data(server)}-backup`, data(server));
  await server.start();
}

/** Its socket stands in the folder of all that is the server's. */
function data({ socket }: PostgresServer): string {
  return join(socket, "data");
}
