/**
 * A PostgreSQL server of its own for a test file: in a folder that goes with it, on a free port and
 * a socket. Its programs are those of the PATH, or of the folder that `VMFORM_POSTGRES` names.
 */

import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);

/** Where its programs are; undefined where there are none. */
export const postgresPrograms = findPrograms();

/** Whether there is one; says loudly when not. In CI its absence is a failure. */
export function hasPostgres(): boolean {
  if (postgresPrograms !== undefined) return true;
  const text = "There is no PostgreSQL here (initdb on the PATH, or VMFORM_POSTGRES)";
  if (process.env.CI !== undefined) throw new Error(`${text}, and CI has to have one.`);
  process.stderr.write(`\n!! ${text}: what needs one is skipped.\n`);
  return false;
}

export type PostgresServer = {
  readonly host: string;
  readonly port: number;
  /** Folder of the server's socket. */
  readonly socket: string;
  /** Of the administrator, for a database. */
  readonly url: (database: string) => string;
  /** Makes a database, and gives its name. */
  readonly createDatabase: () => Promise<string>;
  /** Statements as the administrator, each in turn; gives the rows of the last. */
  readonly admin: (
    database: string,
    ...statements: readonly string[]
  ) => Promise<readonly { readonly [column: string]: unknown }[]>;
  readonly stop: (mode: "fast" | "immediate") => Promise<void>;
  readonly start: () => Promise<void>;
  /** From now on this role has to give its password. */
  readonly requirePassword: (role: string) => Promise<void>;
  /** Starts it again with encryption, by a certificate and its key. */
  readonly encrypt: (certificate: string, key: string) => Promise<void>;
  /** Starts it again as a replica, which it stays. */
  readonly becomeReplica: () => Promise<void>;
  /** Of the process that began all others. */
  readonly pid: () => number;
  readonly remove: () => Promise<void>;
};

export async function startPostgres(
  settings: readonly string[] = [],
  initial: readonly string[] = ["-E", "UTF8", "-A", "trust"],
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "vmform-pg-"));
  const data = join(folder, "data");
  const owner = ownerOf();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o755);
  const program = async (name: string, words: readonly string[]): Promise<void> => {
    const path = join(postgresPrograms ?? "", name);
    // What it leaves running must not hold our pipes open.
    await run(path, words, { ...owner, cwd: folder, timeout: 60_000, env: environment });
  };
  await program("initdb", ["-D", data, "-U", "admin", "--no-sync", "--no-locale", ...initial]);
  const port = await freePort();
  // One that is full of tests does little at once, and is thrown away.
  const options = [`-p ${port}`, `-k ${folder}`, "-c listen_addresses=127.0.0.1"];
  const more = ["shared_buffers=16MB", "max_connections=60", ...settings].map((one) => `-c ${one}`);
  const start = (): Promise<void> =>
    program("pg_ctl", [
      "-D",
      data,
      "-w",
      "-l",
      join(folder, "log"),
      "-o",
      [...options, ...more].join(" "),
      "start",
    ]);
  const stop = (mode: "fast" | "immediate"): Promise<void> =>
    program("pg_ctl", ["-D", data, "-w", "-m", mode, "stop"]);
  await start();
  const url = (database: string): string => `postgres://admin@127.0.0.1:${port}/${database}`;
  const admin = (database: string, ...statements: readonly string[]) =>
    asAdmin(url(database), statements);
  let databases = 0;
  return {
    host: "127.0.0.1",
    port,
    socket: folder,
    url,
    admin,
    createDatabase: async () => {
      databases += 1;
      const name = `place_${databases}`;
      await admin("postgres", `create database ${name}`);
      return name;
    },
    start,
    stop,
    requirePassword: async (role) => {
      const path = join(data, "pg_hba.conf");
      const rule = `host all ${role} 127.0.0.1/32 scram-sha-256`;
      writeFileSync(path, `${rule}\n${readFileSync(path, "utf8")}`);
      await program("pg_ctl", ["-D", data, "reload"]);
      // It is read a moment later.
      for (let looks = 0; looks < 100; looks += 1) {
        const [first] = await admin("postgres", "select user_name from pg_hba_file_rules limit 1");
        if (String(first?.user_name).includes(role)) return;
      }
    },
    encrypt: async (certificate, key) => {
      const paths = [join(data, "server.crt"), join(data, "server.key")] as const;
      writeFileSync(paths[0], certificate);
      writeFileSync(paths[1], key, { mode: 0o600 });
      if (owner !== undefined) for (const path of paths) chownSync(path, owner.uid, owner.gid);
      await stop("fast");
      writeFileSync(join(data, "postgresql.auto.conf"), "ssl = on\n");
      await start();
    },
    becomeReplica: async () => {
      await stop("fast");
      writeFileSync(join(data, "standby.signal"), "");
      await start();
    },
    pid: () => Number.parseInt(readFileSync(join(data, "postmaster.pid"), "utf8"), 10),
    remove: async () => {
      await stop("immediate").catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Without settings of whoever runs the tests. */
const environment = { PATH: process.env.PATH ?? "", LC_ALL: "C" };

async function asAdmin(url: string, statements: readonly string[]) {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    let rows: readonly { readonly [column: string]: unknown }[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

function findPrograms(): string | undefined {
  const folders = [
    process.env.VMFORM_POSTGRES ?? "",
    ...(process.env.PATH ?? "").split(delimiter),
    ...[18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`),
  ];
  return folders.find(
    (folder) =>
      folder !== "" && ["initdb", "pg_ctl"].every((name) => existsSync(join(folder, name))),
  );
}

/** The server refuses to run as root; another user is taken then. */
function ownerOf(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string): number => Number(execFileSync("id", [flag, name]).toString());
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // The next one.
    }
  }
  throw new Error("no user was found to run PostgreSQL as");
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
