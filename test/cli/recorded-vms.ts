/** Recorded state of a few VMs, as an apply would have left it. */

import type { RecordedObject } from "../../src/model/recorded/recorded.ts";
import { toAddress } from "../../src/model/value/address.ts";
import type { WorldDocument } from "../../src/simulators/world.ts";
import { encodeState } from "../../src/state/form/encode.ts";
import { initialState } from "../../src/state/initial.ts";

const lineage = "00000000-0000-4000-8000-000000000001";
const journal = "00000000-0000-4000-8000-000000000002";

/** State with `daemon_vm.web[0]`, … for a daemon at this url. */
export function recordedVms(count: number, url: string): string {
  const state = initialState(lineage, journal, false);
  return encodeState({
    ...state,
    serial: 1,
    objects: Array.from({ length: count }, (_, index) => recordedVm(index)),
    providers: [{ name: "daemon", settings: { url } }],
  });
}

function recordedVm(index: number): RecordedObject {
  const address = toAddress(`daemon_vm.web[${index}]`);
  if (address === undefined) throw new Error("not an address");
  const id = `web-${index}`;
  return {
    address,
    objectKey: "current",
    type: "daemon_vm",
    provider: "daemon",
    identity: id,
    status: "ready",
    applied: { id, name: null, parent_id: null, power: "on", tag: null },
    attributes: { id, name: id, tag: null, power_state: "on", ip_address: addressOf(index) },
    dependencies: [],
    timeoutsMs: {},
    preventDestroy: false,
  };
}

function addressOf(index: number): string {
  return `10.0.0.${index + 10}`;
}

/** The world in which these VMs run. */
export function worldOfVms(count: number): WorldDocument {
  const vms = Array.from({ length: count }, (_, index) => [
    `web-${index}`,
    { power: "on" as const, address: addressOf(index) },
  ]);
  return { daemon: { vms: Object.fromEntries(vms) } };
}
