/**
 * Classifies wanted objects that are not recorded: the question "may a new one be made, or is its
 * key, or its container, in the way?".
 */

import { quotedWord } from "../../lib/shell-word.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { equalValues } from "../../model/value/value.ts";
import { problem } from "../codes.ts";
import { containerKey, holderKey } from "../keys.ts";
import { type Judged, type Known, nothingDiffers, unreadable, type Verdict } from "./verdict.ts";

export function classifyNew(known: Known): Judged {
  const { draft, instance } = known;
  const create = {
    action: "create",
    reason: { kind: "not-recorded" },
    ...nothingDiffers,
  } as const;
  const lookup = draft.input.lookups.get(instance.address);
  const asked = !isHeldElsewhere(known) && !containerIsNew(known);
  if (lookup?.status === "unreadable" && lookup.rule !== "by rule" && asked) {
    return { diagnostic: unreadable(instance, lookup.reason) };
  }
  const stranger = strangerOf(known);
  return stranger === undefined ? create : { diagnostic: stranger };
}

/** The key of a new object is taken by one that nobody has recorded. */
export function strangerOf(known: Known): Diagnostic | undefined {
  const { draft, instance, identity, type } = known;
  const lookup = draft.input.lookups.get(instance.address);
  if (lookup?.status !== "found" || containerIsNew(known)) return undefined;
  const { provider } = instance;
  const holder = draft.holders.get(holderKey({ provider, type: type.name, identity }));
  if (holder?.identity === lookup.identity) return undefined;
  const other = type.otherKind?.(lookup.attributes);
  if (other !== undefined) {
    return problem(instance, "PLN002", {
      detail: `The key ${identity} is that of an object of another kind: ${other}.`,
      fix: "Choose another key: what is no such object is neither taken over nor changed.",
    });
  }
  const importing = `vmform import ${quotedWord(instance.address)} ${quotedWord(identity)}`;
  // An address that is recorded still holds the object that is gone.
  const isRecorded = known.prior !== undefined;
  return problem(instance, "PLN002", {
    detail: `A ${type.name} with the key ${identity} exists and is not in recorded state.`,
    fix: isRecorded
      ? `To take it over: vmform state rm ${quotedWord(instance.address)}, then ${importing}`
      : `To take it over: ${importing}`,
  });
}

/** Content is not added to a container that is configured not to take it. */
export function containerRequirement(known: Known, verdict: Verdict): Diagnostic | undefined {
  const { draft, instance, type, wanted } = known;
  const { container } = type;
  const identity = wanted[container?.attribute ?? ""];
  if (container?.requires === undefined || typeof identity !== "string") return undefined;
  if (verdict.action !== "create" && verdict.action !== "replace") return undefined;
  const holder = draft.byIdentity.get(containerKey({ type: container.type, identity }));
  const { attribute, equals } = container.requires;
  const value = holder?.wanted[attribute] ?? holder?.prior?.record.applied?.[attribute] ?? null;
  if (holder === undefined || equalValues(value, equals)) return undefined;
  return problem(instance, "PLN020", {
    detail: `${holder.address} has to have ${attribute}: ${JSON.stringify(equals)} for it.`,
    fix: `Set ${attribute}: ${JSON.stringify(equals)} in ${holder.address}.`,
  });
}

function containerIsNew(known: Known): boolean {
  const { container } = known.type;
  const identity = known.wanted[container?.attribute ?? ""];
  if (container === undefined || typeof identity !== "string") return false;
  return known.draft.renewed.has(containerKey({ type: container.type, identity }));
}

/** Another record has the same key and gives it up: it is deposed, or was never seen. */
function isHeldElsewhere({ draft, instance, type, identity }: Known): boolean {
  const { address, provider } = instance;
  const record = draft.holders.get(holderKey({ provider, type: type.name, identity }));
  return record !== undefined && record.address !== address;
}
