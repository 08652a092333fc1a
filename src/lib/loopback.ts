/** Which names of hosts lead to this machine itself, wherever they are written. */

/** `hostname` as `URL` tells it. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  // URL has made every spelling of an IPv4 address dotted decimal.
  return /^127(\.\d{1,3}){3}$/.test(host) || host === "[::1]" || host.startsWith("[::ffff:7f");
}

/**
 * The address of an endpoint as whoever compares it with others sees it. It is that of the server,
 * whatever way leads there; but one of loopback means another server at each site, and carries the
 * site's name.
 */
export function urlSeenFrom(site: string, url: string): string {
  if (!URL.canParse(url) || !isLoopback(new URL(url).hostname)) return url;
  return `${url}#${site}`;
}
