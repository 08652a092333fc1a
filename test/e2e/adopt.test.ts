/**
 * `vmform adopt` against servers with objects that vmform did not make: what it writes and records
 * leaves a plan empty, it changes nothing there, and wherever it is killed the next one goes on.
 */

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import type { WorldDocument } from "../../src/simulators/world.ts";
import { runNode } from "../examples/program.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import type { Ended } from "./child.ts";
import { runToEnd } from "./to-end.ts";

const program = buildProgram();
const password = "hunter2 é";
const hook = fileURLToPath(new URL("./kill-hook.mjs", import.meta.url));

/** Names that are no identifiers, names that are not unique, and power that nobody asks for. */
const world: WorldDocument = {
  daemon: {
    vms: {
      golden: { name: "Golden image" },
      "web-1": {
        power: "on",
        tag: "shop",
        sharing: true,
        folders: { src: { host_path: "/srv/src" } },
      },
      "web-2": { power: "on", tag: "shop" },
      "büro-ä": { power: "suspended", name: `Büro "\${x}"` },
      日本: { power: "on" },
      p1: { power: "paused" },
    },
  },
  cloud: {
    users: [{ name: "admin", password }],
    datastores: { ssd: {}, hdd: {} },
    vapps: {
      shop: {
        vms: {
          web: { power: "on" },
          db: { datastore: "hdd", tools: "absent" },
          s: { power: "suspended", admin_password: "hunter3" },
        },
      },
      büro: { vms: { web2: { name: "web", power: "on" }, ä: { name: `Zürich \${a}` } } },
      twins: { vms: { t1: { name: "twin" }, t2: { name: "twin", power: "on" } } },
    },
  },
  manager: {
    users: [{ name: "admin", password }],
    vms: {
      web: {
        power: "on",
        folder: "shop/prod",
        disks: [{ size_gb: 40, format: "sesparse", used_gb: 30 }, { size_gb: 10 }],
      },
      "web-b": { name: "web", power: "off", folder: "shop/dev" },
      vcsa: { power: "on", disks: "appliance" },
    },
    alarms: { "Root logs in": { user: "LAB.LOCAL\\root" } },
  },
  appliance: { users: [{ name: "root", password }], vm: "vcsa" },
};

let simulators: RunningSimulators;
let folder: string;

