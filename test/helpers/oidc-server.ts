/**
 * A login server that speaks OpenID Connect Core 1.0 with PKCE (RFC 7636), as far as a client needs
 * it: everybody who comes is logged in at once. What it signs can be spoilt.
 */

import { createHash, createSign, generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type Claims = { readonly [name: string]: unknown };

export type LoginServer = {
  readonly issuer: string;
  /** What it says of whoever comes next, beside what the protocol asks for. */
  readonly say: (claims: Claims) => void;
  /** Changes the claims that are signed next, or has them signed by somebody else. */
  readonly spoil: (how: { readonly claims?: Claims; readonly foreignKey?: boolean }) => void;
  readonly stop: () => Promise<void>;
};

type Issued = { readonly challenge: string; readonly nonce: string; readonly client: string };

export async function startLoginServer(secret: string): Promise<LoginServer> {
  const [own, foreign] = [keyPair(), keyPair()];
  const issued = new Map<string, Issued>();
  let [claims, spoilt, foreignKey]: [Claims, Claims, boolean] = [{}, {}, false];
  let issuer = "";
  const idToken = ({ client, nonce }: Issued): string => {
    const now = Math.floor(Date.now() / 1000);
    const needed = { iss: issuer, aud: client, sub: "u1", iat: now, exp: now + 300, nonce };
    const key = foreignKey ? foreign.privateKey : own.privateKey;
    return signed({ ...needed, ...claims, ...spoilt }, key);
  };
  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", issuer);
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(reply, 200, metadata(issuer));
      case "/jwks": {
        const jwk = own.publicKey.export({ format: "jwk" });
        return json(reply, 200, { keys: [{ ...jwk, kid: "k1", alg: "RS256", use: "sig" }] });
      }
      case "/authorize": {
        const code = randomUUID();
        const given = (name: string): string => url.searchParams.get(name) ?? "";
        const client = given("client_id");
        issued.set(code, { challenge: given("code_challenge"), nonce: given("nonce"), client });
        const back = new URL(given("redirect_uri"));
        back.search = String(new URLSearchParams({ code, state: given("state"), iss: issuer }));
        reply.writeHead(302, { location: back.href }).end();
        return;
      }
      case "/token": {
        const form = new URLSearchParams(await bodyOf(request));
        const one = issued.get(form.get("code") ?? "");
        issued.delete(form.get("code") ?? "");
        const verifier = form.get("code_verifier") ?? "";
        const challenge = createHash("sha256").update(verifier).digest("base64url");
        const isKnown = form.get("client_secret") === secret || basicSecret(request) === secret;
        if (one === undefined || one.challenge !== challenge || !isKnown) {
          return json(reply, 400, { error: "invalid_grant" });
        }
        const token = { access_token: randomUUID(), token_type: "Bearer", expires_in: 300 };
        return json(reply, 200, { ...token, id_token: idToken(one) });
      }
      default:
        return json(reply, 404, {});
    }
  };
  const server = createServer((request, reply) => {
    answer(request, reply).catch((error: unknown) => reply.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return {
    issuer,
    say: (next) => {
      [claims, spoilt, foreignKey] = [next, {}, false];
    },
    spoil: (how) => {
      [spoilt, foreignKey] = [how.claims ?? {}, how.foreignKey === true];
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

function keyPair() {
  return generateKeyPairSync("rsa", { modulusLength: 2048 });
}

function signed(claims: Claims, key: ReturnType<typeof keyPair>["privateKey"]): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "RS256", typ: "JWT", kid: "k1" })}.${part(claims)}`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(key).toString("base64url")}`;
}

function basicSecret({ headers }: IncomingMessage): string | undefined {
  const [, word = ""] = /^Basic (.*)$/.exec(headers.authorization ?? "") ?? [];
  const [, password] = Buffer.from(word, "base64").toString().split(":");
  return password === undefined ? undefined : decodeURIComponent(password);
}

function json(reply: ServerResponse, status: number, value: object): void {
  reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString();
}
