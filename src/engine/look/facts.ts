/** Facts of changes: what a session tells about them beyond attributes, in bulk per provider. */

import { RemoteError } from "../../model/operation/remote-error.ts";
import type { FactsAnswer, FactsRequest } from "../../model/provider/provider.ts";
import type { Address } from "../../model/value/address.ts";
import type { Value } from "../../model/value/value.ts";
import type { Sessions } from "../sessions.ts";

/** One answer for each request; an endpoint that cannot be asked is an answer, too. */
export async function askFacts(
  sessions: Sessions,
  settings: ReadonlyMap<string, Value>,
  requests: readonly FactsRequest[],
): Promise<ReadonlyMap<Address, FactsAnswer>> {
  const byProvider = new Map<string, FactsRequest[]>();
  for (const request of requests) {
    const group = byProvider.get(request.provider) ?? [];
    byProvider.set(request.provider, [...group, request]);
  }
  const answers = new Map<Address, FactsAnswer>();
  const asked = [...byProvider].map(async ([provider, group]) => {
    const results = await askGroup(sessions, provider, settings.get(provider) ?? null, group);
    group.forEach(({ address }, index) => {
      const answer = results[index];
      if (answer === undefined) throw new Error(`${provider} has left out a fact of ${address}`);
      answers.set(address, answer);
    });
  });
  await Promise.all(asked);
  return answers;
}

async function askGroup(
  sessions: Sessions,
  provider: string,
  settings: Value,
  requests: readonly FactsRequest[],
): Promise<readonly FactsAnswer[]> {
  try {
    const session = await sessions.get(provider, settings);
    if (session.facts === undefined) throw new Error(`${provider} tells no facts`);
    return await session.facts(requests);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const reason = error.message;
    return requests.map(() => ({ status: "failed", reason }));
  }
}
