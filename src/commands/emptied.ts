/**
 * The stop before a configuration that lost its content: it must not become "delete everything".
 */

import type { Configuration } from "../config/load.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { RecordedState } from "../model/recorded.ts";
import { matches } from "../plan/selection.ts";

/**
 * The error for a configuration that declares no resource while objects are recorded, whatever was
 * allowed: an emptied file, a lost checkout or a wrong folder looks just like it. Objects that
 * `removed` entries name were given up on purpose; so was a resource whose `count` is 0.
 */
export function emptied(
  desired: Pick<Configuration, "removed"> & Partial<Pick<Configuration, "resourceCount">>,
  state: RecordedState,
): readonly Diagnostic[] {
  if (desired.resourceCount !== 0) return [];
  const named = desired.removed.map(({ from }) => from);
  const lost = state.objects.filter(({ address }) => !matches(address, named));
  if (lost.length === 0) return [];
  const objects = lost.length === 1 ? "1 recorded object" : `${lost.length} recorded objects`;
  return [
    {
      severity: "error",
      code: "RUN004",
      summary: "Configuration declares no resource, and objects are recorded",
      detail:
        `Applying this configuration would delete everything: ${objects}. More likely its files ` +
        "were emptied or lost.",
      fix:
        "Restore the configuration. If everything shall go: vmform destroy. To forget objects " +
        "and keep them: vmform state rm, or removed entries.",
    },
  ];
}
