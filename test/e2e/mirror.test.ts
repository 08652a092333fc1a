/** The mirror of a store on a server that is switched off, in the process of the test. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { expectCode, type InsideOptions, type Output, runInside } from "../helpers/program.ts";
import { type RunningStateServer, startStateServer } from "../stores/state-server.ts";

let server: RunningStateServer;
let simulators: RunningSimulators;
let folder: string;

beforeEach(async () => {
  server = await startStateServer("gitlab");
  simulators = await startSimulators({ world: { daemon: {} } });
  folder = mkdtempSync(join(tmpdir(), "vmform-mirror-"));
  configure();
});
afterEach(async () => {
  await server.stop();
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

function configure(more = ""): void {
  const text = `
vmform:
  state: { http: { address: "${server.address}" } }
providers: { daemon: { url: "${simulators.origins.daemon}" } }
resources:
  daemon_vm.base: { id: base, power: off }
${more}
`;
  writeFileSync(join(folder, "main.vmform.yaml"), text);
}
const second = "  daemon_vm.second: { id: second, power: off }";

async function run(code: number, ...words: readonly string[]): Promise<Output> {
  return expectCode(code, words, await runInside(folder, words));
}
async function asking(options: InsideOptions, ...words: readonly string[]): Promise<Output> {
  return runInside(folder, words, options);
}

const squeezed = (output: Output): string =>
  `${output.stdout} ${output.stderr}`.replaceAll(/\s+/g, " ");
/** The server is there, and answers as one whose database is gone. */
function away(): void {
  server.meddle = () => ({ status: 500 });
}
function back(): void {
  server.meddle = () => undefined;
}
const inMirror = (): string => join(folder, ".vmform", "mirror");
const vms = (): readonly string[] => simulators.world().daemon.vms.map(({ id }) => id);
const fromMirror = ["--state-from", "mirror"];
const applyFromMirror = ["apply", "--auto-approve", "--allow", "mirror", ...fromMirror];
const head = (): { readonly fork?: object; readonly tip?: { journal: { position: number } } } => {
  const name = readdirSync(inMirror()).find((one) => one.endsWith(".head")) ?? "";
  return JSON.parse(readFileSync(join(inMirror(), name), "utf8")) as ReturnType<typeof head>;
};

test("plan, drift and what shows recorded state do without the store, and say as of when", async () => {
  await run(0, "apply", "--auto-approve");
  const names = readdirSync(inMirror());
  expect(names).toContain(".gitignore");
  expect(statSync(inMirror()).mode & 0o777).toBe(0o700);
  for (const name of names.filter((one) => one !== ".gitignore")) {
    expect(statSync(join(inMirror(), name)).mode & 0o777).toBe(0o600);
  }
  away();
  server.requests.splice(0);
  const says = /mirror of http:\S+ as of (just now|\d+ s ago) \([^)]+\), position \d+/;
  for (const words of [["plan", "--detailed-exitcode"], ["drift"], ["state", "list"], ["show"]]) {
    expect(squeezed(await run(0, ...words, ...fromMirror))).toMatch(says);
    const json = await run(0, ...words, ...fromMirror, "--json");
    expect(json.stdout).toMatch(says);
    expect(json.stderr).toBe("");
  }
  const inventory = await run(0, "inventory", ...fromMirror, "--json");
  expect(squeezed({ ...inventory, stdout: "" })).toMatch(says);
  const page = join(folder, "plan.html");
  await run(0, "plan", ...fromMirror, "--html", page);
  expect(readFileSync(page, "utf8")).toMatch(says);
  expect(server.requests).toEqual([]);
});

test("a store out of reach is told with the way out", onlyInLongRun, async () => {
  await run(0, "apply", "--auto-approve");
  const { address } = server;
  await server.stop();
  expect(squeezed(await run(1, "plan"))).toContain("--state-from mirror");
  expect(squeezed(await run(1, "apply", "--auto-approve"))).toContain("--allow mirror");
  rmSync(inMirror(), { recursive: true });
  expect(squeezed(await run(1, "plan"))).not.toContain("--state-from mirror");
  const none = squeezed(await run(1, "plan", ...fromMirror));
  expect(none).toContain("STO071");
  expect(none).toContain(address);
});

