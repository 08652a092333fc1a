/** The store in PostgreSQL keeps what every store promises, on a server of the test's own. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workspacesNamed } from "../../src/model/recorded/workspace.ts";
import { initialState } from "../../src/state/initial.ts";
import { run } from "../unit/state/samples.ts";
import { checkStore } from "./conformance.ts";
import { killablePlace, openIn, statesIn } from "./postgres-place.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "./postgres-server.ts";

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());

  test("states are told by their names, and one is deleted with all that belongs to it", async () => {
    const url = server.url("postgres");
    const settings = { schema: "apart", name: "web" };
    const states = statesIn(url, settings);
    expect(await states.names()).toEqual([]);
    for (const name of ["web", "web@staging", "web@prod", "other@prod"]) {
      const store = openIn(url, { ...settings, name });
      const fence = await store.lock("test", 0);
      await store.compact(initialState(`lineage of ${name}`, "journal", false), fence);
      await store.append([run], fence);
      await store.close();
    }
    expect(workspacesNamed("web", await states.names())).toEqual(["prod", "staging"]);
    // Whoever slips in the name of a workspace locks one that was never made.
    const slip = openIn(url, { ...settings, name: "web@pord" });
    await slip.unlock(await slip.lock("test", 0));
    await slip.close();
    expect(workspacesNamed("web", await states.names())).toEqual(["prod", "staging"]);
    await states.remove("web@staging");
    expect(await states.names()).toEqual(["other@prod", "web", "web@prod"]);
    const left = openIn(url, { ...settings, name: "web@prod" });
    expect((await left.read()).snapshot?.lineage).toBe("lineage of web@prod");
    await left.close();
    await states.close();
  });

  /** Each place is a state of its own, all of them in the tables that the first has made. */
  let places = 0;
  checkStore("postgres", { forceUnlock: "fences" }, async () => {
    places += 1;
    const name = `place "${places}"`;
    return killablePlace(server, () => ({ name }));
  });
});
