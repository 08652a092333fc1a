/**
 * The commands of docs/stores.md: each one stands in a scenario, which runs it in a shell with what
 * else a person does around it, against a server of the kind that it is for.
 */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readProjectFile } from "../architecture/project-files.ts";
import { type Command, installCommand } from "../cli/command.ts";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, startPostgres } from "../stores/postgres-server.ts";
import { keys } from "../stores/s3-place.ts";
import { makeBucket, startCareless, startVersity, versitygw } from "../stores/s3-server.ts";
import { type RunningStateServer, startStateServer } from "../stores/state-server.ts";
import { type StoresProject, storesProject } from "./stores-project.ts";

const page = readProjectFile("docs/stores.md");

/** What a person can type: blocks of shell and SQL, and what stands in the text. */
function commandsOfPage(): readonly string[] {
  const shell = [...page.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, text = ""]) =>
    text.trim().split("\n"),
  );
  const sql = [...page.matchAll(/^```sql\n(.*?)^```/gms)].map(([, text = ""]) => text.trim());
  const prose = page.replaceAll(/^```.*?^```/gms, "");
  const spans = [...prose.matchAll(/`((?:vmform |openssl |'\{)[^`]*)`/g)].map(
    ([, one = ""]) => one,
  );
  const all = [...shell, ...sql, ...spans].map((text) => text.replace(/ +# .*$/, ""));
  return [...new Set(all)].toSorted();
}

type Scenario = {
  readonly name: string;
  readonly commands: readonly string[];
  /** False where what it needs is absent. */
  readonly isPresent: boolean;
  readonly play: (here: StoresProject) => Promise<void>;
};

/** Absence of a program is told, and a failure in CI. */
function isThere(program: string): boolean {
  const folders = (process.env.PATH ?? "").split(delimiter);
  if (folders.some((folder) => existsSync(join(folder, program)))) return true;
  const text = `there is no ${program}`;
  if (process.env.CI !== undefined) throw new Error(`${text}, and CI has to have one`);
  console.warn(`!! ${text}: commands of docs/stores.md that need it are skipped`);
  return false;
}

const local = "state: { local: { path: state/default.json } }";
const apply = "vmform apply --auto-approve";

const openssl = "openssl rand -base64 32";
const encryption: Scenario = {
  name: "encryption begins, and its key is lost",
  commands: [openssl, "vmform state reseal", "vmform import", "vmform adopt"],
  isPresent: isThere("openssl"),
  play: async (here) => {
    const [key, main] = ["key", "main.vmform.yaml"].map((one) => join(here.folder, one));
    if (key === undefined || main === undefined) throw new Error("there are two");
    here.settings(local);
    await here.works(apply);
    writeFileSync(key, (await here.documented(openssl)).stdout);
    here.settings(`${local}\n  encryption: { key: { file: ./key }, unencrypted: read }`);
    await here.documented("vmform state reseal");
    here.settings(`${local}\n  encryption: { key: { file: ./key } }`);
    await here.converged();
    const recorded = readFileSync(join(here.folder, "state", "default.json"), "utf8");
    expect(recorded).not.toContain("web-a");
    writeFileSync(key, randomBytes(32).toString("base64"));
    expect((await here.run("vmform plan")).stderr).toContain("STO061");
    renameSync(join(here.folder, "state"), join(here.folder, "lost"));
    await here.documented("vmform import", { import: "import daemon_vm.base web-base" });
    // What else there is gets a configuration of its own.
    const text = readFileSync(main, "utf8");
    writeFileSync(main, text.slice(0, text.indexOf("  # Two instances")));
    await here.documented("vmform adopt", { adopt: "adopt --yes" });
    const listed = await here.works("vmform state list");
    expect(listed.stdout.trim().split("\n")).toHaveLength(3);
  },
};

const unlock = "vmform force-unlock ID";
const push = "vmform state push FILE";
const http: Scenario = {
  name: "a run on an http server is killed, and one is cut off",
  commands: [unlock, push],
  isPresent: true,
  play: async (here) => {
    const server = await startStateServer("gitlab");
    try {
      here.settings(`state: { http: { address: "${server.address}" } }`);
      await disturbed(here, server);
    } finally {
      await server.stop();
    }
  },
};

async function disturbed(here: StoresProject, server: RunningStateServer): Promise<void> {
  /** What becomes of writes from that number on, which begin with the apply. */
  const meddleFrom = (n: number, what: RunningStateServer["meddle"]): void => {
    let writes = 0;
    server.meddle = (seen) => {
      if (seen.method !== "POST" || seen.path.endsWith("/lock")) return undefined;
      writes += 1;
      return writes >= n ? what(seen) : undefined;
    };
  };
  const pid = join(here.folder, "pid");
  meddleFrom(4, () => {
    process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
    return { cut: "after" };
  });
  await here.run(`${apply} & echo $! > ${pid}; wait`);
  server.meddle = () => undefined;
  const refused = await here.run(apply);
  expect(refused.stderr).toContain("STO009");
  const [, id = ""] = /vmform force-unlock (\S+)/.exec(refused.stderr) ?? [];
  await here.documented(unlock, { ID: id });
  meddleFrom(2, () => ({ status: 413 }));
  const cut = await here.run(apply);
  expect(cut.stderr).toContain("STO014");
  server.meddle = () => undefined;
  const [, copy = ""] = /vmform state push (\S+)/.exec(cut.stderr.replaceAll(/\s+/g, " ")) ?? [];
  await here.documented(push, { FILE: copy });
  await here.works(apply);
  await here.converged();
}

const planFromMirror = "vmform plan --state-from mirror";
const driftFromMirror = "vmform drift --state-from mirror";
const applyFromMirror = "vmform apply --state-from mirror --allow mirror";
const mirrors = "vmform state mirror";
const discard = "vmform state mirror --discard NAME";
const pushOver = "vmform state push --force FILE";
const mirror: Scenario = {
  name: "the server is away, others have applied meanwhile, and the mirror counts",
  commands: [planFromMirror, driftFromMirror, applyFromMirror, mirrors, discard, pushOver],
  isPresent: true,
  play: async (here) => {
    const server = await startStateServer("gitlab");
    try {
      here.settings(`state: { http: { address: "${server.address}" } }`);
      await here.works(apply);
      server.meddle = () => ({ status: 500 });
      await here.documented(planFromMirror);
      await here.documented(driftFromMirror);
      await here.documented(applyFromMirror, { apply: "apply --auto-approve" });
      server.meddle = () => undefined;
      const folder = join(here.folder, ".vmform", "mirror");
      // Somebody else, who has no mirror of this.
      renameSync(folder, `${folder}-kept`);
      await here.works(apply);
      rmSync(folder, { recursive: true });
      renameSync(`${folder}-kept`, folder);
      expect((await here.run(apply)).stderr).toContain("STO076");
      const [name = ""] = /^\S+(?=:)/.exec((await here.documented(mirrors)).stdout) ?? [];
      const { stdout } = await here.documented(discard, { NAME: name });
      const [, file = ""] = /applied from it is in (\S+),/.exec(stdout) ?? [];
      await here.documented(pushOver, { FILE: file });
      await here.converged();
    } finally {
      await server.stop();
    }
  },
};

const toBucket = "vmform state migrate --to s3://lab-states/web.json";
const fromFile = "vmform state migrate --from state/default.json";
const reclaim = "vmform state migrate --reclaim";
const bucket: Scenario = {
  name: "a state moves into a bucket, which is lost, and into another one",
  commands: [toBucket, reclaim, fromFile],
  isPresent: true,
  play: async (here) => {
    const server = versitygw === undefined ? startCareless([]) : startVersity(versitygw, true);
    const { endpoint, stop } = await server;
    try {
      await makeBucket(endpoint, "lab-states");
      here.setEnvironment({
        AWS_ENDPOINT_URL_S3: endpoint,
        AWS_ACCESS_KEY_ID: keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      });
      here.settings(local);
      await here.works(apply);
      await here.documented(toBucket);
      here.settings("state: { s3: { bucket: lab-states, key: web.json } }");
      await here.converged();
      here.settings(local);
      expect((await here.run("vmform plan")).stderr).toContain("CLI051");
      await here.documented(reclaim);
      await here.converged();
      here.settings("state: { s3: { bucket: lab-states, key: again.json } }");
      await here.documented(fromFile);
      await here.converged();
    } finally {
      await stop();
    }
  },
};

const tables = "vmform state sql | psql infra";
const printed = "vmform state sql";
const place = `'{ postgres: { url: "postgres://infra@db.example/infra", name: web } }'`;
const prune = commandsOfPage().find((command) => command.startsWith("delete ")) ?? "no statement";
const postgres: Scenario = {
  name: "an administrator makes the tables, and a state moves there",
  commands: [tables, printed, place, prune],
  isPresent: isThere("psql") && hasPostgres(),
  play: async (here) => {
    const server = await startPostgres();
    try {
      const role = "create role infra login";
      await server.admin(
        "postgres",
        role,
        "create database infra",
        "revoke create on database infra from public",
      );
      const [host, port] = ["127.0.0.1", String(server.port)];
      here.setEnvironment({ PGHOST: host, PGPORT: port, PGUSER: "admin" });
      const url = `postgres://infra@${host}:${port}/infra`;
      const settings = `state: { postgres: { url: "${url}", name: web } }`;
      here.settings(settings);
      expect((await here.run(apply)).stderr).toContain("STO046");
      await here.documented(printed);
      await here.documented(tables);
      here.settings(local);
      await here.works(apply);
      const migrate = "vmform state migrate --to '{";
      await here.documented(place, { "'{": migrate, "db.example": `${host}:${port}` });
      here.settings(settings);
      await here.converged();
      await here.works("vmform destroy --auto-approve --allow destroy,power-off");
      const count = "select count(*)::int as n from vmform.journal";
      expect(await server.admin("infra", count)).not.toEqual([{ n: 0 }]);
      // Of now, so that there are such entries.
      const typed = { "delete from": 'psql infra -c "delete from', "'1 year';": "'0';\"" };
      await here.documented(prune, typed);
      expect(await server.admin("infra", count)).toEqual([{ n: 0 }]);
      await here.works(apply);
      await here.converged();
    } finally {
      await server.remove();
    }
  },
};

const scenarios = [http, encryption, bucket, postgres, mirror];

test("each command of the page stands in a scenario, and nothing else does", () => {
  const played = scenarios.flatMap(({ commands }) => commands);
  expect(commandsOfPage()).toEqual([...new Set(played)].toSorted());
});

describe.runIf(isLongRun).each(scenarios)("$name", (scenario) => {
  let installed: Command;
  let here: StoresProject;
  beforeAll(() => {
    installed = installCommand();
    here = storesProject(installed);
  });
  afterAll(() => {
    here.remove();
    installed.remove();
  });

  test.runIf(scenario.isPresent)("can be typed so", async () => {
    await scenario.play(here);
    expect(here.ran.toSorted()).toEqual(scenario.commands.toSorted());
  });
});
