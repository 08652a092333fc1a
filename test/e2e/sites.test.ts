/**
 * Runs whose daemon is at a site, by way of a PostgreSQL server of the test's own and agents in
 * processes of their own: applied, with agents killed, and the database restarted.
 */

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { publicJsonProblems } from "../cli/public-json.ts";
import { isLongRun, onlyInLongRun, some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { type Child, type Ended, endChildren, startChild } from "./child.ts";
import { type SimulatorProcess, startSimulator } from "./simulator.ts";

const password = "s3&cr\"t/<é'+ t0p";
const world = JSON.stringify({
  daemon: { durations_ms: { create: 50, clone: 100, power_on: 50, tools: 20, address: 20 } },
  cloud: { users: [{ name: "admin", password }] },
});
const hook = fileURLToPath(new URL("site-hook.mjs", import.meta.url));
// The tests run on every Node.js that the rest runs on.
const anyNode = { VMFORM_UNSUPPORTED_NODE: "1" };
const apply = ["apply", "--auto-approve"];

describe.runIf(hasPostgres())("with a server", () => {
  const { main } = buildProgram();
  let server: PostgresServer;
  let simulator: SimulatorProcess;
  let root: string;
  /** Of the configuration. */
  let folder: string;
  let states = 0;
  let agents: Child[] = [];

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "vmform-sites-"));
    mkdirSync(join(root, "site"));
    server = await startPostgres();
    simulator = await startSimulator(main, root, world);
  });
  beforeEach(async () => {
    for (const { id } of await simulator.vms()) await simulator.change({ delete_vm: { id } });
    states += 1;
    folder = join(root, `configuration-${states}`);
    mkdirSync(folder);
    configure();
  });
  afterEach(async () => {
    for (const agent of agents) {
      agent.kill("SIGKILL");
      await agent.ended;
    }
    agents = [];
  });
  afterAll(async () => {
    await simulator.stop();
    await endChildren();
    await server.remove();
    rmSync(root, { recursive: true, force: true });
  });

  const database = () => `postgres://admin@127.0.0.1:${server.port}/postgres`;

  function configure(more = ""): void {
    const timeouts = "timeouts: { create: 5s, power: 5s, wait: 5s }";
    const yaml = `
vmform: { state: { postgres: { url: "${database()}", name: "web-${states}" } } }
providers:
  daemon: { url: "${simulator.origin}", via: site-a, unavailable: wait 20s }
${more}
resources:
  daemon_vm.base: { id: web-base, power: off, ${timeouts} }
  daemon_vm.app: { id: web-a, parent_id: "\${daemon_vm.base.id}", power: on, ${timeouts} }
`;
    writeFileSync(join(folder, "main.vmform.yaml"), yaml);
  }

  function startAgent(
    environment: { readonly [name: string]: string } = {},
    ...words: readonly string[]
  ): Child {
    const at = ["agent", "--site", "site-a", "--database", database()];
    const agent = startChild(main, [...at, ...words], {
      cwd: join(root, "site"),
      node: environment["SITE_AT"] === undefined ? [] : ["--import", hook],
      environment: { ...anyNode, ...environment },
    });
    agents.push(agent);
    return agent;
  }

  const start = (...words: readonly string[]): Child =>
    startChild(main, words, { cwd: folder, environment: anyNode });

  async function run(code: number, ...words: readonly string[]): Promise<Ended> {
    const ended = await start(...words).ended;
    expect(ended, `${ended.stdout}\n${ended.stderr}`).toMatchObject({ code });
    return ended;
  }

  /** Changes that had their effect, and that none had it twice. */
  async function doneOnce(after: number): Promise<readonly string[]> {
    const log = await simulator.log(after);
    const done = log
      .filter((entry) => entry.class === "mutate" && entry.effect)
      .map(({ method, path, body }) => `${method} ${path} ${body}`);
    expect(new Set(done).size).toBe(done.length);
    return done.toSorted();
  }

  async function converged(after: number): Promise<void> {
    await run(0, "plan", "--detailed-exitcode");
    expect(await doneOnce(after)).toHaveLength(3);
    const vms = (await simulator.vms()).map(({ id, power }) => `${id} ${power}`);
    expect(vms.toSorted()).toEqual(["web-a on", "web-base off"]);
  }

  test(
    "it is applied by an agent, each change once; secrets stay at the site",
    onlyInLongRun,
    async () => {
      const cloud = `url: "${simulator.cloudOrigin}", user: admin, org: system, via: site-a`;
      configure(`  cloud: { ${cloud}, password: { env: CLOUD_PASSWORD } }`);
      const agent = startAgent({ CLOUD_PASSWORD: password }, "--json");
      await agent.printed("Taking calls");
      const after = (await simulator.log()).length;
      await run(0, ...apply);
      await converged(after);
      // The password is known at the site alone: here, a login would fail.
      const doctor = await run(0, "doctor");
      expect(doctor.stdout).toMatch(/cloud: session: version/);
      expect(doctor.stdout).toMatch(/site site-a: agent of vmform \S+ on \S+, since/);
      const asData = await run(0, "doctor", "--json");
      expect(publicJsonProblems({ command: "vmform doctor --json", ...asData })).toEqual([]);
      expect(asData.stdout).toMatch(/"site":\s*"site-a"/);
      agent.kill("SIGTERM");
      const ended = await agent.ended;
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      expect(publicJsonProblems({ command: "vmform agent --json", ...ended })).toEqual([]);
      expect(ended.stdout).toContain('"type":"agent_call"');
      const said = `${ended.stdout}${doctor.stdout}`;
      const folders = [join(server.socket, "data", "base"), join(server.socket, "data", "pg_wal")];
      await server.admin("postgres", "checkpoint");
      const search = promisify(execFile);
      const hits = (text: string): Promise<string> =>
        search("grep", ["-rlaF", "-e", text, ...folders]).then(
          ({ stdout }) => stdout,
          () => "",
        );
      expect(said).not.toContain("t0p");
      expect(await hits("s3&cr")).toBe("");
      expect(await hits("é'+ t0p")).toBe("");
      // What is looked for would be found.
      expect(await hits("CLOUD_PASSWORD")).not.toBe("");
    },
  );

  const kills = [
    { point: "check", sent: 0 },
    { point: "sent", sent: 1 },
    { point: "answer", sent: 1 },
  ] as const;

  test.each(some(kills, 0))("an agent is killed at: $point", async ({ point, sent }) => {
    const report = join(root, `killed-${states}`);
    const at = JSON.stringify({ point, signal: "SIGKILL" });
    const first = startAgent({ SITE_AT: at, SITE_REPORT: report });
    await first.printed("Taking calls");
    const next = startAgent();
    await next.printed("standing by");
    const after = (await simulator.log()).length;
    const applying = start(...apply);
    expect(await first.ended).toMatchObject({ signal: "SIGKILL" });
    expect(existsSync(report)).toBe(true);
    await next.printed("Taking calls");
    expect(
      (await simulator.log(after)).filter(({ class: kind }) => kind === "mutate").length,
    ).toBeGreaterThanOrEqual(sent);
    await applying.ended;
    await run(0, ...apply);
    await converged(after);
  });

  test.each(some(kills, 0, 1))("an agent is stopped, and woken, at: $point", async ({ point }) => {
    const report = join(root, `stopped-${states}`);
    const at = JSON.stringify({ point, signal: "SIGSTOP" });
    const first = startAgent({ SITE_AT: at, SITE_REPORT: report });
    await first.printed("Taking calls");
    const next = startAgent();
    await next.printed("standing by");
    const after = (await simulator.log()).length;
    const applying = start(...apply);
    // It keeps its connection, and loses its place all the same.
    await next.printed("Taking calls");
    expect(existsSync(report)).toBe(true);
    await applying.ended;
    await run(0, ...apply);
    await converged(after);
    const requests = (await simulator.log(after)).length;
    first.kill("SIGCONT");
    await first.printed("Not taking calls");
    await first.printed("standing by");
    expect((await simulator.log(after)).slice(requests)).toEqual([]);
    await converged(after);
    // And it is one that can take over again.
    next.kill("SIGTERM");
    expect(await next.ended).toMatchObject({ code: 0 });
    await expect
      .poll(() => first.stdout().split("Taking calls").length, { timeout: 30_000 })
      .toBe(3);
    await converged(after);
  });

  test.runIf(isLongRun)("the database is restarted in between", async () => {
    const agent = startAgent();
    await agent.printed("Taking calls");
    const after = (await simulator.log()).length;
    const applying = start(...apply);
    await expect.poll(async () => (await doneOnce(after)).length, { timeout: 30_000 }).toBe(1);
    await server.stop("fast");
    await server.start();
    await applying.ended;
    await run(0, ...apply);
    await converged(after);
  });
});
