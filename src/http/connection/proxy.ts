/** The proxy an origin is reached by, as the environment says. Pure. */

import { BlockList, isIP } from "node:net";
import { isLoopback } from "../../lib/loopback.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";

export type Environment = { readonly [name: string]: string | undefined };

export type Proxy = {
  readonly origin: string;
  /** Host and port, without the user. */
  readonly host: string;
  /** The proxy's own credentials, as headers; nothing of the target's. */
  readonly headers: { readonly [name: string]: string };
};

/**
 * From `HTTPS_PROXY` or `HTTP_PROXY` by the scheme of the origin, less the hosts of `NO_PROXY`; the
 * lower-case spelling wins, as in curl. Undefined: connect directly, as always to loopback. Throws
 * `RemoteError` of kind invalid for a variable that names no proxy.
 */
export function proxyFor(origin: string, environment: Environment): Proxy | undefined {
  const url = new URL(origin);
  if (isLoopback(url.hostname)) return undefined;
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const written = variable(environment, name);
  if (written === undefined) return undefined;
  if (isExempt(url, variable(environment, "no_proxy") ?? "")) return undefined;
  const proxy = readProxy(written.includes("://") ? written : `http://${written}`);
  if (proxy !== undefined) return proxy;
  // The text may hold a password.
  const message = `${name.toUpperCase()} does not name an http or https proxy`;
  throw new RemoteError({ kind: "invalid", effect: "none", message });
}

function readProxy(text: string): Proxy | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, host, username, password } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  if (username === "") return { origin, host, headers: {} };
  try {
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const basic = Buffer.from(user, "utf8").toString("base64");
    return { origin, host, headers: { "proxy-authorization": `Basic ${basic}` } };
  } catch {
    return undefined;
  }
}

/**
 * True when an entry of `NO_PROXY` covers the URL: `*`, a host with all hosts below it (a leading
 * `.` or `*.` changes nothing), an address, or a block of addresses such as `10.0.0.0/8`; each but
 * the first may end in a port. Entries are parted by commas or white space.
 */
export function isExempt(url: URL, noProxy: string): boolean {
  const host = bare(url.hostname);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return noProxy.split(/[,\s]+/).some((written) => {
    if (written === "") return false;
    if (written === "*") return true;
    // An address of IPv6 has a port only behind brackets.
    const [, name = written, entryPort = port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(written) ?? [];
    return entryPort === port && covers(bare(name), host);
  });
}

function covers(entry: string, host: string): boolean {
  if (entry.includes("/")) return inBlock(entry, host);
  const name = entry.replace(/^\*?\./, "");
  if (name === "") return false;
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

function inBlock(block: string, host: string): boolean {
  const family = isIP(host);
  const [network = "", length = ""] = block.split("/");
  const lengthMax = family === 4 ? 32 : 128;
  if (family === 0 || isIP(network) !== family) return false;
  if (!/^\d{1,3}$/.test(length) || Number(length) > lengthMax) return false;
  const list = new BlockList();
  const kind = family === 4 ? "ipv4" : "ipv6";
  list.addSubnet(network, Number(length), kind);
  return list.check(host, kind);
}

/** Lower case, without the brackets of IPv6 and the dot of a full name. */
function bare(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]/, "$1")
    .replace(/\.$/, "");
}

function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name] ?? environment[name.toUpperCase()];
  return value === undefined || value === "" ? undefined : value;
}
