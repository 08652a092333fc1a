/**
 * Provider packages as people use them, by the command: the worked example fetched from a registry,
 * locked, applied, changed behind its back, killed and taken away; and packages that are at fault.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, runNode } from "../examples/program.ts";
import { amount, onlyInLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";

const program = buildProgram();
const example = fileURLToPath(new URL("../../examples/provider/dns", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "vmform-packages-"));
let registry: Server;
let origin = "";
let packed: Buffer;

/** What npm would publish of the example, with a script that must never run. */
function pack(change: (folder: string) => void = () => {}): Buffer {
  const folder = mkdtempSync(join(scratch, "packed-"));
  const inner = join(folder, "package");
  cpSync(example, inner, { recursive: true });
  change(inner);
  const path = join(inner, "package.json");
  const description = JSON.parse(readFileSync(path, "utf8")) as object;
  const touch = "node -e \"require('node:fs').writeFileSync('ran','')\"";
  const scripts = { preinstall: touch, install: touch, postinstall: touch, prepare: touch };
  writeFileSync(path, JSON.stringify({ ...description, scripts }));
  return execFileSync("tar", ["cz", "-C", folder, "package"]);
}

beforeAll(async () => {
  packed = pack();
  registry = createServer((request, response) => {
    if (request.url === "/vmform-provider-dns") {
      const integrity = `sha512-${createHash("sha512").update(packed).digest("base64")}`;
      const dist = { tarball: `${origin}/dns-1.0.0.tgz`, integrity };
      const version = { name: "vmform-provider-dns", version: "1.0.0", dist };
      response.end(JSON.stringify({ name: version.name, versions: { "1.0.0": version } }));
    } else if (request.url === "/dns-1.0.0.tgz") response.end(packed);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((resolve) => registry.close(resolve));
  rmSync(scratch, { recursive: true, force: true });
});

type Place = {
  readonly folder: string;
  readonly write: (text: string) => void;
  readonly zone: () => string;
  readonly run: (...words: readonly string[]) => Promise<Ended>;
};

const block = (source: string): string =>
  `vmform: { state: { local: { path: ./state/state.json } } }
providers: { dns: { package: ${JSON.stringify(source)}, zone_file: ./zone } }
`;
const record = (name: string, value: string): string =>
  `  dns_record.${name}: { name: ${name}, kind: A, value: ${value} }\n`;

function place(environment: { readonly [name: string]: string } = {}): Place {
  const folder = mkdtempSync(join(scratch, "place-"));
  const npm = { npm_config_registry: origin, npm_config_cache: join(scratch, "npm-cache") };
  return {
    folder,
    write: (text) => writeFileSync(join(folder, "main.vmform.yaml"), text),
    zone: () => readFileSync(join(folder, "zone"), "utf8"),
    run: (...words) => runNode(program.main, words, folder, { ...npm, ...environment }),
  };
}

const agreed = ["--auto-approve", "--allow", "destroy,replace"];

describe("a published package", () => {
  it("is fetched, locked, used, and refused once it is another", onlyInLongRun, async () => {
    const { folder, write, zone, run } = place();
    const published = block("vmform-provider-dns@1.0.0");
    write(`${published}resources:\n${record("a", "192.0.2.1")}${record("b", "192.0.2.2")}`);
    expect((await run("plan")).stderr).toMatch(
      /npm:vmform-provider-dns@1.0.0 is not fetched.*vmform init/s,
    );
    expect(await run("init")).toMatchObject({ code: 0, stderr: "" });
    const lock = readFileSync(join(folder, "vmform.lock.yaml"), "utf8");
    expect(lock).toMatch(/"npm:vmform-provider-dns@1.0.0": sha256-/);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => file.endsWith("ran"))).toEqual([]);

    expect(await run("plan", "--detailed-exitcode")).toMatchObject({ code: 2, stderr: "" });
    expect(await run("apply", ...agreed)).toMatchObject({ code: 0, stderr: "" });
    expect(zone()).toBe("a 300 IN A 192.0.2.1\nb 300 IN A 192.0.2.2\n");
    expect((await run("plan")).stdout).toContain("No changes.");
    const recorded = readFileSync(join(folder, "state", "state.json"), "utf8");
    expect(recorded).toContain('"package": "vmform-provider-dns@1.0.0"');

    packed = pack((inner) => appendFileSync(join(inner, "zone.js"), "// another\n"));
    expect((await run("init", "--upgrade")).code).toBe(0);
    expect(readFileSync(join(folder, "vmform.lock.yaml"), "utf8")).not.toBe(lock);
    writeFileSync(join(folder, "vmform.lock.yaml"), lock);
    const other = await run("init");
    expect(other.stderr).toBe("");
    // What was fetched before lies beside it: the lock says which one is in use.
    const installed = /sha256-([0-9a-f]{24})/.exec(lock)?.[1] ?? "";
    appendFileSync(join(folder, ".vmform", "modules", installed, "index.js"), "// mine\n");
    expect((await run("plan")).stderr).toMatch(/is not what was locked/);
    const again = await run("init");
    expect(again.stderr).toMatch(/its content is sha256-.*vmform init --upgrade/s);
    packed = pack();
    expect(await run("init")).toMatchObject({ code: 0, stderr: "" });
    expect((await run("plan")).stdout).toContain("No changes.");
  });
});

