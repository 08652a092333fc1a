/**
 * A field of an entry in the KV store, version 2, of Vault, or of OpenBao, which speaks the same.
 * Where it is and who asks is told by the environment, as to its own command line: VAULT_ADDR,
 * VAULT_TOKEN or the file `.vault-token` in the home folder, VAULT_NAMESPACE, VAULT_CACERT.
 *
 * Source: API documentation of Vault, "KV secrets engine - version 2", "Read secret version":
 * `GET /v1/MOUNT/data/PATH`, answered with `{ data: { data: { FIELD: VALUE }, metadata } }`.
 */

import { join } from "node:path";
import type { HttpClientFactory, HttpReply, HttpTarget } from "../http/call.ts";
import { parseJson } from "../lib/json.ts";
import type { SecretMask } from "../lib/mask.ts";
import { RemoteError } from "../model/operation/remote-error.ts";
import type { SecretReference } from "../model/value/secret-reference.ts";
import { SecretError } from "./secret-error.ts";

export type VaultPorts = {
  readonly environment: { readonly [name: string]: string | undefined };
  readonly home: string;
  readonly readFile: (path: string) => Promise<string>;
  readonly mask: SecretMask;
  readonly http: () => Promise<HttpClientFactory>;
};

type VaultReference = Extract<SecretReference, { readonly kind: "vault" }>;

/** Throws `SecretError`. */
export async function readVault(ports: VaultPorts, reference: VaultReference): Promise<string> {
  const target = await targetOf(ports);
  const token = await tokenOf(ports);
  const namespace = ports.environment.VAULT_NAMESPACE;
  const client = (await ports.http())(target.http);
  const entry = `${reference.mount}/${reference.path}`;
  try {
    const read = await client.call(
      {
        class: "read",
        method: "GET",
        path: `${target.prefix}/v1/${encoded(reference.mount)}/data/${encoded(reference.path)}`,
        headers: {
          accept: "application/json",
          "x-vault-token": token,
          "x-vault-request": "true",
          ...(namespace === undefined ? {} : { "x-vault-namespace": namespace }),
        },
        isPrivate: true,
      },
      (reply) => fieldOf(reply, reference.field),
    );
    if ("why" in read) throw new SecretError(`${entry} of Vault cannot be read: ${read.why}`);
    return read.secret;
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    throw new SecretError(`${entry} of Vault cannot be read: ${error.message}`, error);
  } finally {
    await client.close();
  }
}

function encoded(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

async function targetOf(
  ports: VaultPorts,
): Promise<{ readonly http: HttpTarget; readonly prefix: string }> {
  const { VAULT_ADDR: address, VAULT_CACERT: authority } = ports.environment;
  if (address === undefined || address === "") {
    throw new SecretError("environment variable VAULT_ADDR is not set: it says where Vault is");
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new SecretError("VAULT_ADDR is no URL such as https://vault.example.com:8200");
  }
  const ca =
    authority === undefined || authority === ""
      ? undefined
      : await ports.readFile(authority).catch((cause: unknown) => {
          throw new SecretError(`cannot read ${authority}, which VAULT_CACERT names`, cause);
        });
  return {
    prefix: url.pathname.replace(/\/+$/, ""),
    http: {
      origin: url.origin,
      requestTimeoutMs: 30_000,
      connectTimeoutMs: 10_000,
      parallelReads: 4,
      ...(ca === undefined ? {} : { tls: { ca } }),
    },
  };
}

async function tokenOf({ environment, home, readFile, mask }: VaultPorts): Promise<string> {
  const given = environment.VAULT_TOKEN;
  const token =
    given !== undefined && given !== ""
      ? given
      : await readFile(join(home, ".vault-token")).then(
          (text) => text.trim(),
          () => "",
        );
  if (token === "") {
    throw new SecretError(
      "there is no token for Vault: neither VAULT_TOKEN nor the file ~/.vault-token; " +
        "vault login writes one",
    );
  }
  mask.add(token);
  return token;
}

type Read = { readonly secret: string } | { readonly why: string };

/** Throws `RemoteError` for what may be answered otherwise a moment later. */
function fieldOf(reply: HttpReply, field: string): Read {
  const { status, retryAfterMs } = reply;
  const data = dataOf(reply);
  if (status === 429 || status >= 500) {
    const message = refusalText(status, data);
    const later = retryAfterMs === undefined ? {} : { retryAfterMs };
    throw new RemoteError({ kind: "unavailable", effect: "none", status, message, ...later });
  }
  if (status !== 200) return { why: refusalText(status, data) };
  if (!isMap(data) || !isMap(data.data)) {
    return { why: "the reply is not that of a KV store, version 2: look at VAULT_ADDR and path" };
  }
  const { [field]: value } = data.data;
  if (typeof value === "string" && value !== "") return { secret: value };
  if (value !== undefined)
    return { why: `its field ${field} is ${value === "" ? "empty" : "no text"}` };
  const names = Object.keys(data.data).join(", ");
  return { why: `it has no field ${field}, but ${names === "" ? "none at all" : names}` };
}

/** What stands under `data`; undefined when the reply is no JSON of that shape. */
function dataOf({ text }: HttpReply): unknown {
  try {
    const value: unknown = parseJson(text);
    return isMap(value) ? value.data : undefined;
  } catch {
    return undefined;
  }
}

function refusalText(status: number, data: unknown): string {
  switch (status) {
    case 403:
      return "403, the token is not valid, or may not read it";
    case 404:
      // A version that was deleted is answered so as well, with its metadata.
      return isMap(data)
        ? "its newest version was deleted"
        : "404, there is no such entry, or no KV store of version 2 at that mount";
    case 503:
      return "503, Vault is sealed, or in maintenance";
    default:
      return `it answers ${status}`;
  }
}

function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
