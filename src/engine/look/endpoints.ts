/** Asking which servers the providers of a run speak to. */

import { RemoteError } from "../../model/operation/remote-error.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import type { Endpoint } from "../../model/recorded/endpoint.ts";
import type { Value } from "../../model/value/value.ts";
import type { Endpoints } from "../../plan/before/recognize.ts";
import type { Sessions } from "../sessions.ts";

/** Of each provider that has an endpoint; one that does not answer is known by its address. */
export async function askEndpoints(
  sessions: Sessions,
  settings: ReadonlyMap<string, Value>,
  providers: Iterable<string>,
): Promise<Endpoints> {
  const names = [...new Set(providers)].toSorted();
  const asked = await Promise.all(
    names.map(async (name) => [name, await ask(sessions, name, settings.get(name))] as const),
  );
  return new Map(
    asked.flatMap(([name, endpoint]) => (endpoint === undefined ? [] : [[name, endpoint]])),
  );
}

async function ask(
  sessions: Sessions,
  provider: string,
  settings: Value = null,
): Promise<Endpoint | undefined> {
  try {
    return await endpointOf(await sessions.get(provider, settings));
  } catch (error) {
    // Its settings name no endpoint; whoever uses it hears of that.
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

/** Undefined where nothing is spoken to. */
export async function endpointOf(session: ProviderSession): Promise<Endpoint | undefined> {
  const { url } = session;
  if (url === undefined) return undefined;
  try {
    const instance = await session.instance?.();
    return instance === undefined ? { url } : { url, instance };
  } catch (error) {
    if (error instanceof RemoteError) return { url };
    throw error;
  }
}
