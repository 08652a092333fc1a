/**
 * One object that is reached through two addresses, and wanted differently: each apply would undo
 * what the other address wants.
 */

import { stringifyJson } from "../lib/json.ts";
import type { EntityKey } from "../model/operation/operation.ts";
import { aliasesOf } from "../model/provider/aliases.ts";
import { endpointText } from "../model/recorded/endpoint.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { equalValues, isKnown, type Value } from "../model/value/value.ts";
import { problem } from "./codes.ts";
import type { PlanInput } from "./input.ts";
import type { Unit } from "./unit.ts";

type Wish = { readonly unit: Unit; readonly values: ReadonlyMap<string, Value> };
type Known = Pick<PlanInput, "types" | "endpoints">;

/** One for each address that is part of a contradiction: none of them is touched. */
export function contradictions(units: readonly Unit[], known: Known): readonly Diagnostic[] {
  const wishes = units.flatMap((unit) => {
    const values = wishOf(unit);
    return values.size === 0 ? [] : [{ unit, values }];
  });
  const byKey = new Map<EntityKey, Wish[]>();
  for (const wish of wishes) {
    for (const key of keysOf(wish.unit, known)) byKey.set(key, [...(byKey.get(key) ?? []), wish]);
  }
  const several = typesAtSeveralServers(wishes, known);
  const found = new Map<Unit, Diagnostic>();
  for (const [key, all] of byKey) {
    for (const wish of all) {
      const others = all.filter(
        (other) => other !== wish && meansSame(wish.unit, other.unit, several),
      );
      const diagnostic = contradictionOf(key, wish, others);
      if (diagnostic !== undefined && !found.has(wish.unit)) found.set(wish.unit, diagnostic);
    }
  }
  return [...found.values()];
}

/** What it is called elsewhere, and its own key, which two names of one provider share. */
function keysOf({ type, identity, settings, prior }: Unit, { types }: Known): readonly EntityKey[] {
  const attributes = prior?.attributes ?? {};
  const aliases = aliasesOf(types, { type: type.name, identity, attributes });
  return [type.entity(identity, settings), ...aliases];
}

/**
 * Ids of host managers are unique within one of them: of two managers, equal ones mean two
 * machines. Which of several is the one that a cloud speaks of, nobody tells: then what was read of
 * both has to agree.
 */
function meansSame(left: Unit, right: Unit, several: ReadonlySet<string>): boolean {
  const entity = ({ type, identity, settings }: Unit): EntityKey => type.entity(identity, settings);
  if (left.type === right.type) return entity(left) === entity(right);
  if (!several.has(left.type.name) && !several.has(right.type.name)) return true;
  const names = Object.keys(left.type.movedBy ?? {});
  return names.every((name) => {
    const [one, two] = [left.prior?.attributes[name], right.prior?.attributes[name]];
    return one === undefined || two === undefined || equalValues(one, two);
  });
}

function typesAtSeveralServers(wishes: readonly Wish[], { endpoints }: Known): ReadonlySet<string> {
  const servers = new Map<string, Set<string>>();
  for (const { unit } of wishes) {
    const endpoint = endpoints.get(unit.provider);
    const server = endpoint === undefined ? unit.provider : endpointText(endpoint);
    servers.set(unit.type.name, (servers.get(unit.type.name) ?? new Set()).add(server));
  }
  return new Set([...servers].flatMap(([type, all]) => (all.size > 1 ? [type] : [])));
}

/** What is turned off when it leaves the configuration is wanted off, too. */
function wishOf({ type, desired, wanted, partsWith }: Unit): Wish["values"] {
  const values = new Map<string, Value>();
  for (const name of type.shared ?? []) {
    const value = desired === undefined ? undefined : wanted[name];
    if (value !== undefined && value !== null && isKnown(value)) values.set(name, value);
  }
  if (desired === undefined && partsWith !== undefined && type.power !== undefined) {
    values.set(type.power.wanted, partsWith);
  }
  return values;
}

function contradictionOf(
  key: EntityKey,
  { unit, values }: Wish,
  others: readonly Wish[],
): Diagnostic | undefined {
  const differences = others.flatMap((other) =>
    [...values].flatMap(([name, value]) => {
      const wanted = other.values.get(name);
      if (wanted === undefined || equalValues(wanted, value)) return [];
      const theirs = `${other.unit.address} wants it ${stringifyJson(wanted)}`;
      return [`${unit.address} wants ${name} ${stringifyJson(value)}, and ${theirs}`];
    }),
  );
  if (differences.length === 0) return undefined;
  const at = unit.desired ?? { address: unit.address };
  return problem(at, "PLN046", {
    detail: `Both mean ${key}: ${differences.join("; ")}. Each apply would undo the other.`,
    fix: "Want the same of both, or leave it out of one of them.",
  });
}
