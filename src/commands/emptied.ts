/**
 * The stop before a configuration that lost its content: it must not become "delete everything".
 */

import type { Configuration } from "../config/load.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { TypeRegistry } from "../model/provider.ts";
import type { RecordedObject, RecordedState } from "../model/recorded.ts";
import { matches } from "../plan/before/selection.ts";

/**
 * The error for a configuration that declares no resource while objects are recorded, whatever was
 * allowed: an emptied file, a lost checkout or a wrong folder looks just like it. Objects that
 * `removed` entries name were given up on purpose; so was a resource whose `count` is 0.
 */
export function emptied(
  desired: Pick<Configuration, "removed"> & Partial<Pick<Configuration, "resourceCount">>,
  state: RecordedState,
  types: TypeRegistry,
): readonly Diagnostic[] {
  if (desired.resourceCount !== 0) return [];
  const named = desired.removed.map(({ from }) => from);
  const lost = state.objects.filter(({ address }) => !matches(address, named));
  if (lost.length === 0) return [];
  return [
    {
      severity: "error",
      code: "RUN004",
      summary: "Configuration declares no resource, and objects are recorded",
      detail:
        `Applying this configuration would ${lossOf(lost, types)}. More likely its files were ` +
        "emptied or lost.",
      fix:
        "Restore the configuration. If everything shall go: vmform destroy. To forget objects " +
        "and keep them: vmform state rm, or removed entries.",
    },
  ];
}

/** What vmform made is deleted; what it found is let go of, turned off where that was wanted. */
function lossOf(lost: readonly RecordedObject[], types: TypeRegistry): string {
  const fates = { delete: 0, "turn off": 0, forget: 0 };
  for (const object of lost) fates[fateOf(object, types)] += 1;
  const parts = Object.entries(fates).filter(([, count]) => count > 0);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return `${only[0]} everything: ${counted(only[1])}`;
  return parts.map(([fate, count]) => `${fate} ${counted(count)}`).join(", ");
}

function fateOf(
  { type: name, applied }: RecordedObject,
  types: TypeRegistry,
): "delete" | "turn off" | "forget" {
  const type = types[name];
  if (type?.ownership === "attached") {
    return type.parting?.(applied ?? {}) === "power-off" ? "turn off" : "forget";
  }
  return type?.recordOnly === true ? "forget" : "delete";
}

function counted(count: number): string {
  return count === 1 ? "1 recorded object" : `${count} recorded objects`;
}
