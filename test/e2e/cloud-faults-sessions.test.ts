/**
 * Versions, logins and sessions that go wrong: one message with the way out, no account locked by
 * asking again, no credential sent to another host, nothing changed twice.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { CloudDocument } from "../../src/simulators/cloud/world/world-document.ts";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import { some } from "../helpers/amount.ts";
import {
  type CloudPlace,
  createCloudPlace,
  isMutation,
  type Resources,
  type Settings,
  world,
} from "./cloud-place.ts";

const shop: Resources = {
  "cloud_vm.a": { name: "a", datastore: "fast", power: "on", timeouts: { request: "2s" } },
  "cloud_vm.b": { name: "b", power: "on", nested_hv_enabled: false },
};
const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle"];

let place: CloudPlace;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function open(rules: CloudDocument["rules"] = {}): Promise<void> {
  place = await createCloudPlace({ ...world, rules });
  ends.push(() => place.remove());
}

function logins(): number {
  return place.simulators.log().filter(({ path }) => path === "/api/sessions").length;
}

const page = { headers: { "content-type": "text/html" }, body: "<html>Welcome" };

type Row = {
  readonly name: string;
  readonly rules?: CloudDocument["rules"];
  readonly settings?: Settings;
  readonly fault?: FaultDocument;
  readonly says: readonly string[];
  /** Logins that a run tries. */
  readonly logins: number;
  /** The fault lies about a session that is alive: nobody ends it. */
  readonly leaves?: true;
};

const rows: readonly Row[] = [
  {
    name: "a wrong password is tried once",
    settings: { user: "alice", org: "system" },
    says: ["login refused for alice@system; check user, org and password"],
    logins: 1,
  },
  {
    name: "a user without an organization",
    settings: { org: null },
    says: ["org is not set; set it, or write user as user@org"],
    logins: 0,
  },
  {
    name: "a password that is nowhere",
    settings: { password: { env: "NOWHERE" } },
    says: ["environment variable NOWHERE is not set"],
    logins: 0,
  },
  {
    name: "plain http to another computer",
    settings: { url: "http://cloud.example.com" },
    says: ["the password would be readable on its way", "use https://"],
    logins: 0,
  },
  {
    name: "an address where something else answers",
    fault: { on: "GET /api/versions", times: "always", reply: { status: 200, ...page } },
    says: ["an HTML page: <html>Welcome", "instead of XML"],
    logins: 0,
  },
  {
    name: "a list of versions that is another document",
    fault: { on: "GET /api/versions", times: "always", reply: { status: 200, body: "<a/>" } },
    says: ["instead of a list of API versions (is url a cloud's?)"],
    logins: 0,
  },
  {
    name: "a cloud without a version that is known here",
    rules: { versions: ["5.5", "5.10", "9.0"] },
    says: ["the cloud offers neither API version 5.1 nor 1.5, only 5.5, 5.10, 9.0", "api_version"],
    logins: 0,
  },
  {
    name: "a version that is not offered, though one is spelled almost so",
    settings: { api_version: "5.10" },
    says: ["the cloud does not offer api_version 5.10; it offers 1.5, 5.1"],
    logins: 0,
  },
  {
    name: "a version that the login does not accept",
    fault: {
      on: "POST /api/sessions",
      times: "always",
      refusal: { status: 406, minor_code: "NOT_ACCEPTABLE", message: "Supported: [5.5]" },
    },
    says: ["Supported: [5.5]", "set api_version of the provider to a version it supports"],
    logins: 1,
  },
  {
    name: "a login that answers a page, and has opened no session",
    fault: { on: "POST /api/sessions", times: "always", foreign: {} },
    says: ["an HTML page", "without a session token"],
    logins: 1,
  },
  {
    name: "a login at a server that is starting",
    fault: {
      on: "POST /api/sessions",
      times: "always",
      reply: { status: 503, ...page, headers: { "retry-after": "2" } },
    },
    says: ["status 503", "next try in 2 s (1/4)"],
    logins: 5,
  },
  {
    name: "sessions that are refused as soon as they are open",
    fault: { on: "GET /api/query", times: "always", reply: { status: 401 } },
    says: ["GET /api/query", "status 401"],
    logins: 2,
    leaves: true,
  },
];

