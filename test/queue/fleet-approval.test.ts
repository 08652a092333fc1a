/** What was approved is done, and nothing beyond it, whatever happens in between. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { powerVm } from "../e2e/simulator.ts";
import { amount } from "../helpers/amount.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { createFleetPlace, type FleetPlace } from "./fleet-place.ts";

const two = "  daemon_vm.a: { id: a, power: on }\n  daemon_vm.b: { id: b, power: off }";

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
    await place.watch(2, id);
    // Somebody applies it by hand.
    await place.run(0, "apply", "--auto-approve");
    const done = requests().length;
    await place.run(0, "approve", id);
    expect(await place.watch(0, id)).toContain("0 added");
    expect(requests()).toHaveLength(done);
    place.write(two.replace("power: on", "power: off"));
    const second = await place.submit("apply");
    expect(await place.watch(2, second)).toContain("--allow power-off");
    await place.simulators.change(powerVm("b", "on"));
    await place.run(0, "apply", "--refresh-only", "--auto-approve");
    // The yes was to one VM.
    await place.run(0, "approve", second, "--allow", "power-off");
    const more = await place.watch(2, second);
    expect(more).toContain("CLI060");
    expect(more).toContain("daemon_vm.b");
    expect(requests()).toHaveLength(done);
    await place.run(0, "approve", second, "--allow", "power-off");
    expect(await place.watch(0, second)).toContain("2 changed");
    await place.run(1, "approve", second);
  }, 60_000);

  test("a configuration that was changed in the database is not run", async () => {
    const id = await place.submit("apply", "--auto-approve");
    const database = new URL(place.url).pathname.slice(1);
    await server.admin(database, "update vmform.bundle set bytes = bytes || '\\x00'");
    place.worker("one");
    expect(await place.watch(3, id)).toContain("was changed");
    expect(requests()).toEqual([]);
  }, 60_000);

  const isLong = amount(0, 1) === 1;

  test.runIf(isLong)(
    "consent that was not given is asked for once more",
    async () => {
      place.worker("one");
      await place.watch(0, await place.submit("apply", "--auto-approve"));
      place.write(two.replace("power: on", "power: off"));
      const id = await place.submit("apply", "--auto-approve");
      expect(await place.watch(2, id)).toContain("--allow power-off");
      await place.run(0, "approve", id);
      expect(await place.watch(2, id)).toContain("--allow power-off");
      await place.run(0, "approve", id, "--allow", "power-off");
      expect(await place.watch(0, id)).toContain("1 changed");
    },
    60_000,
  );

  test.runIf(isLong)(
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
