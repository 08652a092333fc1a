/** The data source `daemon_vms`: what is asked, and what the answer becomes. */

import { afterEach, expect, test } from "vitest";
import type { Attributes } from "../../../../src/model/value/value.ts";
import { type Daemon, html, type Script, startDaemon } from "./daemon-server.ts";

let daemon: Daemon | undefined;
afterEach(async () => {
  await daemon?.close();
  daemon = undefined;
});

async function ask(script: Script, query: Attributes): Promise<Attributes | undefined> {
  daemon = await startDaemon(script);
  return daemon.session.readData?.("daemon_vms", query);
}

test("all VMs, sorted whatever the order of the daemon", async () => {
  const script = { "GET /api/vms": { json: ["b", "a10", "a2"] } };
  expect(await ask(script, {})).toEqual({ ids: ["a10", "a2", "b"], vm_count: 3 });
  expect(daemon?.requests()).toEqual(["GET /api/vms"]);
});

test("none", async () => {
  expect(await ask({ "GET /api/vms": { json: [] } }, {})).toEqual({ ids: [], vm_count: 0 });
});

test("by tags, each encoded, the comma between them not", async () => {
  const request = "GET /api/vms?tags=web,a%26b%20c,%C3%A4";
  expect(await ask({ [request]: { json: ["x"] } }, { tags: ["web", "a&b c", "ä"] })).toEqual({
    ids: ["x"],
    vm_count: 1,
  });
});

test.each([
  ["a page of HTML", html],
  ["an object", { json: { vms: [] } }],
  ["numbers", { json: [1, 2] }],
  ["nothing", { body: "" }],
])("%s is an error, never an empty list", async (_what, reply) => {
  await expect(ask({ "GET /api/vms": reply }, {})).rejects.toThrow(/list of VMs/);
});

test("a type that the daemon does not have is a fault of ours", async () => {
  daemon = await startDaemon({});
  await expect(daemon.session.readData?.("daemon_disks", {})).rejects.toThrow(/no data source/);
});
