/** Servers of different versions: what they accept, offer and say. */

import { expect, test } from "vitest";
import { attributeOf, textOf } from "../../../../src/lib/xml/xml.ts";
import type { CloudDocument } from "../../../../src/simulators/cloud/world/world-document.ts";
import { simulate } from "../simulation.ts";
import {
  accept,
  basic,
  descendantsOf,
  errorOf,
  logIn,
  rawSend,
  relsOf,
  snapshotBody,
  vmPath,
} from "./cloud-client.ts";

const vapps = { shop: { vms: { web: {}, db: {} } } } satisfies CloudDocument["vapps"];

function serverOf(versions: readonly string[]) {
  return simulate({ world: { cloud: { rules: { versions }, vapps } } });
}

test.each([
  [["1.5"], ["1.5"], ["5.1", "5.5", "5.10"]],
  [
    ["1.5", "5.1"],
    ["1.5", "5.1"],
    ["5.5", "5.10", "1.50"],
  ],
  [
    ["5.1", "5.5"],
    ["5.1", "5.5"],
    ["1.5", "5.10", "5"],
  ],
  [
    ["1.5", "5.1", "5.10"],
    ["1.5", "5.1", "5.10"],
    ["5.5", "5.100"],
  ],
])("a server of %j accepts %j, not %j", async (versions, accepted, refused) => {
  const simulators = await serverOf(versions);
  const login = (version: string) =>
    rawSend(simulators, "POST /api/sessions", {
      accept: accept(version),
      authorization: basic("admin@system", "secret"),
    });
  for (const version of accepted) {
    const reply = await login(version);
    expect([version, reply.status]).toEqual([version, 200]);
    expect(reply.headers.get("content-type")).toMatch(new RegExp(`;version=${version}$`));
  }
  for (const version of refused) {
    const [status, minor, message] = errorOf(await login(version));
    expect([version, status, minor]).toEqual([version, 406, "NOT_ACCEPTABLE"]);
    expect(message).toContain(`[${versions.join(", ")}]`);
  }
});

test.each([
  ["1.5", false],
  ["5.1", true],
  ["5.5", true],
  ["5.10", true],
])("in %s snapshots, nesting and extensibility: %s", async (version, isLater) => {
  const client = await logIn(await serverOf([version]), { version });
  const rels = relsOf((await client.send("GET /api/session")).root);
  expect(rels.includes("down:extensibility")).toBe(isLater);
  const path = vmPath(client, "web");
  const { root } = await client.send(`GET ${path}`);
  const later = ["enable", "snapshot:create", "reconfigureVm"];
  expect(relsOf(root).filter((rel) => later.includes(rel))).toHaveLength(isLater ? 3 : 0);
  expect(descendantsOf(root, "SnapshotSection")).toHaveLength(isLater ? 1 : 0);
  expect(attributeOf(root, "nestedHypervisorEnabled")).toBe(isLater ? "false" : undefined);
  const reply = await client.send(`POST ${path}/action/createSnapshot`, snapshotBody(""));
  expect(reply.status).toBe(isLater ? 202 : 404);
  expect(client.simulators.log().at(-1)?.violation !== undefined).toBe(!isLater);
});

test("the login URL is that of its version", async () => {
  const simulators = await serverOf(["1.0", "1.5"]);
  const { root } = await rawSend(simulators, "GET /api/versions", {});
  const base = simulators.origins.cloud;
  const urls = descendantsOf(root, "LoginUrl").map(textOf);
  expect(urls).toEqual([`${base}/api/v1.0/login`, `${base}/api/sessions`]);
  const authorization = basic("admin@system", "secret");
  const old = await rawSend(simulators, "POST /api/v1.0/login", {
    accept: accept("1.0"),
    authorization,
  });
  expect(old.status).toBe(200);
});

test("types are mapped per version", async () => {
  const { root } = await rawSend(await serverOf(["1.5", "5.1"]), "GET /api/versions", {});
  const mapped = descendantsOf(root, "VersionInfo").map((info) =>
    descendantsOf(info, "MediaType").some((each) => textOf(each).includes("Snapshot")),
  );
  expect(mapped).toEqual([false, true]);
});

test.each([
  ["1.5", /^The entity web is busy completing an operation\.$/],
  ["5.1", /^The entity web is busy completing an operation\.$/],
  [
    "5.5",
    /^The entity Ref: com\.vendor\.cloud\.entity\.vm:\S{36} is busy .* VAPP_DEPLOY\. VAPP_DEPLOY\(com\.vendor\.cloud\.entity\.task:\S{36}\)$/,
  ],
])("busy in the words of %s", async (version, words) => {
  const client = await logIn(await serverOf([version]), { version });
  const target = `POST ${vmPath(client, "web")}/power/action/powerOn`;
  expect((await client.send(target)).status).toBe(202);
  const [status, minor, message] = errorOf(await client.send(target));
  expect([status, minor]).toEqual([400, "BUSY_ENTITY"]);
  expect(message).toMatch(words);
});

test("from 5.5 on a session names the id of its user", async () => {
  const simulators = await serverOf(["5.1", "5.5"]);
  const idOf = async (version: string) => {
    const client = await logIn(simulators, { version });
    return attributeOf((await client.send("GET /api/session")).root, "userId");
  };
  expect(await idOf("5.1")).toBeUndefined();
  expect(await idOf("5.5")).toMatch(/^urn:cloud:user:/);
});
