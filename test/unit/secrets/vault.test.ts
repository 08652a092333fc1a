/** Fields of a KV store, and every way in which they are not to be had. */

import type { ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { createHttpClients } from "../../../src/http/client.ts";
import { readVault } from "../../../src/secrets/vault.ts";
import { testPorts } from "../../helpers/http-ports.ts";
import { closedOrigin, type ScriptedServer, startServer } from "../../helpers/scripted-server.ts";

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const reference = {
  kind: "vault",
  mount: "secret",
  path: "lab/the cloud",
  field: "password",
} as const;

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function entry(data: { readonly [field: string]: unknown }): unknown {
  return { request_id: "1", data: { data, metadata: { version: 3, destroyed: false } } };
}

function ports(
  environment: { readonly [name: string]: string },
  files: { [path: string]: string } = {},
) {
  const http = testPorts();
  return {
    environment,
    home: "/homes/ann",
    readFile: async (path: string): Promise<string> => {
      const text = files[path];
      if (text === undefined) throw new Error("ENOENT");
      return text;
    },
    mask: http.mask,
    http: async () => createHttpClients(http),
    records: http.records,
  };
}

test("a field is read, with the token and the namespace of the environment", async () => {
  server = await startServer((_request, response) => {
    json(response, 200, entry({ password: "s3cret-1", user: "ann" }));
  });
  const around = ports({
    VAULT_ADDR: `${server.origin}/behind/`,
    VAULT_TOKEN: "hvs.token-1",
    VAULT_NAMESPACE: "team",
  });
  expect(await readVault(around, reference)).toBe("s3cret-1");
  const [seen] = server.seen;
  expect(seen).toMatchObject({ method: "GET", url: "/behind/v1/secret/data/lab/the%20cloud" });
  expect(seen?.headers).toMatchObject({
    "x-vault-token": "hvs.token-1",
    "x-vault-namespace": "team",
  });
  expect(around.mask.mask("hvs.token-1")).toBe("***");
  expect(JSON.stringify(around.records)).not.toMatch(/s3cret-1|hvs\.token-1/);
});

test("the token that vault login has written", async () => {
  server = await startServer((_request, response) =>
    json(response, 200, entry({ password: "x-1" })),
  );
  const around = ports({ VAULT_ADDR: server.origin }, { "/homes/ann/.vault-token": "hvs.file\n" });
  expect(await readVault(around, reference)).toBe("x-1");
  expect(server.seen[0]?.headers["x-vault-token"]).toBe("hvs.file");
});

test.each<readonly [string, number, unknown, string]>([
  [
    "another field",
    200,
    entry({ user: "a", pass: "b" }),
    "it has no field password, but user, pass",
  ],
  ["no field", 200, entry({}), "it has no field password, but none at all"],
  ["an empty field", 200, entry({ password: "" }), "its field password is empty"],
  ["a number", 200, entry({ password: 5 }), "its field password is no text"],
  [
    "a store of version 1",
    200,
    { data: { password: "s3cret-2" } },
    "not that of a KV store, version 2",
  ],
  ["something else", 200, "hello", "not that of a KV store, version 2"],
  ["no right", 403, { errors: ["permission denied"] }, "403, the token is not valid, or may not"],
  ["no entry", 404, { errors: [] }, "404, there is no such entry, or no KV store"],
  ["a deleted version", 404, { data: { data: null } }, "its newest version was deleted"],
  ["a redirect to a login", 401, "<html>", "it answers 401"],
])("%s is told", async (_name, status, body, message) => {
  server = await startServer((_request, response) => json(response, status, body));
  const around = ports({ VAULT_ADDR: server.origin, VAULT_TOKEN: "hvs.token-1" });
  const read = readVault(around, reference);
  await expect(read).rejects.toThrow(message);
  await expect(read).rejects.toThrow("secret/lab/the cloud of Vault cannot be read");
  await expect(read).rejects.not.toThrow(/s3cret|hvs/);
});

test("sealed is asked again, and told in the end", async () => {
  server = await startServer((_request, response) => json(response, 503, { errors: ["sealed"] }));
  const around = ports({ VAULT_ADDR: server.origin, VAULT_TOKEN: "hvs.token-1" });
  await expect(readVault(around, reference)).rejects.toThrow("503, Vault is sealed");
  expect(server.seen.length).toBeGreaterThan(1);
});

test.each<readonly [string, { readonly [name: string]: string }, string]>([
  ["no address", {}, "VAULT_ADDR is not set"],
  ["no URL", { VAULT_ADDR: "vault:8200" }, "VAULT_ADDR is no URL"],
  ["no token", { VAULT_ADDR: "http://127.0.0.1:1" }, "there is no token for Vault"],
  [
    "no authority",
    { VAULT_ADDR: "https://127.0.0.1:1", VAULT_CACERT: "/none.pem" },
    "cannot read /none.pem, which VAULT_CACERT names",
  ],
])("%s is told before anything is asked", async (_name, environment, message) => {
  await expect(readVault(ports(environment), reference)).rejects.toThrow(message);
});

test("a closed port is told", async () => {
  const around = ports({ VAULT_ADDR: await closedOrigin(), VAULT_TOKEN: "hvs.token-1" });
  await expect(readVault(around, reference)).rejects.toThrow(/of Vault cannot be read: .*refused/);
});
