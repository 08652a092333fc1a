/** Opening sessions: what providers are handed, and what a run gets to know of their requests. */

import { afterEach, expect, test, vi } from "vitest";
import { createHttpClients } from "../../../src/http/client.ts";
import { createSecretMask } from "../../../src/lib/mask.ts";
import type { Value } from "../../../src/model/value/value.ts";
import { type AccessPorts, openProviderAccess } from "../../../src/providers/access.ts";
import { noopProvider } from "../../../src/providers/noop/provider.ts";
import { createSecretReader } from "../../../src/secrets/reader.ts";
import { testPorts } from "../../helpers/http-ports.ts";
import { reply, type ScriptedServer, startServer } from "../../helpers/scripted-server.ts";

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  vi.restoreAllMocks();
});

const files: { readonly [path: string]: string } = {
  "/etc/authority.pem": "certificate of an authority\n",
  "/etc/password": "s3cret\n",
};

function accessPorts(changes: Partial<AccessPorts> = {}): AccessPorts {
  const http = testPorts();
  const mask = createSecretMask();
  const readTextFile = async (path: string): Promise<string> => {
    const text = files[path];
    if (text === undefined) throw new Error("ENOENT");
    return text;
  };
  const secrets = createSecretReader({
    mask,
    environment: {},
    readFile: readTextFile,
    runCommand: "none",
    readVault: () => Promise.reject(new Error("none")),
  });
  return {
    clock: http.clock,
    mask,
    events: () => {},
    readSecret: secrets.read,
    readTextFile,
    dialTo: undefined,
    http: (options) => createHttpClients({ ...http, ...options }),
    ...changes,
  };
}

test("every request is told with its provider's name and alias, and its class", async () => {
  server = await startServer((_request, response) => reply(response, { body: "[]" }));
  const told: unknown[] = [];
  const open = openProviderAccess(
    accessPorts({ onExchange: (provider, sent) => void told.push([provider, sent]) }),
  );
  for (const provider of ["daemon", "daemon.east"]) {
    const session = await open(provider, { url: server.origin }, "read");
    await session.list?.("daemon_vm");
    await session.close();
  }
  expect(told).toEqual([
    ["daemon", { class: "read", method: "GET" }],
    ["daemon.east", { class: "read", method: "GET" }],
  ]);
  expect(server.seen).toHaveLength(2);
});

test("a dialled request is told as well", async () => {
  server = await startServer((_request, response) => reply(response, { body: "[]" }));
  const told: string[] = [];
  const open = openProviderAccess(
    accessPorts({
      dialTo: { daemon: server.origin },
      onExchange: (provider) => void told.push(provider),
    }),
  );
  const session = await open("daemon.east", { url: "http://10.1.2.3:8080" }, "read");
  await session.list?.("daemon_vm");
  await session.close();
  expect(told).toEqual(["daemon.east"]);
  expect(server.seen[0]?.headers.host).toBe("10.1.2.3:8080");
});

/** What the provider is handed for these settings. */
async function handed(ports: AccessPorts, settings: Value) {
  const create = vi.spyOn(noopProvider, "create");
  const session = await openProviderAccess(ports)("noop.east", settings, "read");
  await session.close();
  const [given] = create.mock.calls[0] ?? [];
  if (given === undefined) throw new Error("no provider was made");
  return given;
}

test("files that settings name are read and stand unmasked; secrets are masked", async () => {
  const ports = accessPorts();
  const settings = { ca_file: "/etc/authority.pem", password: { file: "/etc/password" } };
  const { readTextFile } = await handed(ports, settings);
  expect(await readTextFile("/etc/authority.pem")).toBe("certificate of an authority\n");
  const text = "certificate of an authority, s3cret";
  expect(ports.mask.mask(text)).toBe("certificate of an authority, ***");
});

test("a file that cannot be read is named, with the provider", async () => {
  const { readTextFile } = await handed(accessPorts(), {});
  await expect(readTextFile("/etc/none.pem")).rejects.toMatchObject({
    kind: "invalid",
    effect: "none",
    message: "provider noop.east: cannot read /etc/none.pem: ENOENT",
  });
});
