/** Whoever comes first to an empty database makes what is missing, and several may come at once. */

import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openFleet, openWorkerFleet } from "../../src/queue/fleet.ts";
import { openAgentEnd } from "../../src/queue/sites/agent-end.ts";
import { targetOf } from "../../src/store/postgres/target.ts";
import { amount } from "../helpers/amount.ts";
import { openIn } from "../stores/postgres-place.ts";
import { hasPostgres, startPostgres } from "../stores/postgres-server.ts";

test.runIf(hasPostgres())("a worker, an agent, who submits and a run come at once", async () => {
  const server = await startPostgres();
  try {
    for (let round = 0; round < amount(1, 10); round += 1) {
      const url = server.url(await server.createDatabase());
      const access = {
        ...{ target: targetOf({ url }, {}, "nobody"), password: undefined, tls: {} },
        applicationName: "vmform test",
      };
      const options = {
        ...{ access, location: "the test", schema: "vmform", version: "0.1.0" },
        ...{ newId: randomUUID, onError: () => undefined },
      };
      const agent = { site: "lab", agent: "one", readOnly: false, host: "there" };
      const opened = await Promise.all([
        openWorkerFleet({ ...options, supervises: true }),
        openFleet({ ...options, supervises: false }),
        openAgentEnd({ ...options, ...agent, tell: () => undefined }),
        openAgentEnd({ ...options, ...agent, site: "other", tell: () => undefined }),
        locked(url),
      ]);
      expect(opened.map((one) => typeof one.close)).toEqual(opened.map(() => "function"));
      await Promise.all(opened.map((one) => one.close()));
    }
  } finally {
    await server.remove();
  }
});

async function locked(url: string) {
  const store = openIn(url);
  await store.lock("apply", 0);
  return store;
}
