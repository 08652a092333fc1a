/**
 * Modules from servers as people fetch them: archives over TLS, whose certificate is trusted or is
 * not, and repositories over ssh, in whose place a script runs what would run there.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer, type Server } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, runNode } from "../examples/program.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { zipOf } from "../helpers/zip.ts";
import { pathOf, pem } from "../unit/http/tls-servers.ts";

const program = buildProgram();
const scratch = mkdtempSync(join(tmpdir(), "vmform-servers-"));
const content = "outputs: { served: { value: here } }\n";
const servers: Server[] = [];
/** Ports by what answers there. */
let ports = { trusted: 0, self: 0, plain: 0 };
let commit = "";

const page = "<!DOCTYPE html><html><body>Sign in</body></html>";
const zip = (): Buffer => zipOf([["lab/main.vmform.yaml", content]]);

function tar(): Buffer {
  mkdirSync(join(scratch, "packed/lab"), { recursive: true });
  writeFileSync(join(scratch, "packed/lab/main.vmform.yaml"), content);
  return execFileSync("tar", ["cz", "-C", join(scratch, "packed"), "lab"]);
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on("request", ({ url = "" }, response) => {
    const to = /^\/to-(\w+)\.zip$/.exec(url)?.[1];
    if (url === "/lab.zip") response.end(zip());
    else if (url === "/lab.tar.gz") response.end(tar());
    else if (url.startsWith("/page.")) response.end(page);
    else if (url === "/cut.zip") response.end(zip().subarray(0, 60));
    else if (to === "same") response.writeHead(302, { location: "/lab.zip" }).end();
    else if (to === "plain") {
      response.writeHead(302, { location: `http://localhost:${ports.plain}/lab.zip` }).end();
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  const key = pem("key");
  ports = {
    trusted: await listen(createServer({ key, cert: pem("server") })),
    self: await listen(createServer({ key, cert: pem("self") })),
    plain: await listen(createPlainServer()),
  };
  const repository = join(scratch, "repository");
  mkdirSync(join(repository, "lab"), { recursive: true });
  writeFileSync(join(repository, "lab/main.vmform.yaml"), content);
  const git = (...words: readonly string[]): string => {
    const identity = ["-c", "user.name=n", "-c", "user.email=n@n"];
    return execFileSync("git", ["-C", repository, ...identity, ...words], { encoding: "utf8" });
  };
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "lab");
  commit = git("rev-parse", "HEAD").trim();
  const ssh = [
    "#!/bin/sh",
    'while [ $# -gt 1 ]; do case "$1" in -o|-p) shift 2;; -*) shift;; *) break;; esac; done',
    'case "$1" in',
    '  *denied) echo "git@denied: Permission denied (publickey)." >&2; exit 255;;',
    '  *strange) echo "Host key verification failed." >&2; exit 255;;',
    "esac",
    'shift; exec sh -c "$*"',
  ];
  writeFileSync(join(scratch, "ssh"), `${ssh.join("\n")}\n`, { mode: 0o755 });
});

afterAll(async () => {
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  rmSync(scratch, { recursive: true, force: true });
});

/** `vmform init` in a folder that calls the module. */
async function init(source: string): Promise<Ended & { readonly folder: string }> {
  const folder = mkdtempSync(join(scratch, "root-"));
  writeFileSync(
    join(folder, "main.vmform.yaml"),
    `modules: { lab: { source: "${source}" } }\n` +
      "outputs: { served: { value: '${module.lab.served}' } }\n",
  );
  const environment = {
    NODE_EXTRA_CA_CERTS: pathOf("authority"),
    GIT_SSH_COMMAND: join(scratch, "ssh"),
  };
  return { ...(await runNode(program.main, ["init"], folder, environment)), folder };
}

describe("what is fetched from a server, and locked", () => {
  it.each(
    some<readonly [string, () => string]>(
      [
        ["a zip archive", () => `https://127.0.0.1:${ports.trusted}/lab.zip//lab`],
        ["a tar archive", () => `https://127.0.0.1:${ports.trusted}/lab.tar.gz//lab`],
        ["what a server leads to", () => `https://127.0.0.1:${ports.trusted}/to-same.zip//lab`],
        ["a repository", () => `git::ssh://git@host${scratch}/repository//lab?ref=${commit}`],
        ["one at a port", () => `git::ssh://git@host:2222${scratch}/repository//lab?ref=${commit}`],
      ],
      2,
    ),
  )("%s", async (_what, source) => {
    const { folder, ...ended } = await init(source());
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const lock = readFileSync(join(folder, "vmform.lock.yaml"), "utf8");
    expect(lock).toMatch(/: sha256-[0-9a-f]{64}\n/);
    const shown = await runNode(program.main, ["plan"], folder);
    expect(shown.stdout).toContain('served: "here"');
  });
});

describe("what cannot be fetched from a server is told with its cause", () => {
  it.each(
    some<readonly [string, () => string, RegExp]>(
      [
        [
          "self",
          () => `https://127.0.0.1:${ports.self}/lab.zip`,
          /not trusted: .*NODE_EXTRA_CA_CERTS/,
        ],
        ["a name", () => `https://localhost:${ports.trusted}/lab.zip`, /of another host\./],
        ["no TLS", () => `https://127.0.0.1:${ports.plain}/lab.zip`, /does not speak TLS\./],
        ["away", () => `https://127.0.0.1:${ports.trusted}/to-plain.zip`, /which has no TLS\./],
        ["a page", () => `https://127.0.0.1:${ports.trusted}/page.zip`, /it is a page\./],
        ["a page, tar", () => `https://127.0.0.1:${ports.trusted}/page.tgz`, /it is a page\./],
        ["half", () => `https://127.0.0.1:${ports.trusted}/cut.zip`, /no archive.*truncated\./],
        ["nothing", () => `https://127.0.0.1:${ports.trusted}/none.zip`, /answers 404 Not Found\./],
        [
          "no key",
          () => `git::ssh://git@denied/x?ref=${commit}`,
          /Permission denied \(publickey\)\./,
        ],
        ["a strange host", () => `git::ssh://git@strange/x?ref=${commit}`, /Host key verification/],
        [
          "an ssh address",
          () => `git::git@host:x//lab?ref=${commit}`,
          /Write git::ssh:\/\/git@host\/x/,
        ],
        ["a folder that is not there", () => "./nowhere", /There is no folder nowhere/],
      ],
      4,
    ),
  )("%s", async (_what, source, expected) => {
    const { code, stderr, folder } = await init(source());
    expect(code).toBe(1);
    expect(stderr.replaceAll("\n", " ").trim()).toMatch(expected);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(() => readFileSync(join(folder, "vmform.lock.yaml"))).toThrow("ENOENT");
  });
});

it(
  "a configuration that nobody can read takes nothing out of the lock",
  onlyInLongRun,
  async () => {
    const { folder } = await init(`https://127.0.0.1:${ports.trusted}/lab.zip//lab`);
    const lock = readFileSync(join(folder, "vmform.lock.yaml"), "utf8");
    const main = join(folder, "main.vmform.yaml");
    writeFileSync(main, `${readFileSync(main, "utf8")}locals: [\n`);
    await runNode(program.main, ["init"], folder);
    expect(readFileSync(join(folder, "vmform.lock.yaml"), "utf8")).toBe(lock);
  },
);
