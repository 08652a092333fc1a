/**
 * Whatever the files beside a configuration hold (recorded state, journal, lock, saved plan), a
 * command ends in words: it names the file and a way out, or takes what stands there as it is. It is
 * never a fault of vmform.
 */

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JsonValue, parseJson, stringifyJson } from "../../../src/lib/json.ts";
import { type RunningSimulators, startSimulators } from "../../../src/simulators/start.ts";
import type { World } from "../../../src/simulators/world.ts";
import { amount } from "../../helpers/amount.ts";
import { type Mutation, mutate, mutation } from "../../helpers/mutated-json.ts";
import { expectCode, type Output, runInside } from "../../helpers/program.ts";

const password = "s3cret-of-these-tests";
let simulators: RunningSimulators;
let folder: string;
let world: World;
/** What a first apply recorded, and a plan of a second one. */
let recorded: { readonly state: JsonValue; readonly journal: string; readonly backup: string };
let savedPlan: JsonValue;
let interrupted: JsonValue;

const startMs = Date.now();
const speed = 100;
const clock = {
  now: () => Math.round(startMs + (Date.now() - startMs) * speed),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / speed)),
};
const environment = { PASSWORD: password };

const state = (): string => join(folder, "state/default.json");
const plan = (): string => join(folder, "p.plan");
const run = (...words: readonly string[]): Promise<Output> =>
  runInside(folder, words, { environment, clock });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vmform-odd-"));
  simulators = await startSimulators({
    world: {
      daemon: {
        durations_ms: { create: 0, clone: 0, power_on: 0, tools: 0, address: 0, delete: 0 },
      },
      cloud: {
        users: [{ name: "admin", password }],
        datastores: { old: {} },
        vapps: { shop: { owner: "admin", vms: { a: { power: "on", hardware_version: 9 } } } },
      },
      manager: {
        users: [{ name: "admin", password }],
        hosts: { "esx-01": {} },
        datastores: { hdd: {} },
        vms: { web: { power: "on", disks: [{ size_gb: 10 }] } },
      },
    },
    timeScale: speed,
  });
  configure("one");
  const words = ["apply", "--auto-approve"];
  expectCode(0, words, await run(...words));
  configure("two");
  expectCode(0, [], await run("plan", "--out", plan()));
  recorded = {
    state: parseJson(readFileSync(state(), "utf8")),
    journal: readFileSync(`${state()}.journal`, "utf8"),
    backup: readFileSync(`${state()}.backup`, "utf8"),
  };
  savedPlan = parseJson(readFileSync(plan(), "utf8").split("\n")[1] ?? "");
  world = simulators.world();
  const begins = recorded.journal.split("\n").flatMap(beginsIn);
  if (begins.length < 5) throw new Error("too little was begun to be interrupted");
  interrupted = {
    ...membersOf(recorded.state),
    open: begins.slice(-5),
    restores: [{ address: "daemon_vm.web[0]", power: "on" }],
  };
}, 60_000);

