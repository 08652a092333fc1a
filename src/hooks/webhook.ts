/** A server that is told by POST. Its reply counts by its status alone. */

import { RemoteError } from "../model/operation/remote-error.ts";
import type { Hook } from "../model/said/hook.ts";
import type { HookPorts, Told } from "./send.ts";

/** Nothing of a reply is of use but its status. */
const replyBytesMax = 1_000_000;

export async function tellServer(
  ports: HookPorts,
  hook: Extract<Hook, { readonly kind: "webhook" }>,
  body: string,
): Promise<Told> {
  const { clock, http, readSecret } = ports;
  const { url: written, authorization, limitMs } = hook;
  const text = typeof written === "string" ? written : await readSecret(hook, written);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return { ok: false, why: "its secret_url is no URL such as https://…", again: false };
  }
  // The path of a webhook is what lets in, and may stand in a message of the client.
  const path = `${url.pathname}${url.search}`;
  // A root path is no secret, and to mask it would take the slashes out of all that is said.
  if (typeof written !== "string" && path !== "/") ports.mask.add(path);
  const token = authorization === undefined ? undefined : await readSecret(hook, authorization);
  const client = (await http())({
    origin: url.origin,
    requestTimeoutMs: limitMs,
    connectTimeoutMs: limitMs,
    parallelReads: 1,
    bodyBytesMax: replyBytesMax,
  });
  try {
    const call = {
      class: "mutate",
      method: "POST",
      path,
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: token }),
      },
      body,
      deadlineMs: clock.now() + limitMs,
      isPrivate: true,
    } as const;
    return await client.call(call, ({ status }): Told => {
      if (isTold(status)) return { ok: true };
      const again = status === 408 || status === 429 || status >= 500;
      return { ok: false, why: `it answers ${status}`, again };
    });
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    // Whatever is wrong with what follows.
    if (error.status !== undefined && isTold(error.status)) return { ok: true };
    // Who answers at all, but leads elsewhere or with a page too large, answers so again.
    return { ok: false, why: error.message, again: error.status === undefined };
  } finally {
    await client.close();
  }
}

function isTold(status: number): boolean {
  return status >= 200 && status < 300;
}