describe("objects of a package", () => {
  it(
    "are read, changed, found missing, imported and destroyed like others",
    onlyInLongRun,
    async () => {
      const { folder, write, zone, run } = place();
      cpSync(example, join(folder, "dns"), { recursive: true });
      const [a, b] = [record("a", "192.0.2.1"), record("b", "192.0.2.2")];
      write(`${block("./dns")}resources:\n${a}${b}`);
      expect(await run("validate")).toMatchObject({ code: 0, stderr: "" });
      expect(await run("apply", ...agreed)).toMatchObject({ code: 0, stderr: "" });

      writeFileSync(join(folder, "zone"), "a 300 IN A 192.0.2.9\nc 60 IN A 192.0.2.3\n");
      const drift = await run("drift");
      expect(drift).toMatchObject({ code: 2, stderr: "" });
      expect(drift.stdout).toContain("Drift: 1 drifted, 1 missing");
      expect(await run("doctor")).toMatchObject({ code: 0 });

      write(`${block("./dns")}resources:\n${record("a", "192.0.2.5")}${record("c", "192.0.2.3")}`);
      expect((await run("plan")).stdout).toMatch(/PLN002.*import 'dns_record.c' 'c\/A'/s);
      expect(await run("import", "dns_record.c", "c/A")).toMatchObject({ code: 0, stderr: "" });
      expect(await run("apply", ...agreed)).toMatchObject({ code: 0, stderr: "" });
      expect(zone()).toBe("a 300 IN A 192.0.2.5\nc 300 IN A 192.0.2.3\n");

      write("vmform: { state: { local: { path: ./state/state.json } } }\n");
      const without = await run("destroy", ...agreed);
      expect(without.code).toBe(1);
      expect(without.stderr).toMatch(/PKG002.*vmform-provider-dns@1.0.0 \(.\/dns\).*"\.\/dns"/s);
      expect((await run("state", "list")).stdout).toBe("dns_record.a\ndns_record.c\n");

      write(`${block("./dns")}outputs: { a: { value: 1 } }\n`);
      expect(await run("destroy", ...agreed)).toMatchObject({ code: 0 });
      expect(zone()).toBe("");
    },
  );
});

describe("a run that is killed", () => {
  const hook = pathToFileURL(fileURLToPath(new URL("./kill-hook.mjs", import.meta.url))).href;

  it("is converged by the next one, and nothing is done twice", onlyInLongRun, async () => {
    const points = [
      ...Array.from({ length: 8 }, (_one, n) => ({ kind: "append", n: n + 1, phase: "durable" })),
      ...Array.from({ length: 16 }, (_one, n) => ({ kind: "file", n: n + 1, phase: "before" })),
    ];
    const step = amount(24, 4);
    let killed = 0;
    for (const at of points.filter((_one, index) => index % step === 1 % step)) {
      const { folder, write, zone, run } = place();
      cpSync(example, join(folder, "dns"), { recursive: true });
      noteChanges(folder);
      write(`${block("./dns")}resources:\n${soon("a", "192.0.2.1")}${soon("b", "192.0.2.2")}`);
      const ended = await runNode(program.main, ["apply", ...agreed], folder, {
        NODE_OPTIONS: `--import ${hook}`,
        KILL_AT: JSON.stringify(at),
        KILL_FOLDER: folder,
      });
      if (ended.code !== 0) killed += 1;
      const next = await run("apply", ...agreed);
      expect({ at, code: next.code, stderr: next.stderr }).toEqual({ at, code: 0, stderr: "" });
      expect(zone().split("\n").toSorted()).toEqual([
        ...["", "a 300 IN A 192.0.2.1", "b 300 IN A 192.0.2.2"],
      ]);
      const changes = readFileSync(join(folder, "zone.changes"), "utf8").split("\n");
      expect(changes.filter((line, index) => line !== "" && changes.indexOf(line) < index)).toEqual(
        [],
      );
      expect((await run("plan")).stdout).toContain("No changes.");
    }
    expect(killed).toBeGreaterThan(0);
  });

  /** A record whose create the next run need not look for as long as the example allows. */
  function soon(name: string, value: string): string {
    return record(name, value).replace(" }", ", timeouts: { create: 2s } }");
  }

  /** Each change that the example makes to the file leaves a line beside it. */
  function noteChanges(folder: string): void {
    const path = join(folder, "dns", "zone.js");
    const text = readFileSync(path, "utf8");
    const noted = text.replace(
      "  await rename(`${path}.new`, path);\n",
      (line) => `${line}  await appendFile(\`\${path}.changes\`, \`\${name}/\${kind}\\n\`);\n`,
    );
    expect(noted).not.toBe(text);
    writeFileSync(path, noted.replace("import { readFile,", "import { appendFile, readFile,"));
  }
});
