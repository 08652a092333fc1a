/** One file from an address, through the proxy that the environment names. */

import { EnvHttpProxyAgent, fetch } from "undici";

const bytesMax = 100_000_000;
const limitMs = 300_000;

/** Follows redirects, but none away from TLS. Throws an `Error` with the reason. */
export async function download(url: string): Promise<Uint8Array> {
  const dispatcher = new EnvHttpProxyAgent();
  try {
    const reply = await fetch(url, { dispatcher, signal: AbortSignal.timeout(limitMs) });
    if (url.startsWith("https:") && !reply.url.startsWith("https:")) {
      throw new Error(`the server leads to ${new URL(reply.url).origin}, which has no TLS`);
    }
    if (!reply.ok) throw new Error(`the server answers ${reply.status} ${reply.statusText}`);
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of reply.body ?? []) {
      size += part.length;
      if (size > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    throw error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
  } finally {
    await dispatcher.close();
  }
}
