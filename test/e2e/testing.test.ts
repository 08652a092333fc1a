/**
 * Tests of a configuration touch nothing: no endpoint hears of them, whatever the configuration
 * says, and neither recorded state nor the folder changes, also when they are interrupted.
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runNode } from "../examples/program.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";

const program = buildProgram();
let folder = "";
let server: Server;
let connections = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vmform-tests-"));
  connections = 0;
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** A configuration of three interfaces, all at the endpoint that must not hear of it. */
function writeConfiguration(): void {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  write(
    "main.vmform.yaml",
    [
      "providers:",
      `  daemon: { url: "${url}" }`,
      `  daemon.other: { url: "${url}/" }`,
      `  cloud: { url: "${url}", user: admin, org: system, password: { env: CLOUD_SECRET } }`,
      `  manager: { url: "${url}", user: admin, password: { env: MANAGER_SECRET } }`,
      "resources:",
      "  daemon_vm.web: { id: web, power: on }",
      "  daemon_vm.other: { provider: daemon.other, id: other, power: on }",
      "  cloud_vm.db: { name: db, power: on }",
      "  manager_vm.desk: { name: desk }",
    ].join("\n"),
  );
}

function contentOf(path: string): { readonly [name: string]: string } {
  const names = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [file, readFileSync(file, "utf8")];
    }),
  );
}

describe("vmform test", () => {
  const runs = `
world:
  cloud: { vapps: { shop: { vms: { db: { power: off } } } } }
  manager: { vms: { desk: { power: on } } }
environment: { CLOUD_SECRET: secret, MANAGER_SECRET: secret }
runs:
  - { name: planned, command: plan }
  - { name: made, command: apply, expect: { assertions: [{ condition: "\${state.objects.size() == 4}" }] } }
  - { name: nothing, command: drift, expect: { exit: 0 } }
  - { name: gone, command: destroy, allow: [destroy] }
`;

  test("speaks to no endpoint, and leaves recorded state and the folder as they are", async () => {
    writeConfiguration();
    write("a.vmformtest.yaml", runs);
    write("b.vmformtest.yaml", runs);
    mkdirSync(join(folder, "state"));
    write("state/default.json", "this is not recorded state");
    const before = contentOf(folder);
    const environment = {
      CLOUD_SECRET: "the real one",
      VMFORM_VAR_x: "1",
      HTTP_PROXY: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    };
    const ended = await runNode(program.main, ["test"], folder, environment);
    expect(ended.stdout).toContain("Success! 8 runs passed.");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(connections).toBe(0);
    expect(contentOf(folder)).toEqual(before);
  });

  test("takes no secret from the process", onlyInLongRun, async () => {
    writeConfiguration();
    write("a.vmformtest.yaml", runs.replace(/^environment.*$/m, ""));
    const ended = await runNode(program.main, ["test"], folder, { CLOUD_SECRET: "the real one" });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("CLOUD_SECRET is not set");
    expect(connections).toBe(0);
  });

  test("has nothing to clean up when it is interrupted", onlyInLongRun, async () => {
    writeConfiguration();
    const many = Array.from({ length: 400 }, (_, at) => `  - { name: n${at}, command: apply }`);
    const [head = ""] = runs.split("runs:");
    write("a.vmformtest.yaml", runs);
    write("b.vmformtest.yaml", `${head}runs:\n${many.join("\n")}\n`);
    const before = contentOf(folder);
    const temporary = mkdtempSync(join(tmpdir(), "vmform-tests-tmp-"));
    const child = spawn(process.execPath, [program.main, "test", "--parallel", "1"], {
      cwd: folder,
      env: { ...process.env, TMPDIR: temporary },
    });
    const code = new Promise((resolve) => child.once("exit", resolve));
    let told = "";
    child.stderr.on("data", (chunk: Buffer) => {
      told += chunk.toString();
    });
    // The first file has ended, and the second goes on for long.
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGINT");
    expect(await code).toBe(130);
    expect(told).toContain("Interrupted");
    expect(readdirSync(temporary)).toEqual([]);
    expect(contentOf(folder)).toEqual(before);
    rmSync(temporary, { recursive: true });
  });

  test(
    "writes a report for CI servers, and over nothing but such a one",
    onlyInLongRun,
    async () => {
      writeConfiguration();
      write("a.vmformtest.yaml", runs.replace("size() == 4", "size() == 5"));
      write("b.vmformtest.yaml", "runs: []");
      const words = ["test", "--junit", "report.xml"];
      expect((await runNode(program.main, words, folder)).code).toBe(1);
      const report = readFileSync(join(folder, "report.xml"), "utf8");
      expect(report).toMatch(/<testsuites name="vmform test" tests="5" failures="1" errors="1"/);
      expect(report).toContain('<testcase name="planned" classname="a.vmformtest.yaml"');
      expect(report).toContain("state.objects.size() is 4");
      expect((await runNode(program.main, words, folder)).code).toBe(1);
      write("report.xml", "<other/>");
      expect((await runNode(program.main, words, folder)).stderr).toContain("CLI014");
    },
  );
});
