/** What was approved is done, and nothing beyond it, whatever happens in between. */

import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openFleet } from "../../src/queue/fleet.ts";
import { targetOf } from "../../src/store/postgres/target.ts";
import { powerVm } from "../e2e/simulator.ts";
import { isLongRun, onlyInLongRun } from "../helpers/amount.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { createFleetPlace, type FleetPlace } from "./fleet-place.ts";

const two = "  daemon_vm.a: { id: a, power: on }\n  daemon_vm.b: { id: b, power: off }";

/** All that a run has said is shown: the plan that waits stands last. */
function lastShown(text: string): string {
  return text.slice(text.lastIndexOf("vmform approve "));
}

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  let place: FleetPlace;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());
  beforeEach(async () => {
    place = await createFleetPlace(server);
    place.write(two);
  });
  afterEach(() => place.remove());

  const requests = (): readonly string[] =>
    place.mutations().map(({ method, path }) => `${method} ${path}`);

  test("a plan that others have done meanwhile is done; what is more waits again", async () => {
    place.worker("one");
    const id = await place.submit("apply");
    const shown = await place.watch(2, id);
    // Somebody applies it by hand.
    await place.run(0, "apply", "--auto-approve");
    const done = requests().length;
    await place.approve(shown);
    expect(await place.watch(0, id)).toContain("0 added");
    expect(requests()).toHaveLength(done);
    place.write(two.replace("power: on", "power: off"));
    const second = await place.submit("apply");
    const first = await place.watch(2, second);
    expect(first).toContain("--allow power-off");
    await place.simulators.change(powerVm("b", "on"));
    await place.run(0, "apply", "--refresh-only", "--auto-approve");
    // The yes was to one VM.
    await place.approve(first, "--allow", "power-off");
    const more = await place.watch(2, second);
    expect(more).toContain("CLI060");
    expect(more).toContain("daemon_vm.b");
    expect(requests()).toHaveLength(done);
    // A yes to the plan that was shown first is none to the one that waits by now.
    const old = /--plan (\S+)/.exec(first)?.[1] ?? "";
    const refused = await place.run(1, "approve", second, "--plan", old, "--allow", "power-off");
    expect(refused.stderr).toContain("another plan than the one that was shown");
    const unnamed = await place.run(1, "approve", second, "--allow", "power-off");
    expect(unnamed.stderr).toContain("has to be said where nobody can be asked");
    expect(await place.watch(2, second)).toContain("daemon_vm.b");
    expect(requests()).toHaveLength(done);
    await place.approve(lastShown(more), "--allow", "power-off");
    expect(await place.watch(0, second)).toContain("2 changed");
    const over = await place.run(1, "approve", second, "--plan", old);
    expect(over.stderr).toContain("does not wait for approval: done");
  }, 60_000);

  test("a plan that came between the look and the yes is not approved", onlyInLongRun, async () => {
    place.worker("one");
    const id = await place.submit("apply");
    await place.watch(2, id);
    const fleet = await openFleet({
      access: {
        target: targetOf({ url: place.url }, {}, "nobody"),
        ...{ password: undefined, tls: {}, applicationName: "vmform test" },
      },
      ...{ location: "a database", schema: "vmform", supervises: false, newId: randomUUID },
      onError: () => undefined,
    });
    try {
      const shown = await fleet.waitingPlan(id);
      const database = new URL(place.url).pathname.slice(1);
      await server.admin(database, "update vmform.submission set plan = plan || ' '");
      const yes = { who: "ann", host: "desk", allowed: [] };
      expect(await fleet.approve(id, yes, shown?.sum ?? "")).toBe(false);
      expect(await fleet.find(id)).toMatchObject({ status: "needs_approval", approvals: [] });
      await server.admin(database, "update vmform.submission set plan = rtrim(plan, ' ')");
      expect(await fleet.approve(id, yes, shown?.sum ?? "")).toBe(true);
      await place.watch(0, id);
      expect(await fleet.waitingPlan(id)).toBeUndefined();
    } finally {
      await fleet.close();
    }
  });

  test("a configuration that was changed in the database is not run", onlyInLongRun, async () => {
    const id = await place.submit("apply", "--auto-approve");
    const database = new URL(place.url).pathname.slice(1);
    await server.admin(database, "update vmform.bundle set bytes = bytes || '\\x00'");
    place.worker("one");
    expect(await place.watch(3, id)).toContain("was changed");
    expect(requests()).toEqual([]);
  });

  test.runIf(isLongRun)(
    "consent that was not given is asked for once more",
    async () => {
      place.worker("one");
      await place.watch(0, await place.submit("apply", "--auto-approve"));
      place.write(two.replace("power: on", "power: off"));
      const id = await place.submit("apply", "--auto-approve");
      const shown = await place.watch(2, id);
      expect(shown).toContain("--allow power-off");
      await place.approve(shown);
      const again = await place.watch(2, id);
      expect(again).toContain("--allow power-off");
      await place.approve(lastShown(again), "--allow", "power-off");
      expect(await place.watch(0, id)).toContain("1 changed");
    },
    60_000,
  );

  test.runIf(isLongRun)(
    "a worker of another version leaves it to one of its own",
    async () => {
      place.worker("old", "0.0.9");
      const id = await place.submit("plan");
      const said = (): Promise<string> =>
        place.run(0, "runs", "--submitted").then(({ stdout }) => stdout);
      await expect.poll(said, { timeout: 20_000 }).toContain("waits for a worker of vmform 0.1.0");
      place.worker("new");
      expect(await place.watch(2, id)).toContain("new has taken plan");
    },
    60_000,
  );
});
