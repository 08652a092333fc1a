/** Screen tickets: shown once, kept nowhere, and every way in which there is none. */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import { some } from "../helpers/amount.ts";
import { type CloudPlace, createCloudPlace } from "./cloud-place.ts";

let place: CloudPlace;
beforeEach(async () => {
  place = await createCloudPlace();
  place.write({
    "cloud_vm.a": { name: "a", power: "on" },
    "cloud_vm.c": { name: "c", power: "off" },
  });
  await place.run(0, "apply", "--auto-approve");
});
afterEach(() => place.remove());

async function opens(ticket: string): Promise<unknown> {
  const url = `${place.simulators.origins.cloud}/_simulator/console`;
  const reply = await fetch(url, { method: "POST", body: JSON.stringify({ ticket }) });
  return reply.json();
}

test("a ticket opens the console of its VM, and stands nowhere but in the answer", async () => {
  const { stdout } = await place.run(0, "ticket", "cloud_vm.a", "--json");
  const { url, host, ticket } = JSON.parse(stdout) as { [name: string]: string };
  expect(url).toContain(encodeURIComponent(ticket ?? ""));
  expect(host).toBe("console.example");
  expect(await opens(url ?? "")).toEqual({ opens: true });
  const text = await place.run(0, "ticket", "cloud_vm.a");
  expect(text.stdout).toContain("console.example");
  expect(text.stdout + text.stderr).toContain("Valid for 30s");
  // Not its own run only: nothing of it is left when other commands look.
  await place.run(0, "drift");
});

type Row = {
  readonly name: string;
  readonly address?: string;
  readonly fault?: FaultDocument;
  readonly says: readonly string[];
};

const acquire = {
  on: "POST /api/vApp/*/screen/action/acquireTicket",
  times: "always",
} as const;
const secretive = "<ScreenTicket>mks://console.example/vm-1?ticket=s3cr3t-%2F</ScreenTicket>";
const rows: readonly Row[] = [
  {
    name: "a VM that is off",
    address: "cloud_vm.c",
    says: ["VM c is off; a screen ticket needs it on"],
  },
  { name: "nothing of that name", address: "cloud_vm.x", says: ["cloud_vm.x"] },
  {
    name: "a page",
    fault: { ...acquire, foreign: {} },
    says: ["an HTML page"],
  },
  {
    name: "a refusal",
    fault: { ...acquire, refusal: { status: 400, message: "VM is not powered on." } },
    says: ["VM is not powered on"],
  },
  {
    name: "a document that is cut, with a ticket in it",
    fault: { ...acquire, reply: { status: 200, body: secretive.slice(0, -3) } },
    says: ["status 200"],
  },
  {
    name: "an error that repeats a ticket",
    fault: { ...acquire, reply: { status: 500, body: `Broken: ${secretive}` } },
    says: ["status 500"],
  },
  {
    name: "a ticket that is none",
    fault: { ...acquire, reply: { status: 200, body: "<ScreenTicket>s3cr3t</ScreenTicket>" } },
    says: ["no screen ticket that can be read"],
  },
];

test.each(some(rows, 2))("no ticket: $name", async ({ address = "cloud_vm.a", fault, says }) => {
  if (fault !== undefined) await place.setFaults(fault);
  for (const form of [[], ["--json"]]) {
    const { stdout, stderr } = await place.run(1, "ticket", address, ...form);
    if (form.length === 0) for (const words of says) expect(stdout + stderr).toContain(words);
    expect(stdout + stderr).not.toContain("s3cr3t");
    expect(readFileSync(place.file("http.jsonl"), "utf8")).not.toContain("s3cr3t");
  }
  await place.run(0, "plan", "--detailed-exitcode");
});
