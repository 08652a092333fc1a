/** Slots of endpoints over runs of one database: counted strictly, handed on, and never left behind. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EndpointSlots } from "../../src/model/recorded/endpoint-slots.ts";
import type { Store } from "../../src/model/recorded/store.ts";
import { killablePlace } from "./postgres-place.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "./postgres-server.ts";

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());

  /** Each with a state of its own, whose lock it holds. */
  async function runs(
    ...names: readonly string[]
  ): Promise<
    readonly (Store & { readonly slots: EndpointSlots; readonly kill: () => Promise<void> })[]
  > {
    return Promise.all(
      names.map(async (name) => {
        const place = killablePlace(server, () => ({ name }));
        const store = place.open(`host-of-${name}`);
        await store.lock("apply", 0);
        const slots = await store.endpointSlots?.();
        if (slots === undefined) throw new Error("a database has slots");
        return { ...store, slots, kill: () => place.kill(store) };
      }),
    );
  }

  const taken = { kind: "taken" };
  const one = "https://one";

  test("no more than there are, over all; who holds them is told", async () => {
    const [a, b] = await runs("a1", "b1");
    expect(await a?.slots.take(one, 2)).toEqual(taken);
    expect(await a?.slots.take(one, 2)).toEqual(taken);
    const held = await b?.slots.take(one, 2);
    expect(held).toMatchObject({
      kind: "held",
      by: [expect.stringMatching(/^apply of .+ on host-of-a1 \(state a1\)$/)],
    });
    expect(await b?.slots.take("https://two", 2)).toEqual(taken);
    await a?.slots.give(one);
    expect(await b?.slots.take(one, 2)).toEqual(taken);
    expect(await a?.slots.take(one, 2)).toMatchObject({ kind: "held" });
    await a?.close();
    await b?.close();
  });

  test("who has waited longest is next, and not whoever gives one back", async () => {
    const [a, b, c] = await runs("a2", "b2", "c2");
    expect(await a?.slots.take(one, 1)).toEqual(taken);
    expect(await b?.slots.take(one, 1)).toMatchObject({ kind: "held" });
    expect(await c?.slots.take(one, 1)).toMatchObject({ kind: "held" });
    await a?.slots.give(one);
    expect(await a?.slots.take(one, 1)).toMatchObject({ kind: "held" });
    expect(await c?.slots.take(one, 1)).toMatchObject({ kind: "held" });
    expect(await b?.slots.take(one, 1)).toEqual(taken);
    await c?.slots.leave(one);
    await b?.slots.give(one);
    expect(await a?.slots.take(one, 1)).toEqual(taken);
    for (const run of [a, b, c]) await run?.close();
  });

  test("a run that is killed has none any more, and neither waits", async () => {
    const [a, b, c] = await runs("a3", "b3", "c3");
    expect(await a?.slots.take(one, 1)).toEqual(taken);
    expect(await b?.slots.take(one, 1)).toMatchObject({ kind: "held" });
    expect(await c?.slots.take(one, 1)).toMatchObject({ kind: "held" });
    await b?.kill();
    await a?.kill();
    expect(await c?.slots.take(one, 1)).toEqual(taken);
    await c?.close();
  });

  test("one whose session was lost counts what is under way again before it begins more", async () => {
    const [a, b] = await runs("a4", "b4");
    expect(await a?.slots.take(one, 2)).toEqual(taken);
    expect(await a?.slots.take(one, 2)).toEqual(taken);
    await server.admin(
      "postgres",
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where application_name like 'vmform host-of-a4 %'`,
    );
    expect(await b?.slots.take(one, 2)).toEqual(taken);
    expect(await a?.slots.take(one, 2)).toMatchObject({ kind: "held" });
    await b?.slots.give(one);
    // Two are under way still, so there is none for a third.
    expect(await a?.slots.take(one, 2)).toMatchObject({ kind: "held" });
    expect(await b?.slots.take(one, 2)).toMatchObject({ kind: "held" });
    await a?.slots.give(one);
    expect(await a?.slots.take(one, 2)).toEqual(taken);
    await a?.close();
    await b?.close();
  });

  test("whoever has lost the lock of its recorded state begins nothing more", async () => {
    const [a, b] = await runs("a5", "b5");
    const holder = await a?.holder();
    await b?.forceUnlock("not it").catch(() => undefined);
    const [other] = await runs("z5");
    await other?.close();
    const place = killablePlace(server, () => ({ name: "a5" }));
    const administrator = place.open("host-of-d");
    await administrator.forceUnlock(holder?.id ?? "");
    await administrator.lock("apply", 5_000);
    await expect(a?.slots.take(one, 1)).rejects.toMatchObject({ name: "StoreError" });
    await administrator.close();
    await a?.close();
    await b?.close();
  });
});
