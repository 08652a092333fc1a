/** Databases that cannot be relied on, or not be reached: what is said, and that nothing is done. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Store, StoreError } from "../../src/model/recorded/store.ts";
import { initialState } from "../../src/state/initial.ts";
import { definitionScript } from "../../src/store/postgres/tables.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { problemOf } from "../unit/store/local/fixtures.ts";
import { openIn, type PostgresOpening } from "./postgres-place.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "./postgres-server.ts";
import { listen, openPooler } from "./postgres-wire.ts";

const initial = initialState("6f1d6a51-0f3c-4d8e-9b7a-3d1f0c5e2a10", "journal-1", false);
const opened: Store[] = [];

function open(url: string, opening: PostgresOpening = {}): Store {
  const store = openIn(url, opening);
  opened.push(store);
  return store;
}

/** What is told of reading, and that locking is told the same. */
async function refusal(url: string, opening: PostgresOpening = {}) {
  const read = await problemOf(open(url, opening).read());
  const locked = await problemOf(open(url, opening).lock("apply", 0));
  expect(locked.message).toBe(read.message);
  expect(read.fix).toBeTruthy();
  return { code: read.code, message: read.message, fix: read.fix };
}

afterAll(async () => {
  for (const store of opened) await store.close();
});

describe("without a server", () => {
  test("nothing listens there", async () => {
    const { port, close } = await listen(() => undefined);
    await close();
    const { code, message } = await refusal(`postgres://u@127.0.0.1:${port}/x`);
    expect(code).toBe("STO040");
    expect(message).toContain("nothing listens there");
  });

  test("there is no socket", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vmform-no-socket-"));
    const { code, message } = await refusal(`postgres:///x?host=${folder}&user=u`);
    expect(code).toBe("STO040");
    expect(message).toContain("no socket");
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["answers HTTP and closes", "HTTP/1.1 400 Bad Request\r\n\r\n", "disable"],
    [
      "answers HTTP where it is asked for encryption",
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      "require",
    ],
    ["closes at once", "", "disable"],
    ["closes where it is asked for encryption", "", "verify-full"],
  ])("what listens %s", async (_what, answer, sslMode) => {
    const { port, close } = await listen((client) => {
      client.on("error", () => undefined);
      client.once("data", () => client.end(answer));
    });
    const url = `postgres://u@127.0.0.1:${port}/x?sslmode=${sslMode}&connect_timeout=2`;
    const { code, message } = await refusal(url);
    expect(code).toBe("STO040");
    expect(message).toMatch(/PostgreSQL server|in time/);
    await close();
  });

  test("what listens says nothing", onlyInLongRun, async () => {
    const { port, close } = await listen(() => undefined);
    const url = `postgres://u@127.0.0.1:${port}/x?sslmode=disable&connect_timeout=1`;
    const { code, message } = await refusal(url);
    expect(code).toBe("STO040");
    expect(message).toContain("no answer came in time");
    await close();
  });

  test("it offers no encryption", async () => {
    const { port, close } = await listen((client) => {
      client.on("error", () => undefined);
      client.once("data", () => client.write("N"));
    });
    const { code, message } = await refusal(`postgres://u@127.0.0.1:${port}/x?sslmode=require`);
    expect(code).toBe("STO042");
    expect(message).toContain("offers no encryption");
    await close();
  });

  test.each([
    ["sslmode=prefer", "sslmode"],
    ["connect_timeout=soon", "connect_timeout"],
    ["host=a,b", "more than one host"],
  ])("a setting that cannot be used: %s", (parameter, words) => {
    expect(() => open(`postgres:///x?${parameter}`)).toThrow(words);
  });
});

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  const as = (role: string, database = "postgres"): string =>
    `postgres://${role}@127.0.0.1:${server.port}/${database}`;
  beforeAll(async () => {
    server = await startPostgres();
    await server.admin(
      "postgres",
      "create role ann login",
      "create role bob login",
      "create role hasty login superuser",
      "alter role hasty set synchronous_commit = off",
      "create role reader login superuser",
      "alter role reader set default_transaction_read_only = on",
      "create database latin template template0 encoding 'LATIN1'",
      "create role closed nologin",
    );
  }, 60_000);
  afterAll(() => server.remove());

  test.each([
    ["a role that there is not", "nobody-here", "postgres", "STO041", "does not exist"],
    ["a role that may not log in", "closed", "postgres", "STO041", "not permitted to log in"],
    ["a database that there is not", "ann", "nowhere", "STO041", "does not exist"],
    ["synchronous_commit off", "hasty", "postgres", "STO045", "synchronous_commit is off"],
    ["another encoding", "ann", "latin", "STO048", "LATIN1"],
  ])("%s", async (_what, role, database, code, words) => {
    const told = await refusal(as(role, database));
    expect(told.code).toBe(code);
    expect(told.message).toContain(words);
  });

  test("a wrong password, which is told nowhere", async () => {
    await server.admin("postgres", "create role guarded login password 'right'");
    await server.requirePassword("guarded");
    const secret = "tr0ub4dor";
    const ports = { readSecret: () => Promise.resolve(secret) };
    const password = { kind: "env", name: "DB_PASSWORD" } as const;
    const told = await refusal(as("guarded"), { ports, password });
    expect(told.code).toBe("STO041");
    expect(JSON.stringify(told)).not.toContain(secret);
    const without = await refusal(as("guarded"));
    expect(without.code).toBe("STO041");
    expect(without.message).toContain("asks for a password, and none is given");
    const right = open(as("guarded"), {
      password,
      ports: { readSecret: () => Promise.resolve("right") },
    });
    expect(await right.read()).toEqual({ snapshot: undefined, journal: [] });
  });

  test("a role that may make nothing is told what an administrator runs; then it works", async () => {
    const schema = "infra";
    expect(await open(as("ann"), { schema }).read()).toEqual({ snapshot: undefined, journal: [] });
    const refused = await problemOf(open(as("ann"), { schema }).lock("apply", 0));
    expect(refused.code).toBe("STO046");
    expect(refused.message).toContain("The role ann lacks a right");
    expect(refused.fix).toContain("vmform state sql");
    await server.admin("postgres", definitionScript(schema, "ann"));
    const store = open(as("ann"), { schema });
    const held = await store.lock("apply", 0);
    await store.compact(initial, held);
    await store.unlock(held);
    expect((await open(as("ann"), { schema }).read()).snapshot).toEqual(initial);
    const stranger = await problemOf(open(as("bob"), { schema }).read());
    expect(stranger.code).toBe("STO046");
  });

  test("a schema of its own is enough for a role that may make none", async () => {
    await server.admin("postgres", "create schema own authorization ann");
    const store = open(as("ann"), { schema: "own" });
    const held = await store.lock("apply", 0);
    await store.compact(initial, held);
    await store.unlock(held);
    expect((await open(as("ann"), { schema: "own" }).read()).snapshot).toEqual(initial);
  });

  test("many that make the tables at once", onlyInLongRun, async () => {
    const stores = Array.from({ length: 6 }, (_, n) =>
      open(as("admin"), { schema: "crowd", name: `state-${n}` }),
    );
    const taken = await Promise.all(stores.map((store) => store.lock("apply", 0)));
    expect(new Set(taken.map(({ lockId }) => lockId)).size).toBe(6);
    for (const store of stores) await store.close();
  });

  test(
    "a session that this role may not end is named, and shut out all the same",
    onlyInLongRun,
    async () => {
      const schema = "shared";
      await server.admin(
        "postgres",
        definitionScript(schema, "ann"),
        definitionScript(schema, "bob"),
      );
      const store = open(as("ann"), { schema });
      const held = await store.lock("apply", 0);
      await store.compact(initial, held);
      const stays = await problemOf(open(as("bob"), { schema }).forceUnlock(held.lockId));
      expect(stays.code).toBe("STO051");
      expect(stays.fix).toMatch(/pg_terminate_backend\(\d+\)/);
      expect((await problemOf(store.append([], held))).code).toBe("STO010");
    },
  );

  test("a role that may only read is refused before anything is done", async () => {
    const refused = await problemOf(open(as("reader"), { schema: "ro" }).lock("apply", 0));
    expect(refused.code).toBe("STO043");
    expect(refused.message).toContain("read-only");
  });

  test("tables of a later version", onlyInLongRun, async () => {
    const schema = "later";
    await server.admin(
      "postgres",
      definitionScript(schema, "ann"),
      `insert into ${schema}.version values (99)`,
    );
    expect((await refusal(as("ann"), { schema })).code).toBe("STO047");
  });

  test("tables of somebody else", async () => {
    await server.admin(
      "postgres",
      "create schema theirs authorization ann",
      "create table theirs.state (id int)",
      "create table theirs.version (version int)",
      "grant select on all tables in schema theirs to ann",
    );
    expect((await refusal(as("ann"), { schema: "theirs" })).code).toBe("STO047");
  });

  test("who the server is is proved, as far as sslmode asks for it", onlyInLongRun, async () => {
    const folder = new URL("../unit/http/certificates/", import.meta.url);
    const file = (name: string): string => readFileSync(new URL(name, folder), "utf8");
    await server.encrypt(file("server.pem"), file("key.pem"));
    const read = async (host: string, sslMode: string, authority?: string): Promise<string> => {
      const url = `postgres://admin@${host}:${server.port}/postgres?sslmode=${sslMode}`;
      const ports = { readTextFile: () => Promise.resolve(authority ?? "") };
      const caFile = authority === undefined ? {} : { caFile: "/ca.pem" };
      const store = open(url, { ...caFile, ports, schema: "nowhere" });
      return store.read().then(
        () => "read",
        (error: unknown) => (error instanceof StoreError ? error.code : String(error)),
      );
    };
    const authority = file("authority.pem");
    expect(await read("127.0.0.1", "verify-full", authority)).toBe("read");
    expect(await read("localhost", "verify-full", authority)).toBe("STO042");
    expect(await read("localhost", "verify-ca", authority)).toBe("read");
    expect(await read("127.0.0.1", "verify-full")).toBe("STO042");
    expect(await read("127.0.0.1", "verify-ca")).toBe("STO042");
    expect(await read("127.0.0.1", "verify-ca", authority)).toBe("read");
    expect(await read("127.0.0.1", "require")).toBe("read");
  });

  test.each([
    ["one session for all", 1],
    ["each transaction another", 2],
    ["several", 4],
  ])("a pooler of transactions, with %s", async (_what, size) => {
    const pooler = await openPooler(server, size);
    const url = `postgres://admin@127.0.0.1:${pooler.port}/postgres?sslmode=disable`;
    const { code, fix } = await refusal(url);
    expect(code).toBe("STO044");
    expect(fix).toContain("session mode");
    await pooler.close();
  });
});
