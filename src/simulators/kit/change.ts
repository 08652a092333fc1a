/** Changes behind the clients' backs, of whichever simulator: one map with one named change. */

import type { WorldChange } from "./generated/documents.ts";

type Wanted = Required<WorldChange>;

/**
 * What each change that a simulator knows does to its state, by the name of the change. Each throws
 * `RangeError` when what it names is absent (or present).
 */
export type ChangesOf<State> = {
  readonly [Name in keyof Wanted]?: (state: State, wanted: Wanted[Name], nowMs: number) => void;
};

/** Makes the change if the simulator knows it; false when it is one of another simulator. */
export function makeChange<State>(
  known: ChangesOf<State>,
  { state, nowMs }: { readonly state: State; readonly nowMs: number },
  change: WorldChange,
): boolean {
  const steps = new Map<string, unknown>(Object.entries(known));
  for (const [name, wanted] of Object.entries(change)) {
    const step = steps.get(name);
    if (typeof step !== "function") continue;
    // The table's type pairs each step with what its own change says.
    Reflect.apply(step, known, [state, wanted, nowMs]);
    return true;
  }
  return false;
}
