/** `imports` entries: existing objects join recorded state before anything is read. */

import type { Desired, DesiredInstance } from "../../model/plan/desired.ts";
import type { ResourceType, TypeRegistry } from "../../model/provider/provider.ts";
import type { Endpoint } from "../../model/recorded/endpoint.ts";
import type { NoteEntry } from "../../model/recorded/journal.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { type Address, selects } from "../../model/value/address.ts";
import { foldAll } from "../../state/fold.ts";
import { problem } from "../codes.ts";
import { recordedKey } from "../keys.ts";
import type { Endpoints } from "./recognize.ts";

export type Imports = {
  readonly recorded: RecordedState;
  readonly notes: readonly NoteEntry[];
  /** Addresses that are imported by this plan. */
  readonly addresses: ReadonlySet<Address>;
  readonly diagnostics: readonly Diagnostic[];
};

/** An address that is recorded already is no work left; another object there is an error. */
export function applyImports(
  recorded: RecordedState,
  desired: Desired,
  types: TypeRegistry,
  endpoints: Endpoints = new Map(),
): Imports {
  const notes: NoteEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  const addresses = new Set<Address>();
  for (const { to, id: given } of desired.imports) {
    const instance = desired.instances.find((item) => item.address === to);
    const present = recorded.objects.find((item) => item.address === to);
    const id = parsedIdentity(types[instance?.type ?? present?.type ?? ""], given);
    if (id === undefined) {
      diagnostics.push(unusable(to, given));
      continue;
    }
    if (present !== undefined) {
      if (!isCalled(types, present, id)) diagnostics.push(occupied(to, present.identity, id));
      continue;
    }
    if (instance === undefined) {
      const waits = desired.leftOut?.some((one) => selects(one, to)) === true;
      if (!waits) diagnostics.push(undeclared(to));
      continue;
    }
    const { provider, type } = instance;
    const holder = recorded.objects.find(
      (item) => item.provider === provider && item.type === type && isCalled(types, item, id),
    );
    if (holder !== undefined) {
      const gone = !desired.instances.some((item) => item.address === holder.address);
      diagnostics.push(held(to, id, holder.address, gone));
      continue;
    }
    const at = { endpoint: endpoints.get(provider) };
    const named = { address: to, type, provider, identity: id, ...at };
    const object = importedObject(named, types, instance);
    addresses.add(to);
    notes.push({ kind: "note", note: { what: "adopt", object } });
  }
  const state = { ...foldAll(recorded, notes), journal: recorded.journal };
  return { recorded: state, notes, addresses, diagnostics };
}

/** What a person calls an object, as it is recorded; undefined for what is no id of the type. */
export function parsedIdentity(type: ResourceType | undefined, text: string): string | undefined {
  return type?.parseIdentity === undefined ? text : type.parseIdentity(text);
}

/** Which object is imported, and the server it is at. */
export type ImportedName = Pick<RecordedObject, "address" | "type" | "provider" | "identity"> & {
  readonly endpoint: Endpoint | undefined;
};

/**
 * The record of an object that exists: nothing was applied by us yet. What the configuration says
 * of its order, limits and protection holds from then on.
 */
export function importedObject(
  { endpoint, ...object }: ImportedName,
  types: TypeRegistry,
  wanted?: Pick<DesiredInstance, "dependencies" | "timeoutsMs" | "lifecycle" | "triggers">,
): RecordedObject {
  const container = types[object.type]?.container;
  const holder = container?.of?.(object.identity) ?? object.identity.split("/")[0] ?? "";
  return {
    ...object,
    ...(endpoint === undefined ? {} : { endpoint }),
    objectKey: "current",
    status: "ready",
    applied: null,
    attributes: {},
    dependencies: wanted?.dependencies ?? [],
    ...(container === undefined ? {} : { container: { type: container.type, identity: holder } }),
    timeoutsMs: wanted?.timeoutsMs ?? {},
    ...(wanted === undefined ? {} : { preventDestroy: wanted.lifecycle.preventDestroy }),
    ...(wanted?.triggers === undefined ? {} : { triggers: wanted.triggers }),
  };
}

/** By its whole identity, or by the part of it that the configuration knows. */
function isCalled(types: TypeRegistry, object: RecordedObject, id: string): boolean {
  return object.identity === id || recordedKey(types, object) === id;
}

function unusable(to: Address, given: string): Diagnostic {
  return problem({ address: to }, "PLN030", {
    detail: `${JSON.stringify(given)} is no id of an object such as ${to}.`,
    fix: "The page of the resource type says what it calls an object.",
  });
}

function occupied(to: Address, present: string, id: string): Diagnostic {
  return problem({ address: to }, "PLN016", {
    detail: `${to} holds ${present}, so ${id} cannot be imported there.`,
    fix: "Import it under another address, or remove the entry.",
  });
}

/** One object has one address: imported, it would be recorded twice. */
function held(to: Address, id: string, holder: Address, gone: boolean): Diagnostic {
  return problem({ address: to }, "PLN022", {
    detail: `${id} is recorded as ${holder}.`,
    fix: gone
      ? `Instead of the import, add: moved: [{ from: '${holder}', to: '${to}' }]`
      : "Remove the entry.",
  });
}

function undeclared(to: Address): Diagnostic {
  return problem({ address: to }, "PLN017", {
    detail: `${to} is not in the configuration.`,
    fix: "Declare the resource first.",
  });
}
