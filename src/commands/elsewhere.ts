/**
 * Whether recorded state is at another place that this machine knows of, where nothing is recorded
 * yet: whoever changed `vmform.state` and brought nothing along would make everything twice.
 */

import { shellWord } from "../lib/shell-word.ts";
import type { StoreSettings } from "../model/recorded/store-settings.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { nowhere } from "../model/said/problem.ts";
import { problem, warning } from "./codes.ts";
import type { RecordedPlace, WorkspaceEnvironment } from "./environment.ts";

/** Undefined where nothing of this world is known. `isLocked`: the command may change something. */
export async function recordedElsewhere(
  environment: Pick<WorkspaceEnvironment, "recordedPlaces">,
  where: {
    readonly directory: string;
    readonly state: StoreSettings;
    readonly location: string;
    readonly simulated: boolean;
  },
  isLocked: boolean,
): Promise<Diagnostic | undefined> {
  const { directory, state, location, simulated } = where;
  const places = (await environment.recordedPlaces?.(directory, state)) ?? [];
  // A copy that was moved away from has a mark that tells where; one of another world is no loss.
  const place = places.find(
    ({ recorded: { objects, handover, simulated: isOfSimulator } }) =>
      objects.length > 0 && handover === undefined && isOfSimulator === simulated,
  );
  if (place === undefined) return undefined;
  const { length } = place.recorded.objects;
  const count = length === 1 ? "one object is" : `${length} objects are`;
  const told = {
    detail:
      `Nothing is recorded at ${location} yet, and ${count} ` +
      `recorded at ${place.location}. What is recorded there would be made a second time.`,
    fix: `To bring it along: ${migrateCommand(place)}. ${wayAround(place)}`,
  };
  return isLocked ? problem(nowhere, "CLI054", told) : warning(nowhere, "CLI054", told);
}

function migrateCommand({ path }: RecordedPlace): string {
  return `vmform state migrate --from ${path === undefined ? "PLACE" : shellWord(path)}`;
}

function wayAround({ location, mirror }: RecordedPlace): string {
  return mirror === undefined
    ? `Where it is of something else, move ${location} and what is beside it away.`
    : `Where it is of something else: vmform state mirror --discard ${shellWord(mirror)}`;
}