test("what is applied from the mirror needs consent, and is merged by the next run", async () => {
  await run(0, "apply", "--auto-approve");
  const written = server.versions.length;
  away();
  configure(second);
  expect(squeezed(await run(1, "apply", "--auto-approve", ...fromMirror))).toContain("CLI005");
  const no = await asking({ answer: "no" }, "apply", ...fromMirror);
  expect(no.code).toBe(1);
  expect(vms()).toEqual(["base"]);
  expect(head().fork).toBeUndefined();
  await run(0, ...applyFromMirror);
  expect(vms()).toEqual(["base", "second"]);
  expect(head().fork).toBeDefined();
  await run(0, "plan", "--detailed-exitcode", ...fromMirror);
  back();
  expect(server.versions).toHaveLength(written);
  // What only looks has it already, and writes nothing.
  const seen = squeezed(await run(0, "plan", "--detailed-exitcode"));
  expect(seen).toContain("STO075");
  expect(server.versions).toHaveLength(written);
  const merged = squeezed(await run(0, "apply", "--auto-approve"));
  expect(merged).toContain("were merged into");
  expect(head().fork).toBeUndefined();
  expect(vms()).toEqual(["base", "second"]);
  rmSync(join(folder, ".vmform"), { recursive: true });
  expect(squeezed(await run(0, "plan", "--detailed-exitcode"))).not.toContain("STO075");
  const history = await run(0, "runs");
  expect(history.stdout.match(/apply/g)?.length).toBe(3);
});

test("it is refused where others have applied meanwhile, and nothing is lost", async () => {
  await run(0, "apply", "--auto-approve");
  const other = mkdtempSync(join(tmpdir(), "vmform-mirror-other-"));
  const before = readFileSync(join(folder, "main.vmform.yaml"));
  writeFileSync(join(other, "main.vmform.yaml"), before);
  away();
  configure(second);
  await run(0, ...applyFromMirror);
  back();
  const theirs = await runInside(other, ["apply", "--auto-approve"]);
  expectCode(0, ["apply"], theirs);
  rmSync(other, { recursive: true });
  const written = server.versions.length;
  const refused = squeezed(await run(1, "apply", "--auto-approve"));
  expect(refused).toContain("STO076");
  expect(refused).toContain("state mirror --discard");
  expect(server.lock()).toBeUndefined();
  expect(server.versions).toHaveLength(written);
  expect(head().fork).toBeDefined();
  expect(squeezed(await run(1, "plan"))).toContain("STO076");
  const listed = await run(0, "state", "mirror");
  expect(squeezed(listed)).toMatch(/position 3, 2 objects not merged: 3 entries by test on/);
  const [name = ""] = /^http-[0-9a-f]{16}/.exec(listed.stdout) ?? [];
  // The store counts, or the mirror does: what was in it is in a file.
  const discarded = JSON.parse(
    (await run(0, "state", "mirror", "--discard", name, "--json")).stdout,
  ) as {
    readonly state: string;
  };
  expect(squeezed(await run(1, "plan"))).toContain("PLN002");
  expect(head().fork).toBeUndefined();
  await run(0, "state", "push", "--force", discarded.state);
  await run(0, "plan", "--detailed-exitcode");
  expect(vms()).toEqual(["base", "second"]);
});

test("the store is gone in the middle of an apply, which is brought to its end from the mirror", async () => {
  await run(0, "apply", "--auto-approve");
  configure(`${second}\n  daemon_vm.third: { id: third, parent_id: second, power: off }`);
  let writes = 0;
  server.meddle = ({ method, path }) => {
    if (method === "POST" && !path.endsWith("/lock")) writes += 1;
    // Begin and end of the first are stored; what comes then is not.
    return writes > 2 ? { status: 413 } : undefined;
  };
  const cut = squeezed(await run(1, "apply", "--auto-approve"));
  expect(cut).toContain("STO014");
  away();
  await run(0, ...applyFromMirror);
  expect(vms()).toEqual(["base", "second", "third"]);
  await run(0, "plan", "--detailed-exitcode", ...fromMirror);
  back();
  server.setLock(undefined);
  expect(squeezed(await run(0, "apply", "--auto-approve"))).toContain("were merged into");
  await run(0, "plan", "--detailed-exitcode");
  const made = simulators.log().filter((one) => one.class === "mutate" && one.effect);
  expect(new Set(made.map(({ body }) => body)).size).toBe(made.length);
});

test("a plan that was saved from the mirror is applied from it, or when the store is back", async () => {
  await run(0, "apply", "--auto-approve");
  away();
  configure(second);
  const file = join(folder, "second.plan");
  await run(0, "plan", "--out", file, ...fromMirror);
  expect(squeezed(await run(1, "apply", file, ...fromMirror))).toContain("CLI005");
  back();
  await run(0, "apply", file);
  expect(vms()).toEqual(["base", "second"]);
  expect(head().fork).toBeUndefined();
});
