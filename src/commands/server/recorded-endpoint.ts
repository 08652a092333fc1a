/**
 * Whether a recorded object is where, and what, it was recorded as: what is done to it by hand asks
 * no plan, which would say it.
 */

import { endpointOf } from "../../engine/look/endpoints.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import { endpointText, relateEndpoints } from "../../model/recorded/endpoint.ts";
import { knownBy, likenessOf } from "../../plan/before/recognize.ts";
import { CommandError } from "../environment.ts";
import type { RecordedSubject } from "./recorded-subject.ts";

/** Throws `CommandError`, and `RemoteError` where the object cannot be asked for. */
export async function requireRecordedObject(
  session: ProviderSession,
  { record, type }: Pick<RecordedSubject, "record" | "type">,
): Promise<void> {
  const { address, provider, endpoint, identity } = record;
  const present = await endpointOf(session);
  if (
    endpoint !== undefined &&
    present !== undefined &&
    relateEndpoints(endpoint, present) !== "same"
  ) {
    throw new CommandError(
      `${address} was recorded at ${endpointText(endpoint)}, and provider ${provider} speaks to ` +
        `${endpointText(present)} now.`,
      "Correct the url of the provider. If the server has moved, accept that first: vmform apply " +
        "--refresh-only --allow endpoint",
      "elsewhere",
    );
  }
  const known = knownBy(type, { ...record.applied, ...record.attributes });
  if (known === undefined) return;
  const [read] = await session.read([{ address, type: type.name, identity, attributes: [] }]);
  if (read?.status !== "found") return;
  const likeness = likenessOf(type, known, read.attributes);
  if (typeof likeness === "string") return;
  throw new CommandError(
    `${identity} is another object than the one recorded at ${address}: ${likeness.difference}.`,
    "See what is there now with: vmform plan",
    "elsewhere",
  );
}
