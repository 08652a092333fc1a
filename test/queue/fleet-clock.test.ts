/** Drift by the clock, workers that are asked to stop, and what is refused at the door. */

import { describe, expect, test } from "vitest";
import { requireNode } from "../../src/cli/fleet/node-version.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { hasPostgres, type PostgresServer } from "../stores/postgres-server.ts";
import { eachPlace } from "./each-place.ts";
import type { FleetPlace } from "./fleet-place.ts";

test.each([
  ["v20.20.2", true],
  ["v22.11.0", true],
  ["v22.12.0", false],
  ["v26.0.0", false],
])("Node.js %s is refused: %s", (nodeVersion, refused) => {
  const system = { nodeVersion, home: "/", proxyOf: () => undefined };
  const probe = { system: { ...system, folderProblem: () => Promise.resolve(undefined) } };
  const check = (): void => requireNode(probe, "vmform worker");
  if (refused) expect(check).toThrow(/needs Node\.js 22\.12 or newer, and this is v2\d/);
  else expect(check).not.toThrow();
});

const limits = "timeouts: { create: 5s, power: 5s }";
const vms = ["a", "b"]
  .map((id) => `  daemon_vm.${id}: { id: ${id}, power: on, ${limits} }`)
  .join("\n");

describe.runIf(hasPostgres())("with a server", () => {
  const its = eachPlace(vms, { daemon: { durations_ms: { create: 300, power_on: 300 } } });

  const submitted = async (): Promise<readonly string[]> => {
    const { stdout } = await its.place.run(0, "runs", "--submitted");
    return stdout.split("\n").filter((line) => line.includes(" of web: "));
  };

  test(
    "what is due becomes a check for drift, but not while one has not ended",
    onlyInLongRun,
    async () => {
      await its.place.run(0, "schedule", "drift", "web", "0 0 29 2 *", "--zone", "Europe/Berlin");
      const { stdout } = await its.place.run(0, "schedule", "list");
      expect(stdout).toContain("drift of web: 0 0 29 2 * (Europe/Berlin), by ann");
      await due(its.place, its.server);
      await due(its.place, its.server);
      its.place.worker("one");
      await expect.poll(submitted, { timeout: 30_000 }).toHaveLength(1);
      await expect
        .poll(submitted, { timeout: 30_000 })
        .toEqual([expect.stringContaining("drift of web: failed")]);
      await its.place.run(0, "schedule", "delete", "web");
      await its.place.run(1, "schedule", "delete", "web");
      expect((await its.place.run(0, "schedule", "list")).stdout).toContain("Nothing is scheduled");
    },
  );

  test.each([
    ["a slip in the time", ["drift", "web", "every day"], /is no schedule/],
    ["a field that is missing", ["drift", "web", "0 2 * *"], /4 fields, not 5/],
    ["a field too many", ["drift", "web", "0 0 2 * * *"], /6 fields, not 5/],
    ["a zone that is none", ["drift", "web", "* * * * *", "--zone", "Mars/Base"], /Mars\/Base/],
    ["another state", ["drift", "db", "* * * * *"], /of the state web, not db/],
  ])("%s is told", async (_, words, says) => {
    const { stderr } = await its.place.run(1, "schedule", ...words);
    expect(stderr).toMatch(says);
  });

  test("a worker that is asked to stop drains, and another goes on", onlyInLongRun, async () => {
    const first = its.place.worker("first");
    const id = await its.place.submit("apply", "--auto-approve");
    await expect.poll(() => its.place.mutations().length, { timeout: 30_000 }).toBeGreaterThan(0);
    first.stop();
    const { code, stdout } = await first.ended;
    expect(code).toBe(0);
    expect(stdout).toContain("1 run to drain");
    const [line] = await submitted();
    expect(line).toContain("waits for a worker");
    its.place.worker("second");
    const said = await its.place.watch(0, id);
    expect(said).toContain("second has taken apply");
    const done = its.place.mutations().map(({ method, path, body }) => `${method} ${path} ${body}`);
    expect(new Set(done).size).toBe(done.length);
    await its.place.run(0, "plan", "--detailed-exitcode");
  });
});

/** As if the day had come: what pg-boss sends then, without the wait. */
async function due({ url }: FleetPlace, server: PostgresServer): Promise<void> {
  const database = new URL(url).pathname.slice(1);
  await server.admin(
    database,
    `insert into vmform_queue.job (name, data, singleton_key, policy)
      select name, data, null, 'standard' from vmform_queue.schedule`,
  );
}
