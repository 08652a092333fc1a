/** Copies of the example over all four interfaces, each before simulated servers of its own. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseDocument } from "yaml";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import type { WorldDocument } from "../../src/simulators/world.ts";
import { limitsOf } from "../e2e/type-limits.ts";
import { copyExample } from "./copy.ts";

/** Ends a run at a moment, see there. */
export const killHook = fileURLToPath(new URL("../e2e/kill-hook.mjs", import.meta.url));
export const applyWords = ["apply", "--auto-approve", "--allow", "grow,power-off,reclaim"] as const;

type Edits = readonly (readonly [from: string, to: string])[];

export type PlatformPlace = {
  readonly folder: string;
  readonly simulators: RunningSimulators;
  /** Each text has to be in the file, and is replaced wherever it is. */
  readonly edit: (file: string, edits: Edits) => void;
  /** Gives every resource short limits; what is returned takes them back. */
  readonly limitEverything: () => () => void;
  /** What was sent to change anything, from that request on. */
  readonly mutations: (since?: number) => readonly LoggedRequest[];
  readonly remove: () => Promise<void>;
};

/** Its configuration names the servers instead of the embedded ones. */
export async function openPlatform(): Promise<PlatformPlace> {
  const copy = copyExample("platform");
  const { folder } = copy;
  const world = parse(readFileSync(join(folder, "world.yaml"), "utf8")) as WorldDocument;
  const simulators = await startSimulators({ world });
  const { cloud, manager, appliance, daemon } = simulators.origins;
  const edit = (file: string, edits: Edits): void => editFile(join(folder, file), edits);
  edit("main.vmform.yaml", [
    ["  simulator: { world: ./world.yaml }\n", ""],
    ["https://cloud.${vars.domain}", cloud],
    ["https://manager.${vars.domain}", manager],
    ["https://appliance.${vars.domain}", appliance],
    ["http://127.0.0.1:8080", daemon],
  ]);
  return {
    folder,
    simulators,
    edit,
    limitEverything: () => limitEverything(folder),
    mutations: (since = 0) =>
      simulators
        .log()
        .slice(since)
        .filter((entry) => entry.class === "mutate"),
    remove: async () => {
      await simulators.stop();
      copy.remove();
    },
  };
}

function editFile(path: string, edits: Edits): void {
  let text = readFileSync(path, "utf8");
  for (const [from, to] of edits) {
    if (!text.includes(from)) throw new Error(`${path} does not hold ${from}`);
    text = text.replaceAll(from, to);
  }
  writeFileSync(path, text);
}

/** What no read can tell is waited for within its limit, so that of a killed run is short. */
const limit = "4s";
const limits = { request: limit, power: limit, create: limit, delete: limit };
const ownLimits: { readonly [type: string]: typeof limits | { readonly update: string } } = {
  appliance_storage: { update: limit },
  manager_login_alarm: { ...limits, update: limit },
  manager_disk_reclaim: limits,
};

function limitEverything(folder: string): () => void {
  const names = ["platform", "modules/tier/main", "modules/desks/main", "modules/lab/main"];
  const originals = names.map((name) => {
    const path = join(folder, `${name}.vmform.yaml`);
    const text = readFileSync(path, "utf8");
    const document = parseDocument(text);
    const { resources } = document.toJS() as { resources: object };
    for (const address of Object.keys(resources)) {
      const own = ownLimits[address.split(".")[0] ?? ""] ?? limits;
      document.setIn(["resources", address, "timeouts"], limitsOf(address, own));
    }
    writeFileSync(path, document.toString());
    return { path, text };
  });
  return () => {
    for (const { path, text } of originals) writeFileSync(path, text);
  };
}

/**
 * Texts of changes that were sent more than once. Sharing is switched on again before folders are
 * added, since no read tells whether it is.
 */
export function sentTwice(requests: readonly LoggedRequest[]): readonly string[] {
  const sent = requests.map(({ method, path, body }) => `${method} ${path} ${body}`);
  const twice = sent.filter((one, index) => sent.indexOf(one) !== index);
  return twice.filter((one) => !/^PATCH \S+\/folders true$/.test(one));
}
