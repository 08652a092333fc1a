/** What only a database can do to recorded state: sessions that end, servers that restart, wires. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RecordedObject, RecordedState } from "../../src/model/recorded/recorded.ts";
import type { Fence, Store } from "../../src/model/recorded/store.ts";
import { toAddress } from "../../src/model/value/address.ts";
import { initialState } from "../../src/state/initial.ts";
import { tablesIn } from "../../src/store/postgres/tables.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { fullState } from "../unit/state/samples.ts";
import { entries, entry, problemOf } from "../unit/store/local/fixtures.ts";
import { openIn } from "./postgres-place.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "./postgres-server.ts";
import { openWire } from "./postgres-wire.ts";

const initial = initialState("6f1d6a51-0f3c-4d8e-9b7a-3d1f0c5e2a10", "journal-1", false);

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  let names = 0;
  const opened: Store[] = [];
  const open = (name: string, opening: Parameters<typeof openIn>[1] = {}, port = server.port) => {
    const url = `postgres://admin@127.0.0.1:${port}/postgres?sslmode=disable`;
    const store = openIn(url, { name, ...opening });
    opened.push(store);
    return store;
  };
  const newName = (): string => `state-${(names += 1)}`;
  const begin = async (store: Store, state: RecordedState = initial): Promise<Fence> => {
    const held = await store.lock("apply", 0);
    await store.compact(state, held);
    return held;
  };
  const admin = (...statements: readonly string[]) => server.admin("postgres", ...statements);
  const positions = async (name: string): Promise<readonly number[]> => {
    const { journal, state } = tablesIn("vmform");
    const rows = await admin(
      `select journal.position::int from ${journal} join ${state} on id = journal.state
        where name = '${name}' order by 1`,
    );
    return rows.map(({ position }) => Number(position));
  };
  const terminate = (pid: number) =>
    admin(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where application_name = 'vmform host-a ${pid}'`);

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(async () => {
    for (const store of opened) await store.close();
    await server.remove();
  });

  test("a session that was ended is replaced, and nothing is lost or written twice", async () => {
    const name = newName();
    const store = open(name, { pid: 1 });
    const held = await begin(store);
    await store.append(entries(1, 2), held);
    await terminate(1);
    expect(await store.append([entry(3)], held)).toBe(3);
    await terminate(1);
    await store.compact({ ...initial, journal: { ...initial.journal, position: 2 } }, held);
    expect((await open(name).holder())?.id).toBe(held.lockId);
    await store.unlock(held);
    expect(await positions(name)).toEqual([1, 2, 3]);
    expect((await open(name).read()).journal).toEqual([entry(3)]);
  });

  test.each([
    ["an entry", "delete from vmform.journal where position = 3 and state"],
    ["the snapshot", "update vmform.state set head = null where id"],
  ])("a server that has lost %s in a failover is written to no more", async (_, loss) => {
    const name = newName();
    const store = open(name, { pid: 77 });
    const held = await begin(store);
    await store.append(entries(1, 3), held);
    await admin(`${loss} = (select id from vmform.state where name = '${name}')`);
    await terminate(77);
    expect((await problemOf(store.append([entry(4)], held))).code).toBe("STO052");
    const state = { ...initial, journal: { ...initial.journal, position: 3 } };
    expect((await problemOf(store.compact(state, held))).code).toBe("STO008");
    await store.unlock(held);
    expect(await positions(name)).not.toContain(4);
  });

  test("a state that is deleted while its lock is taken is made anew", onlyInLongRun, async () => {
    const name = newName();
    const before = open(name);
    await before.unlock(await before.lock("apply", 0));
    await admin(
      `create function skip_update() returns trigger language plpgsql as 'begin return null; end'`,
      `create trigger skip before update on vmform.state for each row
        when (old.name = '${name}') execute function skip_update()`,
    );
    const taken = open(name).lock("apply", 0);
    await admin("select pg_sleep(0.6)", "drop trigger skip on vmform.state");
    expect((await taken).lockId).not.toBe("");
  });

  test("whoever is next takes over at once, and the old holder writes nothing", async () => {
    const name = newName();
    const store = open(name, { pid: 2 });
    const held = await begin(store);
    await terminate(2);
    const next = open(name, { host: "host-b" });
    const theirs = await next.lock("destroy", 0);
    const refused = await problemOf(store.append([entry(1)], held));
    expect(refused.code).toBe("STO010");
    expect(refused.message).toContain("ann on host-b holds it now");
    expect(await next.append([entry(1)], theirs)).toBe(1);
    await store.unlock(held).catch(() => undefined);
    expect((await open(name).holder())?.host).toBe("host-b");
  });

  test.each(["request", "reply"] as const)(
    "an append whose %s is lost is there once",
    async (what) => {
      const name = newName();
      const wire = await openWire(server);
      const store = open(name, {}, wire.port);
      const held = await begin(store);
      const cut = wire.cutAt("for share", what);
      const appended = store.append(entries(1, 3), held);
      await cut;
      expect(await appended).toBe(3);
      expect(await store.append([entry(4)], held)).toBe(4);
      await store.unlock(held);
      expect((await open(name).read()).journal).toEqual(entries(1, 4));
      await wire.close();
    },
  );

  test.each(["request", "reply"] as const)(
    "a snapshot whose %s is lost is there once",
    async (what) => {
      const name = newName();
      const wire = await openWire(server);
      const store = open(name, {}, wire.port);
      const held = await begin(store);
      const cut = wire.cutAt("on conflict (state, key)", what);
      const state = { ...fullState, ...initial, objects: fullState.objects };
      const compacted = store.compact(state, held);
      await cut;
      await compacted;
      await store.unlock(held);
      expect((await open(name).read()).snapshot?.objects).toEqual(fullState.objects);
      await wire.close();
    },
  );

  test.each(["fast", "immediate"] as const)(
    "a server that is restarted (%s) costs a pause and nothing else",
    async (mode) => {
      const name = newName();
      const store = open(name);
      const held = await begin(store);
      await store.append(entries(1, 2), held);
      await server.stop(mode);
      const appended = store.append(entries(3, 5), held);
      await server.start();
      expect(await appended).toBe(5);
      await store.unlock(held);
      expect((await open(name).read()).journal).toEqual(entries(1, 5));
    },
    60_000,
  );

  test("a server that stays away ends the run, and says so", onlyInLongRun, async () => {
    const name = newName();
    let nowMs = Date.now();
    const clock = {
      now: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += ms;
        await Promise.resolve();
      },
    };
    const wire = await openWire(server);
    const told: string[] = [];
    const onLost = (message: string): void => void told.push(message);
    const store = open(name, { ports: { clock, onLost } }, wire.port);
    const held = await begin(store);
    await wire.close();
    const lost = await problemOf(store.compact(initial, held));
    expect(lost.code).toBe("STO049");
    expect(lost.fix).toContain("Run the same command again");
    expect(told).toEqual([expect.stringContaining("trying for 90 s")]);
    expect((await problemOf(store.append([entry(2)], held))).code).toBe("STO008");
    await store.unlock(held);
    const next = open(name);
    await next.unlock(await next.lock("apply", 0));
    expect(await positions(name)).toEqual([]);
  });

  test("two states, and one name in two schemas, do not wait for each other", async () => {
    const [name, other] = [newName(), newName()];
    const held = await begin(open(name));
    expect(held).toBeDefined();
    await begin(open(other));
    await begin(open(name, { schema: "second" }));
    const refused = await problemOf(open(name, { host: "host-b" }).lock("apply", 0));
    expect(refused.code).toBe("STO009");
  });

  test("who is refused is told of the holder, not of itself", async () => {
    const name = newName();
    await begin(open(name, { host: "holder", pid: 4711 }));
    const refused = await problemOf(open(name, { host: "waiter", pid: 4712 }).lock("apply", 0));
    expect(refused.message).toContain("ann on holder (process 4711, apply)");
    expect(refused.message).not.toContain("waiter");
  });

  test("the name of a holder that is gone is nobody's", async () => {
    const name = newName();
    await begin(open(name, { pid: 5 }));
    await terminate(5);
    expect(await open(name).holder()).toBeUndefined();
    expect((await problemOf(open(name).forceUnlock("any"))).code).toBe("STO011");
  });

  test("a change of one of 10,000 objects writes one row", onlyInLongRun, async () => {
    const name = newName();
    const many = { ...initial, objects: Array.from({ length: 10_000 }, (_, n) => objectOf(n)) };
    const store = open(name);
    const held = await begin(store, many);
    expect(await rowsByTransaction(name)).toEqual([10_000]);
    const objects = many.objects.with(5_000, { ...objectOf(5_000), identity: "changed" });
    await store.compact({ ...many, objects }, held);
    expect(await rowsByTransaction(name)).toEqual([1, 9_999]);
    await store.unlock(held);
    const { snapshot } = await open(name).read();
    expect(snapshot?.objects).toEqual(objects);
  });

  /** How many rows of objects each transaction has left. */
  async function rowsByTransaction(name: string): Promise<readonly number[]> {
    const { resource, state } = tablesIn("vmform");
    const rows = await admin(
      `select count(*)::int as rows from ${resource} as resource
        where state = (select id from ${state} where name = '${name}')
        group by xmin order by 1`,
    );
    return rows.map((row) => Number(row.rows));
  }

  test("what somebody deleted from the tables is missed", onlyInLongRun, async () => {
    const name = newName();
    const store = open(name);
    await store.unlock(await begin(store, { ...initial, objects: [objectOf(1), objectOf(2)] }));
    await admin(
      `delete from vmform.resource where address = 'daemon_vm.vm00001'
        and state = (select id from vmform.state where name = '${name}')`,
    );
    expect((await problemOf(open(name).read())).code).toBe("STO001");
  });

  test("a replica is refused", onlyInLongRun, async () => {
    await server.becomeReplica();
    for (const work of [(store: Store) => store.read(), (store: Store) => store.lock("apply", 0)]) {
      const refused = await problemOf(work(open(newName())));
      expect(refused.code).toBe("STO043");
      expect(refused.message).toContain("is a replica");
    }
  });
});

function objectOf(n: number): RecordedObject {
  const [sample] = fullState.objects;
  if (sample === undefined) throw new Error("the sample has no object");
  const name = `vm${String(n).padStart(5, "0")}`;
  return {
    address: addressOf(`daemon_vm.${name}`),
    objectKey: "current",
    type: "daemon_vm",
    provider: "daemon",
    identity: name,
    status: "ready",
    applied: { id: name },
    attributes: { id: name },
    dependencies: [],
    timeoutsMs: {},
  };
}

function addressOf(text: string) {
  const address = toAddress(text);
  if (address === undefined) throw new Error(`${text} is no address`);
  return address;
}