afterAll(async () => {
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

function configure(tag: string): void {
  const { daemon, cloud, manager } = simulators.origins;
  const login = { user: "admin", password: { env: "PASSWORD" } };
  const configuration = {
    providers: {
      daemon: { url: daemon },
      cloud: { url: cloud, org: "system", ...login },
      manager: { url: manager, ...login },
    },
    resources: {
      "daemon_vm.web": {
        count: 2,
        id: "web-${count.index}",
        tag,
        power: "on",
        folder_sharing: true,
      },
      "daemon_vm.clone": { id: `clone-${tag}`, parent_id: "${daemon_vm.golden.id}" },
      "daemon_vm.golden": { id: "golden" },
      "daemon_shared_folder.src": {
        vm_id: "${daemon_vm.web[0].id}",
        guest_path: "src",
        host_path: `/srv/${tag}`,
      },
      "cloud_vm.a": { name: "a", vapp_name: "shop" },
      "cloud_snapshot.a": { vm: "${cloud_vm.a.href}", name: tag },
      "manager_vm.web": { name: "web" },
      "manager_disk.web": {
        vm: "${manager_vm.web.moref}",
        label: "Hard disk 1",
        size_gb: tag === "one" ? 10 : 12,
      },
      "manager_login_alarm.root": { name: `root ${tag}`, user_name: "root" },
    },
    outputs: {
      id: { value: "${daemon_vm.web[0].id}" },
      later: { value: "${daemon_vm.clone.ip_address}" },
    },
  };
  writeFileSync(join(folder, "main.vmform.yaml"), JSON.stringify(configuration, undefined, 1));
}

async function reset(): Promise<void> {
  rmSync(join(folder, "state"), { recursive: true, force: true });
  mkdirSync(join(folder, "state"));
  writeFileSync(state(), stringifyJson(recorded.state));
  writeFileSync(`${state()}.journal`, recorded.journal);
  writeFileSync(`${state()}.backup`, recorded.backup);
  await simulators.change(() => world);
}

/** Entries of one line of the journal that say what was begun. */
function beginsIn(line: string): readonly JsonValue[] {
  if (!line.includes('"entries"')) return [];
  const { entries } = membersOf(parseJson(line));
  return Array.isArray(entries)
    ? entries.filter((entry: JsonValue) => membersOf(entry).kind === "begin")
    : [];
}

function membersOf(value: JsonValue | undefined): { readonly [name: string]: JsonValue } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return value as { readonly [name: string]: JsonValue };
}

/** An error with its reason, consent that is missing, or what a report could not look at. */
const told = /(^|: )(error|warning): .*\n.+|needs consent|Could not be checked/m;

/** A fault of the program is thrown by the runner; where it is thrown says what the file held. */
async function endsInWords(where: string, words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await run(...words).catch((cause: unknown) => {
    throw new Error(`${where}: ${words.join(" ")}`, { cause });
  });
  const all = `${stdout}\n${stderr}`;
  const isOurFault = ![0, 1, 2].includes(code) || /\n {4}at |undefined|\[object /.test(all);
  const isSilent = code === 1 && !told.test(all);
  expect({ where, isOurFault, isSilent }).toEqual({ where, isOurFault: false, isSilent: false });
}

const commands = fc.constantFrom<readonly string[]>(
  ["plan"],
  ["drift"],
  ["show"],
  ["state", "list"],
  ["destroy", "--auto-approve"],
  ["apply", "--auto-approve"],
);

const spoilt = async (
  put: (mutation: Mutation) => string,
  words: fc.Arbitrary<readonly string[]>,
  runs: number,
): Promise<number> => {
  let tried = 0;
  const property = fc.asyncProperty(mutation, words, async (one, command) => {
    await reset();
    await endsInWords(put(one), command);
    tried += 1;
  });
  await fc.assert(property, { numRuns: runs, endOnFailure: true });
  return tried;
};

/** As the journal writes a line; a line that is no map has none. */
function withChecksum(line: string): string {
  if (!line.startsWith("{")) return line;
  const body = line.slice(1);
  return `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}`;
}

/** Of the mutation, so that one seed gives one run. */
const isOdd = ({ at }: Mutation): boolean => Math.floor(at * 1000) % 2 === 1;

test("recorded state in one place other than it was written", async () => {
  const put = (one: Mutation): string => {
    const { value, where } = mutate(isOdd(one) ? interrupted : recorded.state, one);
    writeFileSync(state(), stringifyJson(value));
    rmSync(`${state()}.journal`);
    return where;
  };
  expect(await spoilt(put, commands, amount(3, 150))).toBe(amount(3, 150));
}, 600_000);

test("a journal with a line that somebody has written", async () => {
  const put = (one: Mutation): string => {
    const lines = recorded.journal.split("\n").filter((line) => line.startsWith("{"));
    const index = Math.floor(one.at * lines.length);
    const { crc: _crc, ...line } = membersOf(parseJson(lines[index] ?? "null"));
    const { value, where } = mutate(line, one);
    const spoiltLines = lines.with(index, withChecksum(stringifyJson(value)));
    writeFileSync(`${state()}.journal`, `${spoiltLines.join("\n")}\n`);
    return `line ${index + 1}: ${where}`;
  };
  expect(await spoilt(put, commands, amount(3, 120))).toBe(amount(3, 120));
}, 600_000);

test("a lock that holds anything", async () => {
  const lock: JsonValue = {
    id: "L1",
    operation: "apply",
    who: "ann",
    host: "h",
    pid: 7,
    createdMs: 1,
  };
  const put = (one: Mutation): string => {
    const { value, where } = mutate(lock, one);
    writeFileSync(`${state()}.lock`, stringifyJson(value));
    return where;
  };
  const words = fc.constantFrom<readonly string[]>(
    ["apply", "--auto-approve"],
    ["force-unlock", "L1"],
    ["doctor"],
  );
  expect(await spoilt(put, words, amount(3, 100))).toBe(amount(3, 100));
}, 600_000);

test("a saved plan that somebody has edited, with its checksum", async () => {
  const consent = "replace,destroy,power-cycle,power-off,grow";
  const put = (one: Mutation): string => {
    const { value, where } = mutate(savedPlan, one);
    const body = stringifyJson(value);
    const sum = createHash("sha256").update(body).digest("hex");
    writeFileSync(plan(), `vmform-plan 1 ${sum}\n${body}\n`);
    return where;
  };
  const words = fc.constantFrom<readonly string[]>(
    ["show", plan()],
    ["apply", plan(), "--auto-approve", "--allow", consent],
  );
  expect(await spoilt(put, words, amount(3, 150))).toBe(amount(3, 150));
}, 600_000);

test.each([
  ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), "UTF-16"],
  ["bytes of no text", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), "0xFF"],
  ["nothing", Buffer.alloc(0), "empty"],
])("recorded state that is %s is told so", async (_, bytes, says) => {
  await reset();
  writeFileSync(state(), bytes);
  const output = await run("plan");
  expect(output.code).toBe(1);
  expect(output.stderr).toContain(says);
  expect(output.stderr).toContain("default.json");
});
