/** Objects that exist and no record holds, as far as each endpoint lists its objects. */

import type { DiscoveredObject } from "../drift/drift-report.ts";
import type { Sessions } from "../engine/sessions.ts";
import type { UnlistedProvider } from "../model/drift-report.ts";
import type { TypeRegistry } from "../model/provider.ts";
import type { RecordedState } from "../model/recorded.ts";
import { RemoteError } from "../model/remote-error.ts";
import type { Value } from "../model/value.ts";

export type Listing = {
  /** Absent when no endpoint listed anything. */
  readonly discovered?: readonly DiscoveredObject[];
  /** Endpoints that should have listed their objects and did not. */
  readonly unlisted: readonly UnlistedProvider[];
};

/** What cannot be listed hides only its own kind of objects. Content is not listed. */
export async function listUnmanaged(
  types: TypeRegistry,
  sessions: Sessions,
  recorded: RecordedState,
  settings: ReadonlyMap<string, Value>,
): Promise<Listing> {
  const held = new Set(recorded.objects.map(objectName));
  const discovered: DiscoveredObject[] = [];
  const unlisted: UnlistedProvider[] = [];
  let isListed = false;
  for (const [provider, value] of settings) {
    const prefix = `${provider.split(".")[0]}_`;
    const listable = Object.values(types).filter(
      (type) => type.name.startsWith(prefix) && type.container === undefined,
    );
    // An endpoint that does not answer fails for every type in the same words.
    const reasons = new Set<string>();
    for (const { name: type } of listable) {
      try {
        const session = await sessions.get(provider, value);
        if (session.list === undefined) break;
        for (const listed of await session.list(type)) {
          const object = { ...listed, provider };
          if (!held.has(objectName(object))) discovered.push(object);
        }
        isListed = true;
      } catch (error) {
        if (!(error instanceof RemoteError)) throw error;
        reasons.add(error.message);
      }
    }
    unlisted.push(...[...reasons].map((reason) => ({ provider, reason })));
  }
  return isListed ? { discovered, unlisted } : { unlisted };
}

function objectName({ provider, type, identity }: DiscoveredObject): string {
  return JSON.stringify([provider, type, identity]);
}
