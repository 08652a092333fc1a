/**
 * How the board is served and who may enter, checked before anything listens: what would let in
 * people whom nobody named is refused here.
 */

import { BlockList, isIP } from "node:net";
import { isRole, type Role } from "../model/board/board.ts";

/** As it was asked for on the command line. */
export type ServeOptions = {
  readonly listen: string;
  /** Where people reach it, through a proxy. */
  readonly url?: string;
  readonly userHeader?: string;
  readonly rolesHeader?: string;
  readonly trustedProxies: readonly string[];
  /** `NAME=ROLE`, `*=ROLE` for everybody who has logged in. */
  readonly roles: readonly string[];
  readonly oidcIssuer?: string;
  readonly oidcClient?: string;
  readonly oidcRolesClaim: string;
  readonly oidcUserClaim?: string;
};

/** The most that somebody with these names of groups may do; undefined: nothing. */
export type RoleOf = (groups: readonly string[]) => Role | undefined;

export type LoginSettings =
  | { readonly kind: "token" }
  | {
      readonly kind: "header";
      readonly userHeader: string;
      readonly rolesHeader: string | undefined;
      /** Addresses whose headers are believed. */
      readonly trusts: (address: string) => boolean;
      readonly roleOf: RoleOf;
    }
  | {
      readonly kind: "oidc";
      readonly issuer: URL;
      readonly clientId: string;
      readonly rolesClaim: string;
      readonly userClaim: string | undefined;
      readonly roleOf: RoleOf;
    };

export type ServeSettings = {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Ends in a slash. Undefined: people reach it where it listens. */
  readonly publicUrl: URL | undefined;
  readonly login: LoginSettings;
};

/**
 * A cookie of these pages. Over https its name forbids that another host sets it (`__Host-`) or,
 * where other applications share the host and shall not be sent it, that http does (`__Secure-`).
 */
export function cookieOf(
  what: string,
  publicUrl: URL | undefined,
): { readonly name: string; readonly path: string } {
  const path = publicUrl?.pathname ?? "/";
  if (publicUrl?.protocol !== "https:") return { name: `vmform_${what}`, path: "/" };
  const prefix = path === "/" ? "__Host-" : "__Secure-";
  return { name: `${prefix}vmform-${what}`, path };
}

/** What was asked for cannot be had; `fix` is the way out. */
export class ServeProblem extends Error {
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.name = "ServeProblem";
    this.fix = fix;
  }
}

/** Throws `ServeProblem`. */
export function settingsOf(options: ServeOptions): ServeSettings {
  const { host, port } = addressOf(options.listen);
  const publicUrl = options.url === undefined ? undefined : publicUrlOf(options.url);
  const login = loginOf(options, isLoopback(host), publicUrl);
  if (!isLoopback(host)) {
    if (login.kind === "token") {
      throw new ServeProblem(
        `It would be served at ${options.listen}, for everybody who reaches that.`,
        "Serve it on 127.0.0.1, or name a login: --oidc-issuer, or --user-header of a proxy.",
      );
    }
    if (publicUrl === undefined && isWildcard(host)) {
      throw new ServeProblem(
        `At ${host} it cannot know by which name people reach it.`,
        "Name it: --url https://vmform.example.org",
      );
    }
  }
  return { host, port, publicUrl, login };
}

function addressOf(text: string): { readonly host: string; readonly port: number } {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]+)):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  if (host === undefined || port > 65_535) {
    const fix = "Write an address and a port, as in 127.0.0.1:8340 or [::1]:8340.";
    throw new ServeProblem(`${JSON.stringify(text)} is nothing to listen at.`, fix);
  }
  return { host, port };
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || /^[0:]+$/.test(host);
}

