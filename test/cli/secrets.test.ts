/**
 * A secret given in every way there is, through every command: it stands in no output and in no
 * file, in none of the forms that wires and files give to a text.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { startChild } from "../e2e/child.ts";
import { runToEnd } from "../e2e/to-end.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { type Command, installCommand } from "./command.ts";

/** Characters that URLs, XML and JSON write in forms of their own. */
const secret = "c4n&ry <\"ü'/+ t0p";

let installed: Command;
let folder: string;
let simulators: RunningSimulators;

beforeAll(() => {
  installed = installCommand();
});
afterAll(() => installed.remove());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vmform-secrets-"));
  simulators = await startSimulators({ world: {} });
});
afterEach(async () => {
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

const forms = new Map([
  ["plain", secret],
  ["the beginning", "c4n&ry"],
  ["base64", Buffer.from(secret).toString("base64")],
  ["base64 within a text", Buffer.from(`xx${secret}`).toString("base64").slice(4, -4)],
  ["URL", encodeURIComponent(secret)],
  ["form", new URLSearchParams({ s: secret }).toString().slice(2)],
  ["JSON", JSON.stringify(secret).slice(1, -1)],
  ["JSON with escapes", JSON.stringify(secret).slice(1, -1).replace("ü", "\\u00fc")],
  ["XML", secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")],
  ["XML beginning", "c4n&amp;ry"],
  ["Latin-1", Buffer.from(secret, "latin1").toString("latin1")],
]);

function formsIn(text: string): readonly string[] {
  return [...forms].filter(([, form]) => text.includes(form)).map(([name]) => name);
}

const variables = `
variables:
  token: { type: string, sensitive: true }
  port: { type: integer, sensitive: true, default: 1 }
  other: { type: string, default: "" }
`;

const use = `
locals:
  header: "Bearer \${vars.token}"
resources:
  daemon_vm.web:
    tag: '\${vars.other == "" ? "a" : "b"}'
    id: web
    power: on
outputs:
  token: { value: "\${vars.token}", sensitive: true }
  header: { value: "\${locals.header}", sensitive: true }
  address: { value: "\${daemon_vm.web.ip_address}" }
`;

/** Places where a sensitive value may not stand; what is said of them must not repeat it. */
const misuse = `
resources:
  daemon_vm.same: { id: "\${vars.token}" }
  daemon_vm.name: { id: name, name: "\${vars.token}" }
  daemon_vm.key: { id: "\${vars.token}" }
  daemon_vm.power: { id: power, power: "\${vars.token}" }
  daemon_vm.folders: { id: folders, folder_sharing: "\${vars.token}" }
outputs:
  open: { value: "\${vars.token}" }
  number: { value: "\${int(vars.token)}", sensitive: true }
  index: { value: "\${[1, 2][int(vars.token)]}", sensitive: true }
`;

const conditions = `
variables:
  token:
    type: string
    sensitive: true
    validation: [{ condition: 'vars.token == "x"', message: "token is not right" }]
`;

function write(...parts: readonly string[]): void {
  const provider = `providers:\n  daemon: { url: "${simulators.origins.daemon}" }\n`;
  writeFileSync(join(folder, "main.vmform.yaml"), provider + parts.join(""));
}

type Run = { readonly words: readonly string[]; readonly environment?: { [name: string]: string } };

/** Runs commands one after the other; gives what was found where, and the exit codes. */
async function runAll(runs: readonly Run[]) {
  const found: string[] = [];
  const codes: (number | null)[] = [];
  for (const { words, environment = {} } of runs) {
    const options = { cwd: folder, environment };
    // Files are named from where a process is.
    const { code, stdout, stderr } = words.some((word) => /^(?:http|given|p)\./.test(word))
      ? await startChild(installed.main, words, options).ended
      : await runToEnd(installed.main, words, options);
    codes.push(code);
    const printed = stdout + stderr;
    found.push(...formsIn(printed).map((form) => `${form} printed by ${words[0]}: ${printed}`));
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (name === "given.yaml" || !/\./.test(name)) continue;
      const text = readFileSync(join(folder, name), "utf8");
      found.push(...formsIn(text).map((form) => `${form} in ${name} after ${words[0]}`));
    }
  }
  return { found, codes };
}

const given = `--var=token=${secret}`;
const environment = { VMFORM_VAR_token: secret };

test("a sensitive variable is in no output and in no file", async () => {
  write(variables, use);
  writeFileSync(join(folder, "given.yaml"), `token: ${JSON.stringify(secret)}\n`);
  const { found, codes } = await runAll([
    { words: ["validate", given] },
    { words: ["plan", "--requests", given, "--debug-http", "http.log", "--out", "p.plan"] },
    { words: ["plan", "--json", "--var-file", "given.yaml"] },
    { words: ["show", "p.plan", "--json"] },
    { words: ["apply", "p.plan", "--debug-http", "http.log"] },
    { words: ["apply", "--auto-approve", "--json"], environment },
    { words: ["plan"], environment },
    { words: ["drift", "--json", given] },
    { words: ["output", "--json"] },
    { words: ["output"] },
    { words: ["show", "--json"] },
    { words: ["state", "show", "daemon_vm.web"] },
    { words: ["destroy", "--auto-approve", given] },
  ]);
  expect(found).toEqual([]);
  expect(codes).toEqual(codes.map(() => 0));
});

test("what is said of a misuse does not repeat it", onlyInLongRun, async () => {
  write(variables, misuse);
  const { found, codes } = await runAll([
    { words: ["validate", given] },
    { words: ["validate", "--json"], environment },
    { words: ["plan", "--json", given] },
    { words: ["apply", "--auto-approve"], environment },
  ]);
  expect(found).toEqual([]);
  expect(codes).toEqual([1, 1, 1, 1]);
});

test("nor does what is said of values that do not fit", onlyInLongRun, async () => {
  write(variables, use);
  writeFileSync(join(folder, "given.yaml"), `token: [${JSON.stringify(secret)}]\nport: "c4n&ry"\n`);
  const first = await runAll([
    { words: ["validate", `--var=port=${secret}`, given] },
    { words: ["validate", "--var-file", "given.yaml"] },
    { words: ["validate", "--json"], environment: { ...environment, VMFORM_VAR_port: secret } },
  ]);
  expect(first.found).toEqual([]);
  expect(first.codes).toEqual([1, 1, 1]);
  write(conditions, use);
  const second = await runAll([{ words: ["plan", given] }]);
  expect(second.found).toEqual([]);
  expect(second.codes).toEqual([1]);
});

test("the search for it finds it where it is", () => {
  const text = `{"token":${JSON.stringify(secret)}}`;
  expect(formsIn(text)).toContain("JSON");
  expect(formsIn(Buffer.from(secret).toString("base64"))).toContain("base64");
  expect(formsIn("nothing")).toEqual([]);
});
