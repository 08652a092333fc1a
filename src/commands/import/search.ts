/** Looks for the objects of a type at every configured endpoint. */

import type { Configuration } from "../../config/load.ts";
import type { Sessions } from "../../engine/sessions.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import { type Address, formatAddress } from "../../model/value/address.ts";
import type { Value } from "../../model/value/value.ts";
import { otherObject } from "../../plan/before/lookup.ts";
import type { WantedObject } from "../../plan/before/wanted.ts";
import { CommandError, type WorkspaceEnvironment } from "../environment.ts";
import { listOf } from "../state/drift-unmanaged.ts";
import type { FoundObject } from "./describe.ts";
import { type KnownObjects, objectKey } from "./known-objects.ts";

/** What may hold content. */
export type Holder = {
  readonly type: string;
  readonly provider: string;
  readonly identity: string;
};

export type Searched = {
  readonly objects: readonly FoundObject[];
  readonly declared: readonly { readonly address: Address; readonly identity: string }[];
  /** How many there are that recorded state has already. */
  readonly recorded: number;
};

type Searching = {
  readonly environment: WorkspaceEnvironment;
  readonly sessions: Sessions;
  readonly desired: Configuration;
  /** Whoever names a type is told when its provider lists nothing. */
  readonly isNamed: boolean;
};

/** Lists each endpoint of the type, and reads at once what nobody manages. Throws `RemoteError`. */
export async function search(
  { environment, sessions, desired, isNamed }: Searching,
  type: ResourceType,
  known: KnownObjects,
  holders: readonly Holder[],
): Promise<Searched> {
  const objects: FoundObject[] = [];
  const declared: { address: Address; identity: string }[] = [];
  let recorded = 0;
  for (const { name: provider, settings } of endpointsOf(environment, desired, type)) {
    const session = await sessions.get(provider, settings);
    if (session.list === undefined) {
      if (!isNamed) continue;
      throw new CommandError(`The provider ${provider} cannot list its objects.`);
    }
    const within = holders.flatMap((holder) =>
      holder.provider === provider ? [holder.identity] : [],
    );
    const fresh: string[] = [];
    for (const { identity, name } of await listOf(session, type, [...new Set(within)])) {
      const key = objectKey(provider, identity);
      // The configuration may ask by a name for what the server has an id of.
      const address =
        known.declared.get(key) ?? known.declared.get(objectKey(provider, name ?? ""));
      if (known.recorded.has(key)) {
        recorded += 1;
        continue;
      }
      if (address === undefined) fresh.push(identity);
      else declared.push({ address, identity });
    }
    fresh.sort();
    const placeholder = formatAddress({ modules: [], mode: "managed", type: type.name, name: "x" });
    const observations = await session.read(
      fresh.map((identity) => ({
        address: placeholder,
        type: type.name,
        identity,
        attributes: [],
      })),
    );
    fresh.forEach((identity, index) => {
      const observation = observations[index];
      if (observation === undefined) return;
      const meant = meantBy(type, known.lookedUp, provider, observation);
      if (meant === undefined) objects.push({ type, provider, identity, observation });
      else declared.push({ address: meant, identity });
    });
  }
  return { objects, declared, recorded };
}

/** The address that looks this object up. */
function meantBy(
  type: ResourceType,
  lookedUp: readonly WantedObject[],
  provider: string,
  observation: Observation,
): Address | undefined {
  if (observation.status !== "found") return undefined;
  const { attributes: found } = observation;
  return lookedUp.find(
    ({ instance, attributes }) =>
      instance.provider === provider && otherObject(type, attributes, found) === undefined,
  )?.instance.address;
}

/** The configured endpoints of a type's provider; without any, the one of its defaults. */
export function endpointsOf(
  environment: WorkspaceEnvironment,
  desired: Configuration,
  type: ResourceType,
): readonly { readonly name: string; readonly settings: Value }[] {
  const base = type.name.split("_", 1)[0] ?? "";
  const configured = desired.providers.filter(({ name }) => name.split(".", 1)[0] === base);
  if (configured.length > 0) return configured;
  const settings: { [name: string]: Value } = {};
  for (const attribute of Object.values(environment.providerSettings[base]?.attributes ?? {})) {
    if (attribute.default !== undefined) settings[attribute.name] = attribute.default;
    else if (attribute.required) {
      throw new CommandError(
        `The provider ${base} is not configured, and it needs ${attribute.name}.`,
        "Add it to the block providers.",
      );
    }
  }
  return [{ name: base, settings }];
}
