/** Recorded state as data for others, as `schemas/documents.schema.json` describes it. */

import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { publicMembers } from "../text/public-json.ts";
import { outputsJson } from "./outputs.ts";

export function stateJson(state: RecordedState): ValueMap {
  const { lineage, serial, simulated } = state;
  return {
    lineage,
    serial,
    simulated,
    objects: state.objects.map(recordedJson),
    open: state.open.map(openJson),
    restores: state.restores.map(({ address, power }) => ({ address, power })),
    outputs: outputsJson(state.outputs),
  };
}

/** One recorded object; a sensitive value was never recorded. */
export function recordedJson(object: RecordedObject): ValueMap {
  const { address, objectKey, type, provider, identity, status, preventDestroy } = object;
  const { attributes, applied, unaccepted, dependencies, endpoint, container } = object;
  return publicMembers({
    address,
    objectKey,
    type,
    provider,
    identity,
    endpoint: endpoint === undefined ? undefined : publicMembers(endpoint),
    status,
    attributes,
    applied,
    unaccepted,
    dependencies,
    container: container === undefined ? undefined : publicMembers(container),
    preventDestroy,
  });
}

/** An operation that was begun, and whose end nobody has seen yet. */
function openJson({
  id,
  subject: { address },
  verb,
  effect: { kind: effect },
  atMs,
}: BeginEntry): ValueMap {
  return { id, address, verb, effect, begun_at: new Date(atMs).toISOString() };
}
