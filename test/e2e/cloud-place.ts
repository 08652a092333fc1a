/**
 * A folder of configuration against the simulated cloud, over real HTTP. After every run it is held
 * against what must hold whatever happens: no secret in any output or file, no session left behind,
 * nothing changed by a run that only reads, nothing sent that a correct client would not send.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { HttpReply } from "../../src/http/call.ts";
import { maskedText } from "../../src/lib/mask.ts";
import type { CloudDocument } from "../../src/simulators/cloud/world/world-document.ts";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { expectCode, type InsideOptions, type Output, runInside } from "../helpers/program.ts";
import { loggedDuring, setFaultsAt } from "./place-parts.ts";
import { secretsIn } from "./secret-forms.ts";

/** Characters that URLs, XML and JSON write in forms of their own. */
export const password = "s3&cr\"t/<é'+ t0p";

/** Time runs so much faster for the simulators and for the program alike. */
const speed = 20;

export type Settings = { readonly [name: string]: unknown };
export type Resources = { readonly [address: string]: Settings };

export type CloudPlace = {
  readonly folder: string;
  readonly simulators: RunningSimulators;
  /** Replaces the configuration; settings of the provider over those of the administrator. */
  readonly write: (resources: Resources, settings?: Settings, more?: Settings) => void;
  /** Runs one command line, expects its exit code, and checks what always holds. */
  readonly run: (code: number, ...words: readonly string[]) => Promise<Output>;
  readonly runWith: (
    options: InsideOptions,
    code: number,
    ...words: readonly string[]
  ) => Promise<Output>;
  readonly change: RunningSimulators["change"];
  readonly setFaults: (...faults: readonly FaultDocument[]) => Promise<void>;
  /** What was logged since. */
  readonly logged: (work: () => Promise<unknown>) => Promise<readonly LoggedRequest[]>;
  readonly file: (name: string) => string;
  /** What no output and no file may hold: the password, and every token and ticket so far. */
  readonly secrets: ReadonlySet<string>;
  /** Paths of the API by the key of a VM. */
  readonly pathOf: (key: string) => string;
  readonly vm: (key: string) => SimulatedVm;
  /** From now on a session may stay open, and requests may be wrong: a fault explains it. */
  readonly excuse: (what: "session" | "violation") => void;
  readonly remove: () => Promise<void>;
};

type SimulatedVm = ReturnType<RunningSimulators["world"]>["cloud"]["vms"][number];

export const users: NonNullable<CloudDocument["users"]> = [
  { name: "admin", password },
  { name: "alice", org: "acme", password },
  { name: "bob", org: "acme", password, role: "user" },
];

/** One vApp of four VMs and one of a single VM, two datastores, a template. */
export const world: CloudDocument = {
  users,
  durations_ms: { relocate: 200 },
  datastores: { old: {}, fast: {} },
  vapps: {
    shop: {
      owner: "bob",
      vms: {
        a: { power: "on", hardware_version: 9 },
        b: { power: "on", hardware_version: 9 },
        c: { power: "off", hardware_version: 9 },
        d: { power: "on", hardware_version: 8 },
      },
    },
    lab: { owner: "bob", vms: { e: { power: "on", hardware_version: 10 } } },
    images: { template: true, vms: { golden: {} } },
  },
};

