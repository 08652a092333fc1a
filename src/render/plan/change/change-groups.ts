/**
 * Changes of which one line or one entry tells many: instances of a resource to which the same
 * happens for the same reason. What differs from instance to instance stands beside it.
 */

import type { Change } from "../../../model/plan/change.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import { type Address, parseAddress, resourceOf } from "../../../model/value/address.ts";
import type { SchemaRegistry } from "../../../model/value/resource-schema.ts";
import { keysText } from "../../text/instance-names.ts";
import type { Edit } from "../../text/value/attribute-text.ts";
import { inlineValue } from "../../text/value/value-text.ts";
import { contextOf, shownChanges } from "./change-entries.ts";
import { type ChangeContext, reasonText, type ShownEdits, shownEdits } from "./change-text.ts";

export type GroupMember = {
  readonly change: Change;
  readonly context: ChangeContext;
  readonly edits: readonly Edit[];
};

export type ChangeGroup = {
  /** At least one, in order. */
  readonly members: Members;
  /** Edits that are the same of all. */
  readonly common: readonly Edit[];
  /** Names of those that are not. */
  readonly own: readonly string[];
  /** Attributes of each that stay as they are. */
  readonly unchanged: number;
  readonly reason: string | undefined;
  readonly powerSteps: string | undefined;
};

type Members = readonly [GroupMember, ...GroupMember[]];

/** As many as are told together although others of their resource differ in values alone. */
const alikeMin = 5;

/** In the order of their first members; each change is in one group. */
export function changeGroups(plan: Plan, types: SchemaRegistry): readonly ChangeGroup[] {
  const of = contextOf(plan, types);
  const groups = new Map<string, [GroupMember, ...GroupMember[]]>();
  const shown = new Map<GroupMember, ShownEdits>();
  for (const change of shownChanges(plan)) {
    const context = of(change);
    const edits = shownEdits(change, context);
    const member: GroupMember = {
      change,
      context,
      edits: [...adoptionEdits(context), ...edits.edits],
    };
    shown.set(member, edits);
    const key = groupKey(member, edits.unchanged);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return [...groups.values()].flatMap(alike).map((members) => {
    const [first] = members;
    return { members, ...sharedOf(members), unchanged: shown.get(first)?.unchanged ?? 0 };
  });
}

/** Members with equal values, where there are enough of them; the rest together. */
function alike(members: Members): readonly Members[] {
  const byValues = new Map<string, [GroupMember, ...GroupMember[]]>();
  for (const member of members) {
    const { edits, context } = member;
    const key = JSON.stringify(edits.slice(adoptionEdits(context).length).map(editKey));
    const known = byValues.get(key);
    if (known === undefined) byValues.set(key, [member]);
    else known.push(member);
  }
  const large = [...byValues.values()].filter(({ length }) => length >= alikeMin);
  const told = new Set(large.flat());
  const [first, ...rest] = members.filter((member) => !told.has(member));
  return first === undefined ? large : [...large, [first, ...rest]];
}

/** `daemon_vm.web[0-299]`, or the address of the only one. */
export function groupText({ members }: Pick<ChangeGroup, "members">): string {
  const [{ change }] = members;
  if (members.length === 1) return change.address;
  return `${resourceOf(change.address)}[${keysText(addressesOf(members))}]`;
}

function addressesOf(members: readonly GroupMember[]): readonly Address[] {
  return members.map(({ change: { address } }) => address);
}

/** By which object an instance joins recorded state is told like an attribute, of each its own. */
function adoptionEdits({ adopted }: ChangeContext): readonly Edit[] {
  if (adopted === undefined) return [];
  const { identity } = adopted.object;
  return [{ symbol: " ", name: adopted.by, before: identity, after: identity }];
}

/** What is not of a resource with instances stands alone. */
function groupKey({ change, context, edits }: GroupMember, unchanged: number): string {
  const { address, objectKey, action, reason } = change;
  const alone = resourceOf(address) === address;
  const names = edits.map(({ symbol, name, forcesReplace }) => [symbol, name, forcesReplace]);
  const steps = withoutKey(context.powerSteps, address);
  const what = [alone, alone ? address : resourceOf(address), objectKey, action, reason.kind];
  return JSON.stringify([what, names, steps, unchanged]);
}

function sharedOf(members: Members): Omit<ChangeGroup, "members" | "unchanged"> {
  const [first, ...others] = members;
  const address = first.change.address;
  const isSame = (edit: Edit, index: number): boolean => {
    const text = editKey(edit);
    return others.every(({ edits }) => editKey(edits[index]) === text);
  };
  const common = first.edits.filter(isSame);
  const own = first.edits.flatMap((edit) => (common.includes(edit) ? [] : [edit.name ?? ""]));
  if (others.length === 0) {
    const { powerSteps } = first.context;
    return { common, own, reason: reasonText(first.change.reason), powerSteps };
  }
  const reasons = new Set(
    members.map(({ change }) => withoutKey(reasonText(change.reason), change.address)),
  );
  const [reason] = reasons;
  return {
    common,
    own,
    reason: reasons.size === 1 ? reason : `${reasonText(first.change.reason)}; the others likewise`,
    powerSteps: withoutKey(first.context.powerSteps, address),
  };
}

/** Equal of edits that look the same; a secret never tells whether it is. */
function editKey(edit: Edit | undefined): string {
  if (edit === undefined) return "";
  const { before, after, template, sensitive } = edit;
  if (sensitive === true) return "sensitive";
  return JSON.stringify([inlineValue(before), inlineValue(after), template]);
}

/** What is said of one instance, as it would be of another. */
function withoutKey(text: string | undefined, address: Address): string | undefined {
  const key = parseAddress(address)?.key;
  return key === undefined ? text : text?.replaceAll(`[${JSON.stringify(key)}]`, "[…]");
}
