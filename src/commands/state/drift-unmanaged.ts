/** Objects that exist and no record holds, as far as each endpoint lists its objects. */

import type { DiscoveredObject } from "../../drift/drift-report.ts";
import type { Sessions } from "../../engine/sessions.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { UnlistedProvider } from "../../model/plan/drift-report.ts";
import type {
  Discovered,
  ProviderSession,
  ResourceType,
  TypeRegistry,
} from "../../model/provider/provider.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Value } from "../../model/value/value.ts";

export type Listing = {
  /** Absent when no endpoint listed anything. */
  readonly discovered?: readonly DiscoveredObject[];
  /** Endpoints that should have listed their objects and did not. */
  readonly unlisted: readonly UnlistedProvider[];
};

/**
 * What cannot be listed hides only its own kind of objects. Content is listed of recorded
 * containers, and only what somebody has made: disks, say, come with their VM.
 */
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
      (type) => type.name.startsWith(prefix) && isListable(type),
    );
    // An endpoint that does not answer fails for every type in the same words.
    const reasons = new Set<string>();
    for (const type of listable) {
      try {
        const session = await sessions.get(provider, value);
        if (session.list === undefined) break;
        for (const listed of await listOf(session, type, containersOf(recorded, provider, type))) {
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

function isListable({ container, ownership }: ResourceType): boolean {
  if (container === undefined) return true;
  return container.listed === true && container.askedEach !== true && ownership === "owned";
}

/** Identities of recorded objects that hold content of the type. */
function containersOf(
  { objects }: RecordedState,
  provider: string,
  { container }: ResourceType,
): readonly string[] {
  const holders = objects.filter(
    (object) => object.type === container?.type && object.provider === provider,
  );
  return [...new Set(holders.map(({ identity }) => identity))];
}

/** All objects of a type, or, of content, those of these containers. */
export async function listOf(
  session: ProviderSession,
  { name, container }: ResourceType,
  containers: readonly string[],
): Promise<readonly Discovered[]> {
  if (container === undefined) return (await session.list?.(name)) ?? [];
  if (containers.length === 0) return [];
  return (await session.listContent?.(name, containers)) ?? [];
}

function objectName({ provider, type, identity }: DiscoveredObject): string {
  return JSON.stringify([provider, type, identity]);
}
