/** Names of resources made from the ids of objects that exist. */

import { nameProblem } from "../../config/read/names.ts";

/**
 * One valid name for each id, in order: what a name cannot hold becomes `_`, and a name that is
 * taken gets a number. Adds the names to `taken`.
 */
export function generateNames(ids: readonly string[], taken: Set<string>): readonly string[] {
  return ids.map((id) => {
    const base = baseName(id);
    let name = base;
    for (let number = 2; taken.has(name); number += 1) name = `${base}_${number}`;
    taken.add(name);
    return name;
  });
}

function baseName(id: string): string {
  const plain = id.replaceAll(/[^A-Za-z0-9_]+/g, "_").replaceAll(/^_+|_+$/g, "");
  const begun = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
  return nameProblem(begun) === undefined ? begun : `${begun}_`;
}
