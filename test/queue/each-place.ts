/** What tests of a fleet begin with: a server for the file, a place in it for each test. */

import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { Board } from "../../src/model/board/board.ts";
import { openDatabaseBoard } from "../../src/serve/database/board.ts";
import type { WorldSource } from "../../src/simulators/world.ts";
import { targetOf } from "../../src/store/postgres/target.ts";
import { type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { createFleetPlace, type FleetPlace } from "./fleet-place.ts";

type Its = { readonly server: PostgresServer; readonly place: FleetPlace };

/** In a `describe`: the place of the test that runs, with these resources and this world. */
export function eachPlace(resources: string, world: WorldSource = {}): Its {
  let server: PostgresServer | undefined;
  let place: FleetPlace | undefined;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.remove());
  beforeEach(async () => {
    place = await createFleetPlace(there(server), world);
    place.write(resources);
  });
  afterEach(() => place?.remove());
  return {
    get server() {
      return there(server);
    },
    get place() {
      return there(place);
    },
  };
}

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("no test runs");
  return value;
}

/** The board of a database, and a list that its errors come to. */
export async function boardOf(url: string): Promise<{ board: Board; errors: Error[] }> {
  const errors: Error[] = [];
  const board = await openDatabaseBoard({
    access: {
      target: targetOf({ url }, {}, "nobody"),
      ...{ password: undefined, tls: {}, applicationName: "vmform test" },
    },
    ...{ location: "a database", schema: "vmform", noQueue: undefined },
    onError: (error) => errors.push(error),
  });
  return { board, errors };
}