beforeAll(async () => {
  simulators = await startSimulators({ world });
});
afterAll(() => simulators.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-adopt-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Provider = "daemon" | "cloud" | "manager" | "appliance";
const providers: readonly Provider[] = ["daemon", "cloud", "manager", "appliance"];

const run = (...words: readonly string[]): Promise<Ended> =>
  runToEnd(program.main, words, { cwd: folder, environment: { PW: password } });

function endpoint(provider: Provider, url: string = simulators.origins[provider]): string[] {
  return [provider, "--url", url, ...(provider === "daemon" ? [] : ["--password-env", "PW"])];
}

type Document = {
  readonly resources: readonly { readonly address: string; readonly id: string }[];
  readonly recorded: readonly string[];
  readonly left: readonly object[];
  readonly unlisted: readonly object[];
  readonly plan_is_empty: boolean;
  readonly outputs: readonly string[];
  readonly checks: readonly { readonly status: string; readonly detail: string }[];
  readonly found: readonly { readonly type: string; readonly recorded: number }[];
};

async function adopted(...words: readonly string[]): Promise<Document> {
  const { code, stdout, stderr } = await run("adopt", "--json", ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Document;
}

function text(): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

async function expectConverged(): Promise<void> {
  expect(await run("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  expect(await run("drift")).toMatchObject({ code: 0 });
  expect(simulators.log().filter((entry) => entry.class === "mutate")).toEqual([]);
  expect(text()).not.toMatch(/hunter/);
}

describe.each(some(providers, 1))("%s", (provider) => {
  test("everything comes under management, and nothing is changed", async () => {
    const all = await adopted(...endpoint(provider), "--yes");
    expect(all.resources.length).toBeGreaterThan(0);
    expect(all.recorded).toHaveLength(all.resources.length);
    expect(all).toMatchObject({ left: [], unlisted: [], plan_is_empty: true });
    await expectConverged();
    const again = await adopted("--yes");
    expect(again).toMatchObject({ resources: [], recorded: [], plan_is_empty: true });
    expect(readdirSync(folder)).not.toContain("adopted-2.vmform.yaml");
  });

  test("an object that is managed already is left as it is", onlyInLongRun, async () => {
    const [type] = (await adopted(...endpoint(provider), "--yes")).found.map((one) => one.type);
    const { stdout } = await run("state", "list");
    const before = stdout.split("\n").filter((line) => line !== "");
    const kept = before[0] ?? "";
    for (const address of before.slice(1)) await run("state", "rm", address);
    const { found, plan_is_empty } = await adopted("--yes");
    expect(found.find((one) => one.type === type)?.recorded).toBe(
      kept.startsWith(`${type}.`) ? 1 : 0,
    );
    expect(plan_is_empty).toBe(true);
    expect((await run("state", "list")).stdout).toBe(stdout);
  });

  test(
    "an endpoint that is not there is told, and mended without loss",
    onlyInLongRun,
    async () => {
      const closed = await startSimulators({ world: {} });
      const origin = closed.origins[provider];
      await closed.stop();
      const { code, stdout } = await run("adopt", ...endpoint(provider, origin), "--yes");
      expect(code).toBe(1);
      expect(stdout).toContain("connection refused");
      expect(existsSync(join(folder, "adopted.vmform.yaml"))).toBe(false);
      const file = join(folder, "main.vmform.yaml");
      const mended = readFileSync(file, "utf8").replace(origin, simulators.origins[provider]);
      writeFileSync(file, mended);
      expect(await adopted("--yes")).toMatchObject({ plan_is_empty: true });
    },
  );

  test("a page instead of the interface", async () => {
    const page = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><html><body>Please log in</body></html>");
    });
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
    const { port } = page.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    try {
      const { code, stdout } = await run("adopt", ...endpoint(provider, url), "--yes");
      expect(code).toBe(1);
      expect(stdout).toMatch(/failed +\w+: session: /);
      expect(readdirSync(folder).toSorted()).toEqual([".gitignore", "main.vmform.yaml"]);
    } finally {
      page.close();
    }
  });
});

test("a wrong password writes nothing but where the endpoint is", onlyInLongRun, async () => {
  for (const provider of some(["cloud", "manager", "appliance"] as const, 1)) {
    const words = ["adopt", ...endpoint(provider), "--yes", "--json"];
    const { code, stdout } = await runNode(program.main, words, folder, { PW: "hunter4" });
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as Document).checks.at(-1)).toMatchObject({ status: "failed" });
    expect(stdout).not.toContain("hunter");
    expect(text()).not.toMatch(/hunter/);
    expect(existsSync(join(folder, "state"))).toBe(false);
    rmSync(join(folder, "main.vmform.yaml"));
  }
});

test("an estate without anything", onlyInLongRun, async () => {
  const empty = await startSimulators({
    world: { cloud: { users: [{ name: "admin", password }] } },
  });
  try {
    for (const provider of ["daemon", "cloud"] as const) {
      const words = [...endpoint(provider, empty.origins[provider]), "--yes"];
      expect(await adopted(...words)).toMatchObject({ resources: [], plan_is_empty: true });
      expect(existsSync(join(folder, "adopted.vmform.yaml"))).toBe(false);
      rmSync(join(folder, "main.vmform.yaml"));
    }
  } finally {
    await empty.stop();
  }
});

test(
  "types and a filter choose, and what is left out can be adopted later",
  onlyInLongRun,
  async () => {
    const words = ["--type", "daemon_vm", "--filter", 'object.id.startsWith("web")', "--yes"];
    const chosen = await adopted(...endpoint("daemon"), ...words);
    expect(chosen.resources.map(({ id }) => id)).toEqual(["web-1", "web-2"]);
    await expectConverged();
    const rest = await adopted("--yes");
    expect(rest.resources).toHaveLength(5);
    expect(readdirSync(folder)).toContain("adopted-2.vmform.yaml");
    await expectConverged();
  },
);

test("content is not said to be absent where nobody looked", onlyInLongRun, async () => {
  const { code, stdout } = await run(
    ...["adopt", ...endpoint("daemon"), "--type", "daemon_shared_folder", "--yes"],
  );
  expect(code).toBe(1);
  expect(stdout).toContain("No daemon_shared_folder could be looked for");
});

test("what the configuration wants besides is left to apply, and said", onlyInLongRun, async () => {
  writeFileSync(
    join(folder, "main.vmform.yaml"),
    [
      `providers: { daemon: { url: "${simulators.origins.daemon}" } }`,
      "resources:",
      "  daemon_vm.fresh: { id: fresh, power: on }",
      "  daemon_vm.golden: { id: golden, power: on }",
      "imports: [{ to: daemon_vm.golden, id: golden }]",
    ].join("\n"),
  );
  const { code, stdout } = await run("adopt", "--yes");
  expect(code).toBe(1);
  expect(stdout).toContain("Recorded 6 objects.");
  expect(stdout).toContain("Not recorded: daemon_vm.golden: applying it would change it.");
  expect(stdout).toContain("daemon_vm.fresh: would be created");
  expect(simulators.log().filter((entry) => entry.class === "mutate")).toEqual([]);
});

