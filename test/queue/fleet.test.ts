/** Runs that are submitted, done by workers, watched and approved. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { createFleetPlace, type FleetPlace } from "./fleet-place.ts";

const two = "  daemon_vm.a: { id: a, power: on }\n  daemon_vm.b: { id: b, power: off }";

/** What the commands of `docs/workers.md` do, `workers-page.test.ts` tries always. */
const isTried = isLongRun;

describe.runIf(isTried && hasPostgres())("with a server", () => {
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
    place
      .mutations()
      .map(({ method, path, body }) => `${method} ${path} ${body}`)
      .toSorted();

  test("planned, approved, applied, looked for drift and destroyed", async () => {
    place.worker("one");
    const planned = await place.watch(2, await place.submit("plan"));
    expect(planned).toContain("daemon_vm.a");
    expect(planned).toContain("2 to add");
    expect(requests()).toEqual([]);
    const id = await place.submit("apply");
    const waiting = await place.watch(2, id);
    expect(waiting).toContain(`vmform approve ${id}`);
    expect(requests()).toEqual([]);
    await place.approve(waiting);
    expect(await place.watch(0, id)).toContain("2 added");
    expect(requests()).toHaveLength(3);
    await place.run(0, "plan", "--detailed-exitcode");
    expect(await place.watch(0, await place.submit("drift"))).toContain("No drift");
    const destroy = await place.submit("destroy");
    const destroying = await place.watch(2, destroy);
    expect(destroying).toContain("2 to destroy");
    expect(requests()).toHaveLength(3);
    const { stdout: told } = await place.approve(destroying, "--watch");
    expect(told).toContain("2 destroyed");
    const { stdout } = await place.run(0, "runs", "--submitted");
    expect(stdout.split("\n").filter((line) => line.includes(": done"))).toHaveLength(4);
  }, 60_000);
});