export async function createCloudPlace(cloud: CloudDocument = world): Promise<CloudPlace> {
  const simulators = await startSimulators({
    world: { cloud: { ...world, ...cloud } },
    timeScale: speed,
  });
  const folder = mkdtempSync(join(tmpdir(), "vmform-cloud-"));
  const excused = new Set<string>();
  const secrets = new Set([password]);
  const runWith = runnerOf(folder, simulators, { excused, secrets });
  const file = (name: string): string => join(folder, name);
  const vm = (key: string): SimulatedVm => {
    const found = simulators.world().cloud.vms.find((each) => each.key === key);
    if (found === undefined) throw new Error(`no VM ${key}`);
    return found;
  };
  return {
    folder,
    simulators,
    write: (resources, settings = {}, more = {}) => {
      const providers = { cloud: { ...administrator(simulators.origins.cloud), ...settings } };
      const configuration = { providers, resources, ...more };
      writeFileSync(file("main.vmform.yaml"), JSON.stringify(configuration, undefined, 2));
    },
    run: (code, ...words) => runWith({}, code, ...words),
    runWith,
    change: (change) => simulators.change(change),
    setFaults: (...faults) => setFaultsAt(simulators.origins.cloud, faults),
    logged: (work) => loggedDuring(simulators, work),
    file,
    secrets,
    pathOf: (key) => `/api/vApp/vm-${vm(key).id}`,
    vm,
    excuse: (what) => void excused.add(what),
    remove: async () => {
      await simulators.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function administrator(url: string) {
  return { url, user: "admin", org: "system", password: { env: "CLOUD_PASSWORD" } };
}

/** Runs the program, and holds what it said, wrote and sent against what always holds. */
export function runnerOf(
  folder: string,
  simulators: RunningSimulators,
  { excused, secrets }: { readonly excused: ReadonlySet<string>; readonly secrets: Set<string> },
): CloudPlace["runWith"] {
  const clock = fastClock(speed);
  // A ticket is long, and so is the search for its escaped forms: no reason to cut off the logout.
  const patientClock = fastClock(1);
  const onReply = (reply: HttpReply): void => collect(secrets, reply);
  return async (options, code, ...words) => {
    const before = simulators.log().length;
    const asks = !["state", "show", "output"].includes(words[0] ?? "");
    const debug = asks ? ["--debug-http", join(folder, "http.jsonl")] : [];
    const environment = { CLOUD_PASSWORD: password, PASSWORD: password, ...options.environment };
    const usual = words[0] === "ticket" ? patientClock : clock;
    const given = { clock: usual, ...options, onReply, environment };
    const output = await runInside(folder, [...words, ...debug], given);
    const sent = simulators.log().slice(before);
    expectCode(code, words, output);
    checkSecrets(folder, secrets, words[0] === "ticket" ? { ...output, stdout: "" } : output);
    if (!excused.has("session")) expect(openSessions(simulators)).toEqual([]);
    if (!excused.has("violation")) expect(sent.filter(isWrong)).toEqual([]);
    if (words[0] === "plan" || words[0] === "drift") expect(sent.filter(isMutation)).toEqual([]);
    return output;
  };
}

function openSessions(all: RunningSimulators) {
  return [all.sessions(), all.managerSessions(), all.applianceSessions()].flatMap(
    ({ open }) => open,
  );
}

export function isMutation({ class: kind }: LoggedRequest): boolean {
  return kind === "mutate";
}

function isWrong({ violation }: LoggedRequest): boolean {
  return violation !== undefined;
}

function fastClock(times: number) {
  const startMs = Date.now();
  return {
    now: () => Math.round(startMs + (Date.now() - startMs) * times),
    sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / times)),
  };
}

/** Ids of sessions and what else opens doors, from every reply that gives one. */
function collect(secrets: Set<string>, { headers, setCookies, text }: HttpReply): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name.endsWith("authorization")) secrets.add(value);
  }
  for (const cookie of setCookies) {
    const value = /^[^=]+="?([^";]+)/.exec(cookie)?.[1];
    if (value !== undefined) secrets.add(value);
  }
  const nonce = /name="vmware-session-nonce"[^>]*value="?([^\s"]+)/.exec(text)?.[1];
  // A page that shows it again is told without it.
  if (nonce !== undefined && nonce !== maskedText) secrets.add(nonce);
  const ticket = /ticket=([^<\s]+)/.exec(text)?.[1];
  if (ticket === undefined) return;
  secrets.add(ticket);
  secrets.add(decodeURIComponent(ticket));
}

/** The configuration names where the password is, and holds none itself. */
function checkSecrets(folder: string, secrets: ReadonlySet<string>, output: Output): void {
  const texts = new Map([
    ["standard output", output.stdout],
    ["standard error", output.stderr],
  ]);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    if (statSync(path).isFile()) texts.set(name, readFileSync(path, "utf8"));
  }
  const found = [...texts].flatMap(([place, text]) =>
    [...secrets].flatMap((secret) =>
      secretsIn(text, secret).map((form) => `${form} form of ${secret} in ${place}`),
    ),
  );
  expect(found).toEqual([]);
}
