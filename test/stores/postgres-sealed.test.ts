/** Encryption in a database: neither rows nor their keys tell what they are of. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Seal } from "../../src/model/recorded/seal.ts";
import { amount, isLongRun, onlyInLongRun } from "../helpers/amount.ts";
import { keySeal, testKey } from "../helpers/seals.ts";
import { fullState } from "../unit/state/samples.ts";
import { entries, problemOf } from "../unit/store/local/fixtures.ts";
import { checkStore } from "./conformance.ts";
import { killablePlace, openIn } from "./postgres-place.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "./postgres-server.ts";
import { checkSealing } from "./sealing.ts";

describe.runIf(hasPostgres() && isLongRun)("with a server", () => {
  let server: PostgresServer;
  let places = 0;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());

  const newName = (): string => {
    places += 1;
    return `place ${places}`;
  };

  /** All rows of a state, with the columns that are no place for what is recorded. */
  async function rowsOf(name: string): Promise<string> {
    const statement = `select coalesce(string_agg(line, E'\\n'), '') as text from (
        select state::text as line from vmform.state as state where name = '${name}'
        union all select row::text from vmform.resource as row
          join vmform.state as state on state.id = row.state where name = '${name}'
        union all select entry::text from vmform.journal as entry
          join vmform.state as state on state.id = entry.state where name = '${name}') as lines`;
    const [row] = await server.admin("postgres", statement);
    return String(row?.text).replaceAll(/["\\]+/g, "");
  }

  checkSealing("postgres", async () => {
    const name = newName();
    return {
      open: (seal: Seal) => openIn(server.url("postgres"), { name, seal }),
      kept: () => rowsOf(name),
      // The head, which has the time of the snapshot beside it.
      alwaysWritten: 1,
      remove: () => Promise.resolve(),
    };
  });

  const place = async () => {
    const name = newName();
    return killablePlace(server, () => ({ name, seal: keySeal() }));
  };
  checkStore("sealed postgres", { forceUnlock: "fences" }, place, amount(4, 12));

  const state = { ...fullState, journal: { ...fullState.journal, position: 0 } };

  async function filled(name: string): Promise<void> {
    const store = openIn(server.url("postgres"), { name, seal: keySeal() });
    const held = await store.lock("apply", 0);
    await store.compact(state, held);
    await store.append(entries(1, 3), held);
    await store.close();
  }

  /** The id of a state, for statements on its rows. */
  const idOf = (name: string): string => `(select id from vmform.state where name = '${name}')`;

  test.each<readonly [string, (own: string, other: string) => string]>([
    [
      "entries that changed their places",
      (own) => `update vmform.journal as one set entry = two.entry from vmform.journal as two
        where one.state = ${own} and two.state = one.state
          and one.position in (1, 2) and two.position = 3 - one.position`,
    ],
    [
      "an entry of another state",
      (own, other) => `update vmform.journal as one set entry = two.entry from vmform.journal as two
        where one.state = ${own} and two.state = ${other}
          and one.position = 1 and two.position = 1`,
    ],
    [
      "objects that changed their rows",
      (own) => `update vmform.resource as one set record = two.record from vmform.resource as two
        where one.state = ${own} and two.state = one.state and one.key <> two.key`,
    ],
  ])("%s are refused", async (_name, change) => {
    const [own, other] = [newName(), newName()];
    await filled(own);
    const elsewhere = openIn(server.url("postgres"), { name: other, seal: keySeal() });
    const held = await elsewhere.lock("apply", 0);
    await elsewhere.compact({ ...state, lineage: "another" }, held);
    await elsewhere.append(entries(1, 3), held);
    await elsewhere.close();
    await server.admin("postgres", change(idOf(own), idOf(other)));
    const store = openIn(server.url("postgres"), { name: own, seal: keySeal() });
    expect((await problemOf(store.read())).code).toBe("STO064");
    await store.close();
  });

  /** What stands in each row of an object, by its key. */
  async function records(name: string): Promise<ReadonlyMap<string, string>> {
    const statement = `select key, record from vmform.resource where state = ${idOf(name)}`;
    const rows = await server.admin("postgres", statement);
    return new Map(rows.map(({ key, record }) => [String(key), String(record)]));
  }

  test("each row is sealed anew when the history is another, objects are equal", async () => {
    const name = newName();
    const store = openIn(server.url("postgres"), { name, seal: keySeal() });
    const held = await store.lock("state migrate", 0);
    // A copy that nobody goes on with yields to one of another history.
    const handover = { kind: "arriving", other: "there", atMs: 1, who: "ann", host: "a" } as const;
    await store.compact({ ...state, handover }, held);
    const before = await records(name);
    const arrived = { ...state, lineage: "another" };
    await store.compact(arrived, held);
    await store.close();
    const after = await records(name);
    expect(after.size).toBe(state.objects.length);
    expect([...after].filter(([key, record]) => before.get(key) === record)).toEqual([]);
    const reader = openIn(server.url("postgres"), { name, seal: keySeal() });
    expect(await reader.read()).toEqual({ snapshot: arrived, journal: [] });
    await reader.close();
  });

  test("each row is sealed anew, and known by another hash, when the key changes", async () => {
    const name = newName();
    await filled(name);
    const before = await records(name);
    const changed = { first: testKey("2"), former: [testKey()] };
    const store = openIn(server.url("postgres"), { name, seal: keySeal(changed) });
    const held = await store.lock("state reseal", 0);
    const { snapshot = state } = await store.read();
    await store.compact(snapshot, held);
    await store.close();
    const after = await records(name);
    expect(after.size).toBe(before.size);
    const texts = new Set(before.values());
    expect([...after].filter(([key, record]) => before.has(key) || texts.has(record))).toEqual([]);
    const reader = openIn(server.url("postgres"), { name, seal: keySeal({ first: testKey("2") }) });
    expect(await reader.read()).toEqual({ snapshot: state, journal: entries(1, 3) });
    await reader.close();
  });

  test(
    "entries that the snapshot contains are sealed anew as well, in parts",
    onlyInLongRun,
    async () => {
      const name = newName();
      const plain = openIn(server.url("postgres"), { name });
      const held = await plain.lock("apply", 0);
      await plain.compact(state, held);
      await plain.append(entries(1, 60), held);
      await plain.append(
        Array.from({ length: 700 }, () => {
          const [one] = entries(3, 3);
          if (one === undefined) throw new Error("there is no entry");
          return one;
        }),
        held,
      );
      await plain.close();
      const count = (form: string) =>
        server.admin(
          "postgres",
          `select count(*)::int as n from vmform.journal
          where state = ${idOf(name)} and entry like '${form}%'`,
        );
      expect(await count("{")).toEqual([{ n: 760 }]);
      const store = openIn(server.url("postgres"), {
        name,
        seal: keySeal({ unencrypted: "read" }),
      });
      const ours = await store.lock("state reseal", 0);
      const { snapshot } = await store.read();
      expect(snapshot).toEqual(state);
      await store.compact(state, ours);
      await store.close();
      expect(await count("{")).toEqual([{ n: 0 }]);
      expect(await count('"vmform-sealed.')).toEqual([{ n: 760 }]);
    },
  );
});
