/** Addresses that others refer to, of VMs that are cycled: found again before an apply ends. */

import { afterEach, expect, test } from "vitest";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { createPlace, type Place } from "./place.ts";

let place: Place;
afterEach(() => place.remove());

/** So long that whoever does not wait for an address finds none. */
const world = { daemon: { durations_ms: { tools: 400, address: 800 } } };
const outputs = `outputs: { ip: { value: "\${daemon_vm.parent.ip_address}" } }`;
const parent = "  daemon_vm.parent: { id: parent, power: on }";
const reader = `  daemon_vm.reader: { id: reader, tag: "at \${daemon_vm.parent.ip_address}" }`;
const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle"];

async function addressOf(): Promise<string> {
  const { stdout } = await place.run(0, "output", "ip", "--raw");
  return stdout.trim();
}

const readers = [
  ["its key", ""],
  ["its address too", `, tag: "by \${daemon_vm.parent.ip_address}"`],
] as const;

test.each(some(readers, 1))(
  "a running parent is cycled for a clone that needs %s",
  onlyInLongRun,
  async (_what, more) => {
    place = await createPlace({ world });
    place.write([parent, reader].join("\n"), outputs);
    await place.run(0, ...apply);
    const address = await addressOf();
    expect(address).toMatch(/^10\./);
    const child = `  daemon_vm.child: { id: child, parent_id: "\${daemon_vm.parent.id}"${more} }`;
    place.write([parent, reader, child].join("\n"), outputs);
    const sent = await place.mutations(() => place.run(0, ...apply));
    expect(sent.map(({ method, body }) => `${method} ${body}`)).toEqual([
      "PATCH shutdown",
      expect.stringMatching(/^POST .*"child"/),
      "PATCH on",
    ]);
    await place.run(0, "plan", "--detailed-exitcode");
    expect(await addressOf()).toBe(address);
    expect(place.power("parent")).toBe("on");
  },
);
