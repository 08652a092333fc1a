/** `vmform simulate` in a process of its own, and its control surface. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CloudSessionReport } from "../../src/simulators/cloud/session/sessions.ts";
import type { OutsideChange } from "../../src/simulators/core.ts";
import type { PowerState, VirtualMachine } from "../../src/simulators/daemon/virtual-machine.ts";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import type { World } from "../../src/simulators/world.ts";
import { type Child, startChild } from "./child.ts";

export type SimulatorProcess = {
  /** Of the daemon. */
  readonly origin: string;
  readonly cloudOrigin: string;
  /** Entries after the n-th. */
  log(after?: number): Promise<readonly LoggedRequest[]>;
  world(): Promise<World>;
  vms(): Promise<readonly VirtualMachine[]>;
  /** Of the cloud, since its start. */
  sessions(): Promise<CloudSessionReport>;
  /** Moves its clock forward. */
  advance(ms: number): Promise<void>;
  change(change: OutsideChange): Promise<void>;
  setFaults(faults: readonly FaultDocument[]): Promise<void>;
  stop(): Promise<void>;
};

/** `world` is the content of its world file, YAML or JSON. */
export async function startSimulator(
  main: string,
  folder: string,
  world: string,
): Promise<SimulatorProcess> {
  writeFileSync(join(folder, "world.yaml"), world);
  const files = ["--world", "world.yaml", "--persist", "world.json", "--log", "requests.jsonl"];
  const child = startChild(main, ["simulate", ...files], { cwd: folder });
  await child.printed("Serving until interrupted");
  const origin = originOf(child, "daemon");
  const call = async (path: string, body?: unknown): Promise<unknown> => {
    const url = `${origin}/_simulator/${path}`;
    const reply = await fetch(
      url,
      body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
    );
    const answer: unknown = await reply.json();
    if (!reply.ok) throw new Error(`${url}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    origin,
    cloudOrigin: originOf(child, "cloud"),
    log: async (after = 0) => (await call(`log?after=${after}`)) as readonly LoggedRequest[],
    world: async () => (await call("world")) as World,
    vms: async () => ((await call("world")) as World).daemon.vms,
    sessions: async () => (await call("sessions")) as CloudSessionReport,
    advance: async (ms) => void (await call("clock/advance", { ms })),
    change: async (change) => void (await call("change", change)),
    setFaults: async (faults) => void (await call("faults", { faults })),
    stop: async () => {
      child.kill("SIGTERM");
      const { code, stderr } = await child.ended;
      if (code !== 0) throw new Error(`the simulator ended with ${code}: ${stderr}`);
    },
  };
}

function originOf(child: Child, name: "daemon" | "cloud"): string {
  const origin = new RegExp(`^${name}: (\\S+)$`, "m").exec(child.stdout())?.[1];
  if (origin === undefined) throw new Error(`the simulator names no origin of the ${name}`);
  return origin;
}

/** A VM as it was, as the change that makes it. */
export function remake(vm: VirtualMachine): OutsideChange {
  const { id, name, tag, power, address, sharing } = vm;
  const folders = Object.fromEntries(
    vm.folders.map(({ guestPath, hostPath, flags }) => [
      guestPath,
      { host_path: hostPath, writable: flags === 4 },
    ]),
  );
  const tools = vm.toolsInstalled;
  return { create_vm: { id, name, tag, power, tools, address, sharing, folders } };
}

export function powerVm(id: string, power: PowerState): OutsideChange {
  return { power_vm: { id, power } };
}