test.each(some(rows, 3))("$name", async (row) => {
  await open(row.rules);
  if (row.leaves) place.excuse("session");
  place.write(shop, row.settings);
  if (row.fault !== undefined) await place.setFaults(row.fault);
  for (const words of [["plan"], apply]) {
    const before = logins();
    const { stdout, stderr } = await place.run(1, ...words);
    for (const each of row.says) expect(`${stdout}\n${stderr}`).toContain(each);
    expect(logins() - before).toBe(row.logins);
  }
  expect(place.simulators.log().filter(isMutation)).toEqual([]);
});

test.each(["/cloud/org/acme", "/api/sessions", "/tenant/acme/"])(
  "the address of a page, %s, in place of that of the API",
  async (path) => {
    await open();
    place.excuse("violation");
    const { origin } = new URL(place.simulators.origins.cloud);
    place.write(shop, { url: `${origin}${path}` });
    const { stdout, stderr } = await place.run(1, "plan");
    expect(stdout + stderr).toContain(`set url: "${origin}"`);
    expect(logins()).toBe(0);
    // Where no cloud answers either, nothing is advised that does not help.
    await place.setFaults({ on: "GET /api/versions", times: "always", reply: { status: 404 } });
    const other = await place.run(1, "plan");
    expect(other.stdout + other.stderr).toContain("part of the cloud's url?");
  },
);

test("a cloud that is not there", async () => {
  await open();
  place.write(shop);
  await place.run(0, ...apply);
  await place.simulators.stop();
  place.excuse("session");
  ends.pop();
  for (const words of [["plan"], ["drift"], apply]) {
    const { stdout, stderr } = await place.run(1, ...words);
    expect(stdout + stderr).toContain("connection refused by 127.0.0.1");
  }
});

test.each([401, 403] as const)("a session that has expired, told as %i", async (status) => {
  await open({ expired_session: status });
  place.write(shop);
  await place.setFaults(
    { on: "GET /api/query", nth: 2, change: { end_cloud_sessions: {} } },
    { on: "POST **/action/relocate", change: { end_cloud_sessions: {} } },
    { on: "GET /api/task/*", change: { end_cloud_sessions: {} } },
  );
  await place.run(0, "plan");
  expect(logins()).toBe(2);
  const sent = await place.logged(() => place.run(0, ...apply));
  const done = sent.filter((entry) => isMutation(entry) && entry.effect);
  expect(done.map(({ path }) => path.split("/").at(-1))).toEqual(["relocate"]);
  await place.run(0, "plan", "--detailed-exitcode");
});

/** Another host, as far as a client can tell: it keeps what it is sent. */
async function elsewhere(): Promise<{ readonly origin: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end("<a/>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, seen };
}

test.each([
  ["the versions", "GET /api/versions"],
  ["the login", "POST /api/sessions"],
  ["a list", "GET /api/query"],
  ["a VM", "GET /api/vApp/vm-*"],
  ["a change", "POST **/action/relocate"],
])("%s redirected to another host: nothing is sent there", async (_what, on) => {
  await open();
  const other = await elsewhere();
  for (const status of [301, 302, 303, 307, 308]) {
    place.write(shop);
    const headers = { location: `${other.origin}/api/query?type=adminVM` };
    await place.setFaults({ on, times: "always", reply: { status, headers } });
    const { stdout, stderr } = await place.run(1, ...apply);
    expect(stdout + stderr).toContain(other.origin);
  }
  expect(other.seen).toEqual([]);
});

test("links with another host lead to the configured one", async () => {
  const other = await elsewhere();
  await open({ public_url: other.origin });
  place.write({ ...shop, "cloud_snapshot.b": { vm: "${cloud_vm.b.href}" } });
  await place.run(0, ...apply);
  await place.run(0, "plan", "--detailed-exitcode");
  await place.run(0, "drift");
  expect(other.seen).toEqual([]);
});