test("outputs that come of what is adopted are recorded with it", onlyInLongRun, async () => {
  const servers = `providers: { daemon: { url: "${simulators.origins.daemon}" } }`;
  const outputs = 'outputs: { two: { value: "${1 + 1}" } }';
  writeFileSync(join(folder, "main.vmform.yaml"), `${servers}\n${outputs}\n`);
  expect(await adopted("--yes")).toMatchObject({ plan_is_empty: true, outputs: [] });
  await expectConverged();
});

test("what else cannot be planned is not in the way", onlyInLongRun, async () => {
  const other = "resources: { cloud_vm.gone: { name: nowhere, power: on } }\n";
  const { cloud: origin } = simulators.origins;
  const login = "user: admin, org: system, password: { env: PW }";
  const cloud = `cloud: { url: "${origin}", ${login} }`;
  const daemon = `daemon: { url: "${simulators.origins.daemon}" }`;
  writeFileSync(join(folder, "main.vmform.yaml"), `providers: { ${cloud}, ${daemon} }\n${other}`);
  const { code, stdout, stderr } = await run("adopt", "--yes", "--type", "daemon_vm");
  expect(stdout).toContain("Recorded 6 objects.");
  expect(stderr).toContain("PLN023");
  // The whole plan has an error, which is said.
  expect(code).toBe(1);
});

test.each([
  ["nobody to ask", [], /--yes/],
  ["a slip in a type", ["--type", "daemon_vmm", "--yes"], /Did you mean daemon_vm\?/],
  ["a slip in the filter", ["--filter", "object.nam", "--yes"], /Did you mean object\.name\?/],
  ["a file that is not read", ["--out", "x.yaml", "--yes"], /would not be read/],
])("%s: nothing of it is written", async (_what, words, told) => {
  const { code, stderr } = await run("adopt", ...endpoint("daemon"), ...words);
  expect(code).toBe(1);
  expect(stderr).toMatch(told);
  expect(readdirSync(folder)).not.toContain("adopted.vmform.yaml");
});

describe("killed", () => {
  const words = () => ["adopt", ...endpoint("daemon"), "--yes"];
  const kill = (at: object, report?: string): Promise<string> =>
    new Promise((resolve) => {
      const env = {
        ...{ PATH: process.env.PATH ?? "", HOME: folder, PW: password },
        ...{ KILL_AT: JSON.stringify(at), KILL_FOLDER: folder },
        ...(report === undefined ? {} : { KILL_REPORT: report }),
      };
      const started = ["--import", hook, program.main, ...words()];
      execFile(process.execPath, started, { cwd: folder, env }, (error) => {
        resolve(error === null ? "ended" : (error.signal ?? `code ${error.code}`));
      });
    });

  test("at every step, the next run has all of it once", onlyInLongRun, async () => {
    const report = join(tmpdir(), `vmform-adopt-${process.pid}.json`);
    expect(await kill({}, report)).toBe("ended");
    const counts = JSON.parse(readFileSync(report, "utf8")) as { [kind: string]: number };
    rmSync(report);
    const points = (["append", "file", "exchange"] as const).flatMap((kind) =>
      Array.from({ length: counts[kind] ?? 0 }, (_, index) => ({
        ...{ kind, n: index + 1 },
        phase: { append: "torn", file: "before", exchange: "replied" }[kind],
      })),
    );
    expect(points.length).toBeGreaterThan(20);
    for (const point of some(points, 1, 8)) {
      rmSync(folder, { recursive: true });
      folder = mkdtempSync(join(tmpdir(), "vmform-adopt-"));
      expect({ point, ended: await kill(point) }).toEqual({ point, ended: "SIGKILL" });
      const isConfigured = readdirSync(folder).includes("main.vmform.yaml");
      const next = await adopted(...(isConfigured ? ["--yes"] : words().slice(1)));
      expect({ point, ...next }).toMatchObject({ point, left: [], plan_is_empty: true });
      const { stdout } = await run("state", "list");
      expect(stdout.split("\n").filter((line) => line !== "")).toHaveLength(7);
      const read = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
      const written = read.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
      const ids = [...written.matchAll(/^ {2}- \{ to: .*, id: (.*) \}$/gm)].map(([, id]) => id);
      expect(ids).toHaveLength(7);
      expect(new Set(ids).size).toBe(7);
    }
    await expectConverged();
  });
});