function publicUrlOf(text: string): URL {
  const fix = "Write it like https://vmform.example.org/ or https://example.org/vmform/.";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ServeProblem(`${JSON.stringify(text)} is no address of a page.`, fix);
  }
  if (url.search !== "" || url.hash !== "" || url.username !== "") {
    throw new ServeProblem(`The address ${text} has more than a host and a path.`, fix);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname.replace(/^\[|\]$/g, ""))) {
    const text2 = `Over ${url.origin}, whoever is on the way could read and take over logins.`;
    throw new ServeProblem(text2, "Let a proxy serve it by https, and name that.");
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

function loginOf(
  options: ServeOptions,
  onLoopback: boolean,
  publicUrl: URL | undefined,
): LoginSettings {
  const { userHeader, rolesHeader, oidcIssuer, oidcClient, trustedProxies } = options;
  if (userHeader !== undefined && oidcIssuer !== undefined) {
    const fix = "Leave out --user-header or --oidc-issuer.";
    throw new ServeProblem("Two kinds of login were asked for.", fix);
  }
  if (userHeader !== undefined) return headerLogin(options, userHeader, onLoopback);
  if (rolesHeader !== undefined || trustedProxies.length > 0) {
    const fix = "Name the header of the user as well: --user-header X-Forwarded-User";
    throw new ServeProblem("Nothing says who it is that a proxy lets through.", fix);
  }
  if (oidcIssuer !== undefined) return oidcLogin(options, oidcIssuer, publicUrl);
  if (oidcClient !== undefined) {
    const fix = "Name it: --oidc-issuer https://login.example.org";
    throw new ServeProblem("Nothing says which server people log in at.", fix);
  }
  if (options.roles.length > 0) {
    const fix = "Leave out --role: whoever has the address that is printed may do everything.";
    throw new ServeProblem("Without a login there are no groups to give roles to.", fix);
  }
  return { kind: "token" };
}

function headerLogin(
  { rolesHeader, trustedProxies, roles }: ServeOptions,
  userHeader: string,
  onLoopback: boolean,
): LoginSettings {
  for (const name of [userHeader, ...(rolesHeader === undefined ? [] : [rolesHeader])]) {
    if (/^[A-Za-z0-9-]{1,80}$/.test(name)) continue;
    const fix = "Write it like X-Forwarded-User.";
    throw new ServeProblem(`${JSON.stringify(name)} is no name of a header.`, fix);
  }
  if (!onLoopback && trustedProxies.length === 0) {
    throw new ServeProblem(
      "Whoever reaches this address could write the header of the user.",
      "Name the addresses of the proxies: --trusted-proxy 10.0.0.5 (repeatable)",
    );
  }
  return {
    kind: "header",
    userHeader,
    rolesHeader,
    trusts: trustOf(trustedProxies.length === 0 ? ["127.0.0.0/8", "::1"] : trustedProxies),
    roleOf: roleOfGroups(roles),
  };
}

function trustOf(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of networks) {
    const [address = "", bits, ...more] = text.split("/");
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? most : Number(bits);
    const isNumber = bits === undefined || /^\d{1,3}$/.test(bits);
    if (family === 0 || more.length > 0 || !isNumber || prefix > most) {
      const fix = "Write it like 10.0.0.5 or 10.0.0.0/24.";
      throw new ServeProblem(`${JSON.stringify(text)} is no address of a proxy.`, fix);
    }
    list.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 4 ? "ipv4" : "ipv6");
  };
}

function oidcLogin(
  { oidcClient, oidcRolesClaim, oidcUserClaim, roles }: ServeOptions,
  issuer: string,
  publicUrl: URL | undefined,
): LoginSettings {
  if (oidcClient === undefined) {
    const fix = "Name it: --oidc-client vmform";
    throw new ServeProblem("The login server knows each application by an id.", fix);
  }
  if (publicUrl === undefined) {
    const fix = "Name it: --url https://vmform.example.org";
    throw new ServeProblem("The login server has to send people back to an address.", fix);
  }
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isSafe =
    url?.protocol === "https:" ||
    (url?.protocol === "http:" && isLoopback(url.hostname.replace(/^\[|\]$/g, "")));
  if (url === undefined || !isSafe) {
    const fix = "Write it like https://login.example.org/realms/ops.";
    throw new ServeProblem(`${JSON.stringify(issuer)} is no login server by https.`, fix);
  }
  return {
    kind: "oidc",
    issuer: url,
    clientId: oidcClient,
    rolesClaim: oidcRolesClaim,
    userClaim: oidcUserClaim,
    roleOf: roleOfGroups(roles),
  };
}

/** Without a mapping, groups are called as the roles are. */
function roleOfGroups(mapping: readonly string[]): RoleOf {
  const pairs = mapping.map((text): readonly [string, Role] => {
    const at = text.lastIndexOf("=");
    const role = text.slice(at + 1);
    if (at > 0 && isRole(role)) return [text.slice(0, at), role];
    const fix = "Write it like vm-admins=operate; roles are see, approve and operate.";
    throw new ServeProblem(`${JSON.stringify(text)} gives nobody a role.`, fix);
  });
  return (groups) => {
    const given =
      pairs.length === 0
        ? groups.filter(isRole)
        : pairs.filter(([name]) => name === "*" || groups.includes(name)).map(([, role]) => role);
    return (["operate", "approve", "see"] as const).find((role) => given.includes(role));
  };
}
