/**
 * Whom a run believes to be the cloud: certificates, fingerprints, proxies. Others get not one byte
 * of a request, and what is said names the way out.
 */

import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import { afterEach, expect, test } from "vitest";
import {
  type CertificateName,
  certificate,
  type Listening,
  listen,
  pathOf,
  pem,
  startTunnelProxy,
} from "../unit/http/tls-servers.ts";
import { type CloudPlace, createCloudPlace, type Settings } from "./cloud-place.ts";

const shop = {
  "cloud_vm.a": { name: "a", datastore: "fast", power: "on" },
  "cloud_vm.b": { name: "b", power: "on", nested_hv_enabled: false },
};
const apply = ["apply", "--auto-approve"];

let place: CloudPlace;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** The simulated cloud behind TLS. Gives its origin, and counts what arrives. */
async function behind(name: CertificateName): Promise<Listening & { readonly seen: string[] }> {
  place = await createCloudPlace();
  const { hostname, port } = new URL(place.simulators.origins.cloud);
  const seen: string[] = [];
  const server = createServer({ cert: pem(name), key: pem("key") }, (incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    seen.push(`${method} ${url}`);
    const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  const listening = await listen(server, "https");
  ends.push(
    () => place.remove(),
    () => listening.close(),
  );
  return { ...listening, seen };
}

const sha256 = (name: CertificateName): string => certificate(name).fingerprint256;
const sha1 = (name: CertificateName): string => certificate(name).fingerprint;

test.each<[string, CertificateName, Settings]>([
  ["its authority", "server", { ca_file: pathOf("authority") }],
  ["the certificate itself as authority", "self", { ca_file: pathOf("self") }],
  ["a fingerprint", "self", { thumbprint: sha256("self") }],
  ["an older fingerprint, written without colons", "self", { thumbprint: plain(sha1("self")) }],
  ["a fingerprint, whatever else is wrong", "expired", { thumbprint: sha256("expired") }],
  ["nothing at all, on purpose", "expired", { allow_unverified_ssl: true }],
])("trusted by %s: everything works", async (_name, name, settings) => {
  const cloud = await behind(name);
  place.write(shop, { url: cloud.origin, ...settings });
  await place.run(0, ...apply);
  const { stdout, stderr } = await place.run(0, "plan", "--detailed-exitcode");
  const unseen = "allow_unverified_ssl" in settings;
  expect((stdout + stderr).includes("Server is trusted unseen (CFG047)")).toBe(unseen);
  await place.run(0, "drift");
  expect(cloud.seen.length).toBeGreaterThan(10);
});

function plain(fingerprint: string): string {
  return fingerprint.replaceAll(":", "").toLowerCase();
}

test.each<[string, CertificateName, Settings, readonly string[]]>([
  ["a certificate of its own", "self", {}, ["ca_file", "thumbprint", sha256("self")]],
  ["an authority that nobody knows", "server", {}, ["ca_file", "thumbprint", sha256("server")]],
  [
    "a certificate for another host",
    "other-host",
    { ca_file: pathOf("authority") },
    ["127.0.0.1", "thumbprint"],
  ],
  [
    "a certificate of long ago",
    "expired",
    { ca_file: pathOf("authority") },
    ["expired", "thumbprint"],
  ],
  [
    "another certificate than the one that was named",
    "self",
    { thumbprint: sha256("server") },
    [sha256("self")],
  ],
])("%s: nothing is sent", async (_name, name, settings, says) => {
  const cloud = await behind(name);
  place.write(shop, { url: cloud.origin, ...settings });
  for (const words of [["plan"], apply]) {
    const { stdout, stderr } = await place.run(1, ...words);
    for (const each of says) expect(stdout + stderr).toContain(each);
    // It stays as it is, so it is not asked again and again.
    expect(stdout + stderr).not.toContain("next try in");
  }
  expect(cloud.seen).toEqual([]);
  expect(place.simulators.log()).toEqual([]);
});

test("an authority's file that holds none", async () => {
  const cloud = await behind("server");
  const file = place.file("not.pem");
  writeFileSync(file, "nothing");
  place.write(shop, { url: cloud.origin, ca_file: file });
  const { stdout } = await place.run(1, "plan");
  expect(stdout).toContain("ca_file holds no certificate in PEM form");
  place.write(shop, { url: cloud.origin, ca_file: place.file("absent.pem") });
  expect((await place.run(1, "plan")).stdout).toContain("absent.pem");
  expect(cloud.seen).toEqual([]);
});

test("the wrong kind of address is told, either way", async () => {
  const cloud = await behind("self");
  place.write(shop, { url: cloud.origin.replace("https:", "http:") });
  expect((await place.run(1, "plan")).stdout).toContain("use https://");
  place.write(shop, { url: place.simulators.origins.cloud.replace("http:", "https:") });
  expect((await place.run(1, "plan")).stdout).toContain("use http://");
});

const url = "https://cloud.test";

test("by way of a proxy, which is told nothing but the way", async () => {
  const cloud = await behind("self");
  const proxy = await startTunnelProxy({ port: cloud.port });
  ends.push(() => proxy.close());
  place.write(shop, { url, thumbprint: sha256("self") });
  const environment = { HTTPS_PROXY: proxy.origin };
  await place.runWith({ environment }, 0, ...apply);
  await place.runWith({ environment }, 0, "plan", "--detailed-exitcode");
  expect(cloud.seen.length).toBeGreaterThan(10);
  for (const { method, url: target, headers } of proxy.asked) {
    expect(`${method} ${target}`).toBe("CONNECT cloud.test:443");
    expect(Object.keys(headers).filter((name) => /auth|token|cookie/.test(name))).toEqual([]);
  }
});

test.each([
  [407, ["asks for a user and password", "status 407"]],
  [502, ["status 502"]],
])("a proxy that answers %i is told from the cloud", async (status, says) => {
  await behind("self");
  const proxy = await startTunnelProxy({ status });
  ends.push(() => proxy.close());
  place.write(shop, { url, thumbprint: sha256("self") });
  const environment = { HTTPS_PROXY: proxy.origin };
  const { stdout } = await place.runWith({ environment }, 1, "plan");
  expect(stdout).toContain(`proxy ${new URL(proxy.origin).host}`);
  for (const each of says) expect(stdout).toContain(each);
});
