/** What the tests against vcsim share: one process for each file of tests, and who is asked. */

import { afterAll, afterEach, beforeAll, expect, type TestContext } from "vitest";
import type { Attributes } from "../../src/model/value/value.ts";
import { type Driver, openDriver } from "./drive.ts";
import { connectPeer, type SoapPeer } from "./soap-peer.ts";
import { startVcsim, type Vcsim, vcsimPath } from "./vcsim.ts";

export const isAbsent = vcsimPath === "";
if (isAbsent) {
  const why = "VMFORM_VCSIM does not say where it is; .ci/run builds it and sets that";
  console.warn(`!! vcsim is not there, and what is tested against it is skipped: ${why}`);
}

export const vmCount = 30;
const inventory = ["-vm", String(vmCount), "-ds", "2", "-host", "2", "-standalone-host", "0"];

export type Suite = {
  readonly vcsim: () => Vcsim;
  /** Logged out at the end of the test. */
  readonly open: (settings?: Attributes) => Promise<Driver>;
  /** Another client of the same server. */
  readonly peer: () => Promise<SoapPeer>;
  /** Dies at the will of the test, which is no fault; serves again when this resolves. */
  readonly restart: () => Promise<void>;
};

/** For a whole file, or a group of tests in it. Fails a test in which vcsim dies by itself. */
export function useVcsim(): Suite {
  let process: Vcsim | undefined;
  let known = 0;
  const drivers: Driver[] = [];
  const vcsim = (): Vcsim => {
    if (process === undefined) throw new Error("vcsim has not been started");
    return process;
  };
  beforeAll(async () => {
    process = await startVcsim(inventory);
  });
  afterEach(async () => {
    await Promise.all(drivers.splice(0).map(({ session }) => session.close()));
    const died = vcsim().deaths().slice(known);
    known += died.length;
    await vcsim().ready();
    expect(died, "vcsim died").toEqual([]);
  });
  afterAll(() => process?.stop());
  return {
    vcsim,
    open: async (settings) => {
      const driver = await openDriver(vcsim().origin, settings);
      drivers.push(driver);
      return driver;
    },
    peer: () => connectPeer(vcsim().origin),
    restart: async () => {
      await vcsim().kill();
      known += 1;
      await vcsim().ready();
    },
  };
}

/** Tests share the inventory, so each has VMs of its own, by number. */
export function vmName(index: number): string {
  return `DC0_C0_RP0_VM${index}`;
}

export async function idOf(driver: Driver, index: number): Promise<string> {
  return (await driver.find("manager_vm", { name: vmName(index) })).identity;
}

/** The first versions name an alarm manager that is not there. */
export async function hasAlarms(peer: SoapPeer): Promise<boolean> {
  const root = '<entity type="Folder">group-d1</entity>';
  const fault = await peer.faultOf("GetAlarm", "AlarmManager", "AlarmManager", root);
  if (fault === undefined) return true;
  if (/^(Method|ManagedObject)NotFound$/.test(fault)) return false;
  throw new Error(`GetAlarm was refused: ${fault}`);
}

/** Says loudly why a test cannot be made with this version, and skips it. */
export function lacks({ skip, task }: TestContext, what: string): never {
  console.warn(`!! skipped: ${task.name}: this vcsim ${what}`);
  return skip(`this vcsim ${what}`);
}

/** The error that some work ends with. */
export async function failure(work: Promise<unknown> | undefined): Promise<Error> {
  const error: unknown = await work?.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Error) return error;
  throw new Error(`no error but ${String(error)}`);
}
