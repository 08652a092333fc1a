/** What a parser has to survive: prefixes, foreign attributes, noise, headers sent twice. */

import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { attributeOf } from "../../../../src/lib/xml/xml.ts";
import type { CloudDocument } from "../../../../src/simulators/cloud/world/world-document.ts";
import { simulate } from "../simulation.ts";
import type { Client } from "./cloud-client.ts";
import {
  accept,
  basic,
  cloudWith,
  descendantsOf,
  errorOf,
  logIn,
  neutral,
  recordsOf,
  vappPath,
  vmPath,
} from "./cloud-client.ts";

const vapps = {
  shop: { vms: { web: { power: "on" }, db: {} } },
} satisfies CloudDocument["vapps"];

/** One document of each kind. */
function targetsOf(client: Client): readonly string[] {
  return [
    "GET /api/versions",
    "GET /api/session",
    "GET /api/org",
    "GET /api/query",
    "GET /api/query?type=adminVM",
    "GET /api/query?type=datastore&format=references",
    `GET ${vmPath(client, "web")}`,
    `GET ${vappPath(client, "shop")}`,
    `GET ${vmPath(client, "web")}/snapshotSection`,
    `POST ${vmPath(client, "web")}/screen/action/acquireTicket`,
    `POST ${vmPath(client, "web")}/power/action/powerOff`,
    `POST ${vmPath(client, "db")}/power/action/powerOff`,
    "GET /api/nothing",
  ];
}

describe.each([
  ["neutral", "plain", neutral.namespace],
  ["neutral", "prefixed", neutral.namespace],
  ["vendor", "plain", "http://www.vmware.com/vcloud/v1.5"],
  ["vendor", "prefixed", "http://www.vmware.com/vcloud/v1.5"],
] as const)("%s, %s", (dialect, xml, namespace) => {
  test("every document has the namespace, noise, and its prefix", async () => {
    const simulators = await simulate({ world: { cloud: { vapps, rules: { dialect, xml } } } });
    const header = dialect === "vendor" ? "x-vcloud-authorization" : neutral.header;
    const client = await logIn(simulators, { header });
    for (const target of targetsOf(client)) {
      const { text, root } = await client.send(target);
      const isVersions = target.endsWith("versions");
      expect(root.namespace).toBe(isVersions ? namespace.replace("v1.5", "versions") : namespace);
      expect(text).toContain('xsi:schemaLocation="');
      expect(text.includes("<ns6:")).toBe(xml === "prefixed" && !isVersions);
    }
  });
});

test("attributes of a foreign prefix stand on the hardware", async () => {
  const client = await cloudWith({ vapps });
  const { root } = await client.send(`GET ${vmPath(client, "web")}`);
  const [hardware] = descendantsOf(root, "VirtualHardwareSection");
  expect(hardware?.attributes.map((each) => [each.namespace, each.local])).toEqual([
    [neutral.namespace, "href"],
    [neutral.namespace, "type"],
  ]);
});

test("text that is not known is a single space", async () => {
  const client = await cloudWith({ vapps });
  await client.send(`POST ${vmPath(client, "web")}/power/action/reset`);
  const record = async (query: string) =>
    recordsOf((await client.send(`GET /api/query?${query}`)).root)[0];
  const vm = await record("type=vm&filter=name==web");
  expect(vm && attributeOf(vm, "taskDetails")).toBe(" ");
  const admin = await record("type=adminVM&filter=name==db");
  expect(admin && attributeOf(admin, "hostName")).toBe(" ");
});

test("an administrator's password stands in the document, where there is one", async () => {
  const shop = { vms: { web: { admin_password: "s3cr<t" }, db: {} } };
  const client = await cloudWith({ vapps: { shop } });
  const { root } = await client.send(`GET ${vmPath(client, "web")}`);
  expect(descendantsOf(root, "AdminPassword").map(({ children }) => children)).toEqual([
    ["s3cr<t"],
  ]);
  const other = await client.send(`GET ${vmPath(client, "db")}`);
  expect(other.text).toContain("<AdminPasswordEnabled>false<");
  expect(other.text).not.toContain("<AdminPassword>");
});

test("hrefs of another host and scheme, in every place", async () => {
  const url = "https://cloud.example.com:8443";
  const client = await cloudWith({ vapps, rules: { public_url: url } });
  const origin = client.simulators.origins.cloud;
  for (const target of targetsOf(client)) {
    const { text, headers } = await client.send(target);
    expect(text).not.toContain(origin);
    expect(headers.get("location") ?? url).toContain(url);
  }
  const versions = await client.send("GET /api/versions");
  expect(versions.text).toContain(`<LoginUrl>${url}/api/sessions</LoginUrl>`);
});

test("two Date headers of the simulated time, with refusals and faults too", async () => {
  const faults = { faults: [{ on: "GET /api/org", busy: true as const }] };
  const client = await cloudWith({ vapps }, { faults });
  client.simulators.clock.advance(90 * 86_400_000);
  const expected = new Date(client.simulators.clock.now()).toUTCString();
  const dates = (method: string, path: string, headers: { readonly [name: string]: string }) =>
    new Promise<readonly string[]>((resolve, reject) => {
      const sent = request(
        `${client.simulators.origins.cloud}${path}`,
        { method, headers },
        (reply) => {
          reply.resume();
          const raw = reply.rawHeaders;
          resolve(raw.filter((_value, index) => raw[index - 1]?.toLowerCase() === "date"));
        },
      );
      sent.on("error", reject).end();
    });
  const common = { accept: accept("5.1"), authorization: basic("admin@system", "secret") };
  for (const [method, path] of [
    ["GET", "/api/versions"],
    ["POST", "/api/sessions"],
    ["GET", "/api/session"],
    ["GET", "/api/org"],
    ["GET", "/nothing"],
  ] as const) {
    expect(await dates(method, path, common)).toEqual([expected, expected]);
  }
  expect(errorOf(await client.send("GET /nothing"))[0]).toBe(404);
});
