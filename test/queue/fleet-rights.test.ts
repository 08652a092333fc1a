/** A role that may make nothing has workers where an administrator ran `state sql --workers`. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { createFleetPlace, type FleetPlace } from "./fleet-place.ts";

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  let place: FleetPlace;
  beforeAll(async () => {
    server = await startPostgres();
    place = await createFleetPlace(server, {}, "clerk");
    place.write("  daemon_vm.a: { id: a, power: on }");
    const database = new URL(place.url).pathname.slice(1);
    await server.admin(
      database,
      "create role clerk login",
      `revoke create on database ${database} from public`,
    );
  }, 60_000);
  afterAll(async () => {
    await place.remove();
    await server.remove();
  });

  test("it is told what is missing, and has it then", async () => {
    const { stderr } = await place.run(1, "submit", "apply", "--auto-approve");
    expect(stderr).toContain("STO046");
    expect(stderr).toContain("vmform state sql --workers");
    const { stdout: script } = await place.run(0, "state", "sql", "--workers");
    await server.admin(new URL(place.url).pathname.slice(1), script);
    place.worker("one");
    await place.watch(0, await place.submit("apply", "--auto-approve"));
    await place.run(0, "plan", "--detailed-exitcode");
  }, 60_000);
});
