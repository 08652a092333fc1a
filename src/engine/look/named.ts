/** Looks for objects that new ones name and that no resource stands for: do they exist? */

import { RemoteError } from "../../model/operation/remote-error.ts";
import type { Observation } from "../../model/provider/observation.ts";
import { type Address, toAddress } from "../../model/value/address.ts";
import type { Value } from "../../model/value/value.ts";
import type { NamedObject } from "../../plan/input.ts";
import type { EnginePorts } from "../ports.ts";
import type { Sessions } from "../sessions.ts";

/** Adds an answer to each question; what cannot be read stands against nothing. */
export async function lookForNamed(
  { types }: Pick<EnginePorts, "types">,
  sessions: Sessions,
  settings: ReadonlyMap<string, Value>,
  questions: readonly NamedObject[],
  answers: Map<string, Observation>,
): Promise<void> {
  const byProvider = new Map<string, Map<string, NamedObject>>();
  for (const question of questions) {
    const group = byProvider.get(question.provider) ?? new Map<string, NamedObject>();
    byProvider.set(question.provider, group.set(question.key, question));
  }
  const reads = [...byProvider].map(async ([provider, group]) => {
    const all = [...group.values()];
    const wanted = all.map(({ type, identity }) => {
      const observed = types[type]?.power?.observed;
      const attributes = observed === undefined ? [] : [observed];
      return { address: addressOf(type), type, identity, attributes };
    });
    const observations = await readOrNot(async () => {
      const session = await sessions.get(provider, settings.get(provider) ?? null);
      return session.read(wanted);
    });
    all.forEach(({ key }, index) => {
      answers.set(key, observations[index] ?? unread);
    });
  });
  await Promise.all(reads);
}

const unread: Observation = { status: "unreadable", rule: "failed", reason: "not read" };

/** Nothing of the configuration stands for it. */
function addressOf(type: string): Address {
  const address = toAddress(`${type}.named`);
  if (address === undefined) throw new Error(`${type} is no type`);
  return address;
}

async function readOrNot(
  read: () => Promise<readonly Observation[]>,
): Promise<readonly Observation[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RemoteError) return [];
    throw error;
  }
}
