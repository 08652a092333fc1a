/**
 * A folder of configuration against the simulated host manager, appliance and cloud, over real
 * HTTP; every run is held against what must hold whatever happens, as of a cloud.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CloudDocument } from "../../src/simulators/cloud/world/world-document.ts";
import type { Written } from "../../src/simulators/kit/document.ts";
import type {
  AppliancePart,
  ManagerDurations,
  ManagerRules,
} from "../../src/simulators/kit/generated/documents.ts";
import type { ManagerAlarm } from "../../src/simulators/manager/world/alarm.ts";
import type { ManagerVm } from "../../src/simulators/manager/world/inventory.ts";
import type { ManagerDocument } from "../../src/simulators/manager/world/world-document.ts";
import { startSimulators } from "../../src/simulators/start.ts";
import { realClock } from "../helpers/program.ts";
import { type CloudPlace, password, runnerOf, type Settings } from "./cloud-place.ts";
import { loggedDuring, setFaultsAt } from "./place-parts.ts";
import type { ShownOperation } from "./previewed.ts";

/** Time runs so much faster for the simulators; for the program too (`cloud-place`). */
const speed = 20;

const user = "admin";

const world = {
  users: [{ name: user, password }],
  hosts: { "esx-01": {}, "esx-02": { nested_supported: false } },
  datastores: { hdd: {}, ssd: {} },
  vms: {
    web: {
      power: "on",
      disks: [
        { size_gb: 10 },
        { size_gb: 40, format: "sesparse", used_gb: 30, stale_gb: 12 },
        { size_gb: 20, format: "sesparse", used_gb: 5, stale_gb: 0 },
      ],
    },
    old: { power: "on", hardware_version: 8, disks: [{ size_gb: 10 }] },
    weak: { power: "on", host: "esx-02", disks: [{ size_gb: 10, format: "thin" }] },
    held: { snapshots: [{ name: "before" }], disks: [{ size_gb: 10 }] },
    vcsa: { power: "on", disks: "appliance" },
  },
} as const satisfies ManagerDocument;

export type ManagerPlaceOptions = {
  readonly rules?: Written<ManagerRules>;
  readonly durations?: Written<ManagerDurations>;
  /** Instead of the hosts and VMs above. */
  readonly hosts?: ManagerDocument["hosts"];
  readonly vms?: ManagerDocument["vms"];
  readonly appliance?: Written<AppliancePart>;
  readonly cloud?: CloudDocument;
  /** 1 where a request must outlast its client: timers of the network know no other time. */
  readonly speed?: 1;
};

export type ManagerPlace = Pick<
  CloudPlace,
  | "simulators"
  | "write"
  | "run"
  | "runWith"
  | "change"
  | "setFaults"
  | "logged"
  | "file"
  | "excuse"
  | "remove"
> & {
  readonly vm: (key: string) => ManagerVm;
  /** The disk with this key, sizes in GB. */
  readonly disk: (vm: string, key: number) => { readonly size: number; readonly used: number };
  readonly alarm: (name: string) => ManagerAlarm | undefined;
  /** Size of a partition, GB rounded up. */
  readonly partition: (name: string) => number;
  /** What of the world's rules is to hold from now on. */
  readonly rule: (rules: Partial<World["manager"]["rules"]>) => Promise<void>;
  /** Saves a plan as `p.plan`, and gives what it shows. */
  readonly planned: (...words: readonly string[]) => Promise<readonly ShownOperation[]>;
};
type World = ReturnType<CloudPlace["simulators"]["world"]>;

export async function createManagerPlace(options: ManagerPlaceOptions = {}): Promise<ManagerPlace> {
  const { rules = {}, durations = {}, appliance, cloud } = options;
  const { hosts = world.hosts, vms = world.vms } = options;
  const simulators = await startSimulators({
    world: {
      manager: { ...world, hosts, vms, rules, durations_ms: durations },
      appliance: { vm: "vcsa", users: [{ name: user, password }], ...appliance },
      ...(cloud === undefined ? {} : { cloud }),
    },
    timeScale: options.speed ?? speed,
  });
  const folder = mkdtempSync(join(tmpdir(), "vmform-manager-"));
  const excused = new Set<string>();
  const secrets = new Set([password]);
  const runWith = runnerOf(folder, simulators, { excused, secrets });
  const file = (name: string): string => join(folder, name);
  const inside = options.speed === undefined ? {} : { clock: realClock };
  const run: CloudPlace["run"] = (code, ...words) => runWith(inside, code, ...words);
  return {
    simulators,
    write: (resources, settings = {}, more = {}) => {
      const configuration = { providers: providersOf(simulators, settings), resources, ...more };
      writeFileSync(file("main.vmform.yaml"), JSON.stringify(configuration, undefined, 2));
    },
    run,
    runWith,
    change: (change) => simulators.change(change),
    setFaults: (...faults) => setFaultsAt(simulators.origins.manager, faults),
    logged: (work) => loggedDuring(simulators, work),
    file,
    excuse: (what) => void excused.add(what),
    remove: async () => {
      await simulators.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    rule: (changed) =>
      simulators.change((now) => ({
        ...now,
        manager: { ...now.manager, rules: { ...now.manager.rules, ...changed } },
      })),
    planned: async (...words) => {
      await run(0, "plan", ...words, "--out", file("p.plan"));
      const { stdout } = await run(0, "show", file("p.plan"), "--json");
      return (JSON.parse(stdout) as { readonly operations: readonly ShownOperation[] }).operations;
    },
    ...lookingAt(() => simulators.world()),
  };
}

function lookingAt(look: () => World): Pick<ManagerPlace, "vm" | "disk" | "alarm" | "partition"> {
  const gb = (kb: number): number => Math.ceil(kb / 1024 / 1024);
  const vm = (key: string): ManagerVm => {
    const found = look().manager.vms.find((each) => each.key === key);
    if (found === undefined) throw new Error(`no VM ${key}`);
    return found;
  };
  return {
    vm,
    disk: (name, key) => {
      const found = vm(name).disks.find((each) => each.key === key);
      if (found === undefined) throw new Error(`no disk ${key}`);
      return { size: gb(found.capacityKb), used: gb(found.allocatedKb) };
    },
    alarm: (name) => look().manager.alarms.find(({ spec }) => spec["name"] === name),
    partition: (name) => {
      const found = look().appliance.partitions.find((each) => each.name === name);
      return gb(found?.sizes.at(-1)?.kb ?? 0);
    },
  };
}

function providersOf({ origins }: CloudPlace["simulators"], settings: Settings) {
  const login = { user, password: { env: "PASSWORD" } };
  return {
    manager: { url: origins.manager, ...login, ...settings },
    appliance: { url: origins.appliance, ...login },
    cloud: { url: origins.cloud, ...login, org: "system" },
  };
}

/** Requests as people name them: a method of SOAP or of the object browser, or method and path. */
export function nameOf({
  method,
  path,
  body,
}: {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}): string {
  const soap = /<\w+:Body><(\w+)/.exec(typeof body === "string" ? body : "")?.[1];
  const browser = /[?&]method=(\w+)/.exec(path)?.[1];
  return soap ?? (browser === undefined ? `${method} ${path}` : `${method} ${browser}`);
}
