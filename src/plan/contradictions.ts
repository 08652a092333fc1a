/**
 * One object that is reached through two addresses, and wanted differently: each apply would undo
 * what the other address wants.
 */

import { stringifyJson } from "../lib/json.ts";
import { aliasesOf } from "../model/aliases.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { EntityKey } from "../model/operation.ts";
import type { TypeRegistry } from "../model/provider.ts";
import { equalValues, isKnown, type Value } from "../model/value.ts";
import { problem } from "./problem.ts";
import type { Unit } from "./unit.ts";

type Wish = { readonly unit: Unit; readonly values: ReadonlyMap<string, Value> };

/** One for each address that is part of a contradiction: none of them is touched. */
export function contradictions(units: readonly Unit[], types: TypeRegistry): readonly Diagnostic[] {
  const wishes = new Map<EntityKey, Wish[]>();
  for (const unit of units) {
    const values = wishOf(unit);
    if (values.size === 0) continue;
    for (const key of keysOf(unit, types)) {
      wishes.set(key, [...(wishes.get(key) ?? []), { unit, values }]);
    }
  }
  return [...wishes].flatMap(([key, all]) =>
    all.length < 2 ? [] : all.flatMap((one) => contradictionOf(key, one, all)),
  );
}

function keysOf({ type, identity, prior }: Unit, types: TypeRegistry): readonly EntityKey[] {
  return aliasesOf(types, { type: type.name, identity, attributes: prior?.attributes ?? {} });
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
  all: readonly Wish[],
): readonly Diagnostic[] {
  const differences = all.flatMap((other) =>
    [...values].flatMap(([name, value]) => {
      const wanted = other.values.get(name);
      if (other.unit === unit || wanted === undefined || equalValues(wanted, value)) return [];
      return [
        `${unit.address} wants ${name} ${textOf(value)}, and ${other.unit.address} wants it ` +
          textOf(wanted),
      ];
    }),
  );
  if (differences.length === 0) return [];
  return [
    problem(
      unit.desired ?? { address: unit.address },
      "PLN046",
      "One machine is wanted differently",
      {
        detail: `Both mean ${key}: ${differences.join("; ")}. Each apply would undo the other.`,
        fix: "Want the same of both, or leave it out of one of them.",
      },
    ),
  ];
}

function textOf(value: Value): string {
  return stringifyJson(value);
}
