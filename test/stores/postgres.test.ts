/** The store in PostgreSQL keeps what every store promises, on a server of the test's own. */

import { afterAll, beforeAll, describe } from "vitest";
import type { Store } from "../../src/model/recorded/store.ts";
import { checkStore } from "./conformance.ts";
import { openIn } from "./postgres-place.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "./postgres-server.ts";

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());

  /** Each place is a state of its own, all of them in the tables that the first has made. */
  let pid = 0;
  let places = 0;
  checkStore("postgres", { forceUnlock: "fences" }, async () => {
    places += 1;
    const name = `place "${places}"`;
    const pids = new Map<Store, { readonly host: string; readonly pid: number }>();
    return {
      open: (host) => {
        pid += 1;
        const store = openIn(server.url("postgres"), { host, pid, name });
        pids.set(store, { host, pid });
        return store;
      },
      // The server sees the end of a process as the end of its sessions.
      kill: async (store) => {
        const of = pids.get(store);
        await server.admin(
          "postgres",
          `select pg_terminate_backend(pid, 5000) from pg_stat_activity
            where application_name = 'vmform ${of?.host} ${of?.pid}'`,
        );
        await store.close();
      },
      remove: () => Promise.resolve(),
    };
  });
});
