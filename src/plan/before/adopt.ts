/**
 * Attached objects: which existing object does each address mean? One that is found joins recorded
 * state before anything is classified, as an import does; what stands against it waits for the
 * classification, since nothing is said of objects that are not selected.
 */

import type { DesiredInstance } from "../../model/plan/desired.ts";
import type { Observation } from "../../model/provider/observation.ts";
import { currentByAddress } from "../../model/recorded/current.ts";
import type { NoteEntry } from "../../model/recorded/journal.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address, Move } from "../../model/value/address.ts";
import { foldAll } from "../../state/fold.ts";
import { objectKeyOf } from "../../state/working.ts";
import { problem } from "../codes.ts";
import type { PlanInput } from "../input.ts";
import { holderKey } from "../keys.ts";
import { importedObject } from "./imports.ts";

export type Adoptions = {
  /** Recorded state and observations with the objects found. */
  readonly input: PlanInput;
  /** Addresses that take another object than the recorded one, and why. */
  readonly readopted: ReadonlyMap<Address, Readoption>;
  /** Why an address means no object. */
  readonly refused: ReadonlyMap<Address, Diagnostic>;
  /** Found objects that are recorded at addresses which do not mean them any more. */
  readonly displaced: readonly Move[];
};

export type Readoption = { readonly from: string; readonly why: string };

type Found = Extract<Observation, { status: "found" }>;
type Adopting = {
  readonly input: PlanInput;
  readonly holders: Map<string, Address>;
  readonly notes: NoteEntry[];
  readonly observations: Map<string, Observation>;
  readonly readopted: Map<Address, Readoption>;
  readonly refused: Map<Address, Diagnostic>;
  readonly displaced: Move[];
  readonly declared: ReadonlySet<Address>;
};

export function adoptFound(input: PlanInput): Adoptions {
  const attached = input.desired.instances.filter(
    ({ type }) => input.types[type]?.ownership === "attached",
  );
  if (input.mode !== "apply" || attached.length === 0) {
    return { input, readopted: new Map(), refused: new Map(), displaced: [] };
  }
  const recorded = currentByAddress(input.recorded.objects);
  const adopting: Adopting = {
    input,
    holders: new Map(input.recorded.objects.map((item) => [holderKey(item), item.address])),
    notes: [],
    observations: new Map(input.observations),
    readopted: new Map(),
    refused: new Map(),
    displaced: [],
    declared: new Set(input.desired.instances.map(({ address }) => address)),
  };
  for (const record of exchanged(input, attached, recorded)) {
    const { address, objectKey } = record;
    adopting.holders.delete(holderKey(record));
    adopting.notes.push({ kind: "note", note: { what: "forget", address, objectKey } });
  }
  for (const instance of attached) {
    const record = recorded.get(instance.address);
    const lookup = input.lookups.get(instance.address);
    if (lookup === undefined || input.withheld.has(instance.address)) continue;
    if (record === undefined) adoptNew(adopting, instance, lookup);
    else readopt(adopting, instance, record, lookup);
  }
  const { journal } = input.recorded;
  const { notes, observations, readopted, refused, displaced } = adopting;
  const moveNotes = [...input.moveNotes, ...notes];
  const state = { ...foldAll(input.recorded, notes), journal };
  const adopted = { ...input, recorded: state, observations, moveNotes };
  return { input: adopted, readopted, refused, displaced };
}

/**
 * Records whose identity another address takes in the same step, as where two VMs have exchanged
 * their ids: each gives its identity up first. Only of objects that are gone, each of which finds
 * one of its own.
 */
function exchanged(
  { select, lookups, observations, imported, withheld, recorded: { objects } }: PlanInput,
  attached: readonly DesiredInstance[],
  recorded: ReadonlyMap<Address, RecordedObject>,
): readonly RecordedObject[] {
  if (select.targets.length + select.excludes.length > 0) return [];
  const holders = new Map(objects.map((item) => [holderKey(item), item.address]));
  const takes = new Map<Address, string>();
  for (const { address, provider, type } of attached) {
    const lookup = lookups.get(address);
    const gone = observations.get(objectKeyOf(address, "current"))?.status === "missing";
    if (!recorded.has(address) || imported.has(address) || !gone) continue;
    if (withheld.has(address)) continue;
    if (lookup?.status !== "found") continue;
    takes.set(address, holderKey({ provider, type, identity: lookup.identity }));
  }
  const claims = new Map<string, number>();
  for (const key of takes.values()) claims.set(key, (claims.get(key) ?? 0) + 1);
  const isStuck = ([address, key]: readonly [Address, string]): boolean => {
    const holder = holders.get(key);
    const isHeld = holder !== undefined && holder !== address && !takes.has(holder);
    return isHeld || (claims.get(key) ?? 0) > 1;
  };
  for (let stuck = [...takes].filter(isStuck); stuck.length > 0; ) {
    for (const [address] of stuck) takes.delete(address);
    stuck = [...takes].filter(isStuck);
  }
  return [...takes].flatMap(([address, key]) => {
    const holder = holders.get(key);
    const record = holder === undefined || holder === address ? undefined : recorded.get(holder);
    return record === undefined ? [] : [record];
  });
}

