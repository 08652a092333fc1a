/** A resize of the appliance that meets a fault, and the run after it that finishes. */

import { expect } from "vitest";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import { isMutation, type Settings } from "./cloud-place.ts";
import { createManagerPlace, type ManagerPlace } from "./manager-place.ts";
import { expectSaid } from "./place-parts.ts";

export const releases = ["6.5", "6.7", "7.0"] as const;
export type Release = (typeof releases)[number];

/**
 * Time of a resize and its limit, of which the first half is for the reply and the second for
 * reading. Of simulated time a test waits a twentieth.
 */
const simulated = { resizeMs: 2_000, limit: "40s" } as const;
const long = { resizeMs: 20_000, limit: "60s" } as const;
/** Nobody can hurry a client that waits for a reply: here it gives up before the resize is over. */
const real = { resizeMs: 2_000, limit: "3s" } as const;

/** The requests of a release, as fault scripts name them. */
export function requestsOf(release: Release) {
  const prefix = release === "7.0" ? "/api" : "/rest";
  const storage = `${prefix}/appliance/system/storage`;
  return {
    storage,
    resize:
      release === "6.5"
        ? { on: `POST ${storage}/resize` }
        : { on: `POST ${storage}`, query: "action=resize-ex" },
    list: { on: `GET ${storage}` },
    sizes: { on: `GET ${prefix}/appliance/monitoring/query` },
    login: {
      on: release === "7.0" ? "POST /api/session" : "POST /rest/com/vmware/cis/session",
    },
    logout: {
      on: release === "7.0" ? "DELETE /api/session" : "DELETE /rest/com/vmware/cis/session",
    },
  } as const;
}

export type AppliancePlace = ManagerPlace & {
  readonly release: Release;
  /** Replaces the configuration; settings of the provider over those that are right. */
  readonly want: (logGb: number, settings?: Settings) => void;
};

export type AppliancePlaceOptions = {
  /** The resize outlasts its client. */
  readonly outlasts?: true;
  /** The resize takes a second, in which something else can happen; the reply comes in time. */
  readonly takesLong?: true;
};

/** The disk of the logs has become larger, and its partition has not. */
export async function createAppliancePlace(
  release: Release,
  { outlasts, takesLong }: AppliancePlaceOptions = {},
): Promise<AppliancePlace> {
  const { resizeMs, limit } = outlasts ? real : takesLong ? long : simulated;
  const place = await createManagerPlace({
    ...(outlasts ? { speed: 1 } : {}),
    vms: { vcsa: { power: "on", disks: release === "6.5" ? "appliance" : `appliance-${release}` } },
    appliance: {
      durations_ms: { resize: resizeMs, sample: 100 },
      rules: { release },
    },
  });
  const want: AppliancePlace["want"] = (logGb, settings = {}) => {
    const { appliance: url } = place.simulators.origins;
    const right = { url, user: "admin", password: { env: "PASSWORD" }, release };
    const storage = { sizes_gb: { log: logGb }, timeouts: { update: limit } };
    place.write({ "appliance_storage.this": storage }, undefined, {
      providers: { appliance: { ...right, ...settings } },
    });
  };
  await place.change({ change_manager_disk: { vm: "vcsa", disk: logDisk, size_gb: 25 } });
  return { ...place, release, want };
}

const logDisk = 2004;

export const apply = ["apply", "--auto-approve"];

export type ApplianceRow = {
  readonly name: string;
  readonly only?: readonly Release[];
  readonly options?: AppliancePlaceOptions;
  readonly faults: (requests: ReturnType<typeof requestsOf>) => readonly FaultDocument[];
  readonly excuse?: "session";
  readonly code: 0 | 1;
  readonly says: readonly (string | RegExp)[];
  readonly silent?: RegExp;
  /** Resizes that were sent under the fault, all but one refused; one by default. */
  readonly sent?: number | "several";
  /** Resizes of the run that finishes; none by default. */
  readonly left?: number;
  /** Nobody knows whether the resize runs: no second one is sent before somebody has looked. */
  readonly mayRun?: true;
};

/** Plans, then applies under the fault, then without it. */
export async function meets(place: AppliancePlace, row: ApplianceRow): Promise<void> {
  const requests = requestsOf(place.release);
  place.want(25);
  const [operation] = await place.planned();
  await place.setFaults(...row.faults(requests));
  const log = await place.logged(async () => {
    const output = await place.run(row.code, "apply", place.file("p.plan"));
    const said = expectSaid(output, row.says);
    if (row.silent !== undefined) expect(said).not.toMatch(row.silent);
  });
  const resizes = log.filter(isMutation);
  const { sent = 1 } = row;
  if (sent === "several") expect(resizes.length).toBeGreaterThan(1);
  else expect(resizes.length).toBe(sent);
  expect(new Set(resizes.map(({ path }) => path))).toEqual(new Set([operation?.request?.path]));
  expect(resizes.filter(({ effect }) => effect).length).toBeLessThanOrEqual(1);
  if (row.mayRun) await isHeldBack(place);
  await finishes(place, row.left ?? 0);
}

/** The next run sends nothing into a resize that may still run, until its record is forgotten. */
export async function isHeldBack(place: AppliancePlace): Promise<void> {
  await place.setFaults();
  const log = await place.logged(async () => {
    const { stdout, stderr } = await place.run(1, ...apply);
    expect(stdout + stderr).toContain("An earlier resize may still run (APL011)");
  });
  expect(log.filter(isMutation)).toEqual([]);
  await place.run(0, "state", "rm", "appliance_storage.this");
}

/** Without the fault, what is left is done, once, and nothing is left after that. */
export async function finishes(place: AppliancePlace, left: number): Promise<void> {
  await place.setFaults();
  const log = await place.logged(() => place.run(0, ...apply));
  expect(log.filter(isMutation).length).toBe(left);
  expect(place.partition("log")).toBe(25);
  await place.run(0, "plan", "--detailed-exitcode");
  await place.run(0, "drift");
}

/** Does something once a resize is on its way, while the run waits for its reply. */
export async function whileResizing<T>(
  place: AppliancePlace,
  running: Promise<T>,
  work: () => Promise<void>,
): Promise<T> {
  const run = { isOver: false };
  const over = running.finally(() => {
    run.isOver = true;
  });
  over.catch(() => undefined);
  const isOnItsWay = (): boolean =>
    place.simulators.world().appliance.resizes.some(({ ended }) => !ended);
  while (!isOnItsWay() && !run.isOver) await new Promise((resolve) => setTimeout(resolve, 5));
  if (run.isOver) {
    await running;
    throw new Error("the run ended before its resize was seen");
  }
  await work();
  return over;
}
