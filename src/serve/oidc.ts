/**
 * Login at a server by OpenID Connect: authorization code with PKCE, state and nonce. What was
 * begun is in a cookie of its own, so that nobody ends a login that another browser began.
 */

import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import * as client from "openid-client";
import type { Person } from "../model/board/board.ts";
import type { Message } from "../render/board/message-page.ts";
import { type BegunLogin, createLoginSeal } from "./begun-login.ts";
import { ownPath } from "./own-path.ts";
import { cookieOf, type LoginSettings } from "./settings.ts";

export type OidcLogin = {
  /** Sends the browser to the login server. Rejects with `OidcUnreachable`. */
  readonly begin: (context: Context, to: string | undefined) => Promise<Response>;
  /** When it has come back: who it is, and where to it was going. Rejects the same way. */
  readonly end: (context: Context) => Promise<OidcEnd>;
};

export type OidcEnd =
  | { readonly person: Person; readonly to: string }
  | { readonly refused: Message; readonly who: string };

/** The login server does not answer, or not as one. */
export class OidcUnreachable extends Error {}

export type OidcOptions = {
  readonly settings: Extract<LoginSettings, { readonly kind: "oidc" }>;
  /** Undefined for a client that has none. */
  readonly secret: string | undefined;
  readonly publicUrl: URL;
  readonly now: () => number;
};

const patienceMs = 10 * 60 * 1000;
/** A browser keeps cookies of 4 kB. */
const toMax = 1000;

export function createOidcLogin(options: OidcOptions): OidcLogin {
  const { publicUrl, now } = options;
  const begun = createLoginSeal();
  const configuration = lazily(() => discover(options));
  const secure = publicUrl.protocol === "https:";
  const { name: cookie, path: cookiePath } = cookieOf("login", publicUrl);
  const callback = new URL("oidc-callback", publicUrl);
  return {
    begin: async (context, to = "states") => {
      const known = await configuration();
      const [state, nonce] = [client.randomState(), client.randomNonce()];
      const verifier = client.randomPKCECodeVerifier();
      const atMs = now();
      const where = ownPath.test(to) && to.length <= toMax ? to : "states";
      const id = begun.seal({ state, nonce, verifier, to: where, atMs });
      // Lax: it has to come along when the login server sends the browser back.
      setCookie(context, cookie, id, {
        ...{ httpOnly: true, sameSite: "Lax", path: cookiePath, secure },
        maxAge: patienceMs / 1000,
      });
      const address = client.buildAuthorizationUrl(known, {
        redirect_uri: callback.href,
        scope: "openid profile email",
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...{ state, nonce },
      });
      return context.redirect(address.href, 302);
    },
    end: async (context) => {
      const id = getCookie(context, cookie) ?? "";
      const one = begun.open(id);
      deleteCookie(context, cookie, { path: cookiePath, secure });
      if (one === undefined || now() - one.atMs > patienceMs) return unknownLogin;
      const known = await configuration();
      const came = new URL(callback);
      came.search = new URL(context.req.url).search;
      const claims = await claimsOf(known, came, one);
      return "refused" in claims ? claims : personOf(claims.claims, one.to, options.settings);
    },
  };
}

const unknownLogin: OidcEnd = {
  who: "",
  refused: {
    title: "Not logged in",
    text: "This login was not begun in this browser, or too long ago.",
    onward: { href: "login", label: "Log in again" },
  },
};

async function discover({ settings, secret }: OidcOptions): Promise<client.Configuration> {
  const { issuer, clientId } = settings;
  // That the confirmation came by TLS is enough for the protocol, and not where there is none: its
  // signature is looked at always. Settings refuse http elsewhere than on this machine.
  const execute = [
    client.enableNonRepudiationChecks,
    ...(issuer.protocol === "http:" ? [client.allowInsecureRequests] : []),
  ];
  const authentication = secret === undefined ? client.None() : undefined;
  try {
    return await client.discovery(issuer, clientId, secret, authentication, { execute });
  } catch (error) {
    throw unreachable(issuer.href, error);
  }
}

function unreachable(issuer: string, error: unknown): OidcUnreachable {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OidcUnreachable(`${issuer} cannot be used: ${reason}.`, { cause: error });
}

type Claims = { readonly [name: string]: unknown };

async function claimsOf(
  known: client.Configuration,
  came: URL,
  { state, nonce, verifier }: BegunLogin,
): Promise<{ readonly claims: Claims } | Extract<OidcEnd, { readonly refused: Message }>> {
  try {
    const tokens = await client.authorizationCodeGrant(known, came, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    return { claims: tokens.claims() ?? {} };
  } catch (error) {
    if (error instanceof TypeError) throw unreachable(known.serverMetadata().issuer, error);
    const reason = error instanceof Error ? error.message : String(error);
    const onward = { href: "login", label: "Log in again" };
    const text = `The login server did not confirm who you are: ${reason}.`;
    return { who: "", refused: { title: "Not logged in", text, onward } };
  }
}

function personOf(claims: Claims, to: string, settings: OidcOptions["settings"]): OidcEnd {
  const { userClaim, rolesClaim, roleOf } = settings;
  const names = userClaim === undefined ? ["preferred_username", "email", "sub"] : [userClaim];
  const who = names.map((name) => claimAt(claims, name)).find(isName);
  if (who === undefined) {
    const text = `The login server does not say who you are: it tells no ${names.join(", ")}.`;
    return { who: "", refused: { title: "Not let in", text } };
  }
  const told = claimAt(claims, rolesClaim);
  const groups = (Array.isArray(told) ? told : [told]).filter(isName);
  const role = roleOf(groups);
  if (role !== undefined) return { person: { who, role, via: "oidc" }, to };
  const text = `You are logged in as ${who}, and no group in ${rolesClaim} has a role here.`;
  const fix = "Ask whoever runs this server: vmform serve --role GROUP=see";
  return { who, refused: { title: "Not let in", text, fix } };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Of that name, else along its dots, as in `realm_access.roles`. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) value = memberAt(value, part);
  return value;
}

function memberAt(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
}

/** Once; what failed is tried again by whoever asks next. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return async () => {
    const own = (made ??= make());
    try {
      return await own;
    } catch (error) {
      if (made === own) made = undefined;
      throw error;
    }
  };
}