function adoptNew(adopting: Adopting, instance: DesiredInstance, lookup: Observation): void {
  const { address, type } = instance;
  switch (lookup.status) {
    case "missing":
      adopting.refused.set(
        address,
        problem(instance, "PLN023", {
          detail: `${capital(lookup.proof)}.`,
          fix: `Correct what it is looked up by. A ${type} is never created.`,
        }),
      );
      return;
    case "unreadable":
      adopting.refused.set(address, unreadable(instance, lookup));
      return;
    case "found":
      adopt(adopting, instance, lookup);
  }
}

/** The lookup was asked again: it changed, or the recorded object is gone. */
function readopt(
  adopting: Adopting,
  instance: DesiredInstance,
  record: RecordedObject,
  lookup: Observation,
): void {
  const { address } = instance;
  const observation = adopting.input.observations.get(objectKeyOf(address, "current"));
  const gone = observation?.status === "missing";
  // Under the recorded id, there may be another object by now.
  if (lookup.status === "found" && lookup.identity === record.identity && !gone) return;
  // An import says which object is meant; whether that is what is looked up is judged with it.
  if (adopting.input.imported.has(address)) {
    if (gone) adopting.refused.set(address, importedGone(instance, record, observation.proof));
    return;
  }
  if (lookup.status === "unreadable") {
    adopting.refused.set(address, unreadable(instance, lookup));
    return;
  }
  if (lookup.status === "missing") {
    const recorded = gone ? `${goneText(record, observation)}. ` : "";
    const isToldTwice = gone && observation.proof === lookup.proof;
    adopting.refused.set(
      address,
      problem(instance, "PLN024", {
        detail: isToldTwice ? recorded.trimEnd() : `${recorded}${capital(lookup.proof)}.`,
        fix: "Correct what it is looked up by, or remove the resource: then it is forgotten.",
      }),
    );
    return;
  }
  if (adopting.input.recorded.restores.some((restore) => restore.address === address) && !gone) {
    adopting.refused.set(
      address,
      problem(instance, "PLN025", {
        detail:
          `${record.identity} was turned off for a change that did not end, and the lookup now ` +
          `finds ${lookup.identity}.`,
        fix: "Look up the recorded object again and apply, then change the lookup.",
      }),
    );
    return;
  }
  const why = gone ? observation.proof : "what it is looked up by has changed";
  if (adopt(adopting, instance, lookup)) {
    adopting.readopted.set(address, { from: record.identity, why });
    // What the recorded object is owed, the other one is not.
    const note = { what: "clear-restore", address } as const;
    const owed = adopting.input.recorded.restores.some((restore) => restore.address === address);
    if (owed) adopting.notes.push({ kind: "note", note });
  }
}

function goneText(
  { identity }: RecordedObject,
  { proof, another }: Extract<Observation, { status: "missing" }>,
): string {
  return another === true ? capital(proof) : `${identity} is gone: ${proof}`;
}

function importedGone(
  instance: DesiredInstance,
  { identity }: RecordedObject,
  proof: string,
): Diagnostic {
  return problem(instance, "PLN019", {
    detail: `${identity}: ${proof}.`,
    fix: "Correct the id of the import, or remove the entry to adopt what is looked up.",
  });
}

/** One object has one address. */
function adopt(adopting: Adopting, instance: DesiredInstance, found: Found): boolean {
  const { address, type, provider } = instance;
  const key = holderKey({ provider, type, identity: found.identity });
  const holder = adopting.holders.get(key);
  if (holder !== undefined && holder !== address) {
    if (givesUp(adopting, found, holder)) adopting.displaced.push({ from: holder, to: address });
    else adopting.refused.set(address, shared(instance, found, holder));
    return false;
  }
  adopting.holders.set(key, address);
  const endpoint = adopting.input.endpoints.get(provider);
  const imported = { address, type, provider, identity: found.identity, endpoint };
  const object = importedObject(imported, adopting.input.types, instance);
  adopting.notes.push({ kind: "note", note: { what: "adopt", object, found: true } });
  adopting.observations.set(objectKeyOf(address, "current"), found);
  return true;
}

/** The address that holds the object left the configuration, or looks up another one now. */
function givesUp(adopting: Adopting, found: Found, holder: Address): boolean {
  if (!adopting.declared.has(holder)) return true;
  const lookup = adopting.input.lookups.get(holder);
  return lookup?.status === "found" && lookup.identity !== found.identity;
}

function shared(instance: DesiredInstance, found: Found, holder: Address): Diagnostic {
  return problem(instance, "PLN026", {
    detail: `${found.identity} is ${holder} already.`,
    fix: "Remove one of the two, or look up another object.",
  });
}

function unreadable(
  instance: DesiredInstance,
  lookup: Extract<Observation, { status: "unreadable" }>,
): Diagnostic {
  if (lookup.matches === undefined) {
    return problem(instance, "PLN005", {
      detail: `${lookup.reason}. Nothing is planned for it, nor for what depends on it.`,
    });
  }
  return problem(instance, "PLN027", {
    detail: `${capital(lookup.reason)}: ${lookup.matches.join("; ")}.`,
    fix: "Say more of the one that is meant; none of them is taken by chance.",
  });
}

/** An id at its beginning is left as it is written: `vm-102`. */
function capital(text: string): string {
  if (!/^[a-z]+ /.test(text)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
