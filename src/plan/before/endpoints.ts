/**
 * Endpoints that are others than recorded: what of recorded state is meant at another server than
 * the one that is spoken to now, and what is said of it. Nothing is done about it unasked, however
 * little is recorded.
 */

import {
  type Endpoint,
  endpointText,
  equalEndpoints,
  relateEndpoints,
} from "../../model/recorded/endpoint.ts";
import type { NoteEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import { type Address, compareAddresses } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import { problem, warning } from "../codes.ts";
import type { Endpoints } from "./recognize.ts";

/** Of one provider, what is recorded at one other endpoint than its present one. */
export type EndpointChange = {
  readonly provider: string;
  readonly recorded: Endpoint;
  readonly present: Endpoint;
  /** False: it may be the same server at another address. */
  readonly isOther: boolean;
  /** Of objects, of operations that were begun and did not end, and of owed power. */
  readonly addresses: readonly Address[];
  readonly objects: number;
  readonly operations: number;
  readonly restores: number;
};

type Place = {
  readonly address: Address;
  readonly provider: string;
  readonly endpoint: Endpoint;
  readonly what: "objects" | "operations" | "restores";
};

/** Sorted by provider, then by where it is recorded. `isMeant` leaves out what is not looked at. */
export function endpointChanges(
  recorded: Pick<RecordedState, "objects" | "open" | "restores">,
  endpoints: Endpoints,
  isMeant: (address: Address) => boolean,
): readonly EndpointChange[] {
  const groups = new Map<string, Place[]>();
  for (const place of placesIn(recorded)) {
    const present = endpoints.get(place.provider);
    if (present === undefined || !isMeant(place.address)) continue;
    if (relateEndpoints(place.endpoint, present) === "same") continue;
    const key = `${place.provider} ${endpointText(place.endpoint)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [place]);
    else group.push(place);
  }
  return [...groups]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, places]) => changeOf(places, endpoints));
}

function placesIn({
  objects,
  open,
  restores,
}: Pick<RecordedState, "objects" | "open" | "restores">): readonly Place[] {
  const at = (
    what: Place["what"],
    address: Address,
    provider: string,
    endpoint: Endpoint | undefined,
  ): readonly Place[] => (endpoint === undefined ? [] : [{ what, address, provider, endpoint }]);
  return [
    ...objects.flatMap((item) => at("objects", item.address, item.provider, item.endpoint)),
    ...open.flatMap((item) =>
      at("operations", item.subject.address, item.subject.provider, item.endpoint),
    ),
    ...restores.flatMap((item) => at("restores", item.address, item.at?.provider ?? "", item.at)),
  ];
}

function changeOf(places: readonly Place[], endpoints: Endpoints): readonly EndpointChange[] {
  const [first] = places;
  const present = endpoints.get(first?.provider ?? "");
  if (first === undefined || present === undefined) return [];
  const { provider, endpoint: recorded } = first;
  const count = (what: Place["what"]): number => places.filter((item) => item.what === what).length;
  return [
    {
      provider,
      recorded,
      present,
      isOther: relateEndpoints(recorded, present) === "other",
      addresses: [...new Set(places.map(({ address }) => address))].toSorted(compareAddresses),
      objects: count("objects"),
      operations: count("operations"),
      restores: count("restores"),
    },
  ];
}

/** Addresses that are named in a sentence. */
const namedMax = 3;

/** A warning of a plan, which needs consent besides; an error of a report. */
export function endpointDiagnostic(
  change: EndpointChange,
  severity: Diagnostic["severity"],
): Diagnostic {
  const { provider, recorded, present, isOther, addresses } = change;
  const who = isOther
    ? "By their own ids, these are two servers: what has a recorded id there is another object, " +
      "unless a UUID says that it is the same."
    : "Nothing tells whether it is the same server: what has a recorded id there would be taken " +
      "for the recorded object.";
  const named = addressesText(addresses, namedMax);
  const tell = severity === "error" ? problem : warning;
  return tell(nowhere, "PLN031", {
    detail:
      `Provider ${provider} speaks to ${endpointText(present)} now. Recorded at ` +
      `${endpointText(recorded)}: ${contentText(change)} (${named}). ${who}`,
    fix: isOther
      ? "Correct the url of the provider, or use another state. To go on here: --allow endpoint"
      : "Correct the url of the provider. If it is the same server at another address: " +
        "--allow endpoint. To accept that first, and send nothing that changes anything: " +
        "vmform apply --refresh-only --allow endpoint",
  });
}

function contentText({ objects, operations, restores }: EndpointChange): string {
  const counts = [
    [objects, "object"],
    [operations, "open operation"],
    [restores, "owed power state"],
  ] as const;
  return counts
    .flatMap(([count, noun]) => (count === 0 ? [] : [`${count} ${noun}${count === 1 ? "" : "s"}`]))
    .join(", ");
}

/**
 * Accepts the present endpoint for what is recorded at these addresses, so that the next plan says
 * nothing more of it; also where only the server's own id has become known.
 */
export function endpointNotes(
  recorded: RecordedState,
  endpoints: Endpoints,
  isMeant: (address: Address) => boolean,
): readonly NoteEntry[] {
  const notes = new Map<Address, NoteEntry>();
  // What was begun elsewhere has to be settled there.
  for (const { address, provider, endpoint } of placesIn({ ...recorded, open: [] })) {
    const present = endpoints.get(provider);
    if (present === undefined || !isMeant(address) || equalEndpoints(endpoint, present)) continue;
    // A server that does not tell its id this time has not lost it.
    const isKnown = endpoint.url === present.url && present.instance === undefined;
    if (isKnown) continue;
    const named = { provider, ...present };
    notes.set(address, { kind: "note", note: { what: "endpoint", address, endpoint: named } });
  }
  return [...notes.values()];
}
