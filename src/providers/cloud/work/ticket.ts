/**
 * Screen tickets (specification, section A, endpoint 3). A ticket is a secret of thirty seconds: it
 * stands in no message and is kept nowhere.
 */

import { textOf } from "../../../lib/xml/xml.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { ScreenTicket } from "../../../model/provider/provider.ts";
import { refusal } from "../../kit/refusal.ts";
import type { CloudClient } from "../client/client.ts";
import { powerOfVm, readVm } from "../vm/vm-document.ts";

/** Specification, section A, limits. */
const validMs = 30_000;

export async function acquireTicket(client: CloudClient, vm: string): Promise<ScreenTicket> {
  const document = await readVm(client, vm);
  const power = powerOfVm(document);
  if (power !== "on") {
    const message = `VM ${document.name} is ${power ?? "not on"}; a screen ticket needs it on`;
    throw refusal("precondition", message);
  }
  const path = `${vm}/screen/action/acquireTicket`;
  const sent = await client.send({ method: "POST", path, class: "session" });
  const root = sent.document?.root;
  const ticket = root?.local === "ScreenTicket" ? readTicket(textOf(root)) : undefined;
  if (ticket !== undefined) return ticket;
  const message = `status ${sent.status}: the cloud sent no screen ticket that can be read`;
  throw new RemoteError({ kind: "protocol", effect: "none", message, status: sent.status });
}

/**
 * `mks://HOST/vm-302?ticket=…`, where the host may hold an encoded port or a scheme of its own, so
 * it is read from the right. The ticket is decoded once; `+` stays (wire facts A.4.1).
 */
export function readTicket(written: string): ScreenTicket | undefined {
  const url = written.trim();
  const parts = /^mks:\/\/(.+)\/[^/?]+\/?\?ticket=([^?&\s]+)$/s.exec(url);
  const [host, ticket] = [decoded(parts?.[1]), decoded(parts?.[2])];
  if (host === undefined || ticket === undefined) return undefined;
  return { url, host: host.replace(/^\w+:\/\//, "").replace(/\/+$/, ""), ticket, validMs };
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
