/**
 * The file beside recorded state of how long operations took. It may be missing, damaged or not
 * writable: then nobody knows, and no run fails or says a word because of it.
 */

import { parseJson, stringifyJson } from "../../lib/json.ts";
import type { EngineEvent, EventSink } from "../../model/operation/event.ts";
import {
  type Durations,
  durationKind,
  durationsOf,
  durationsValue,
  learned,
  type Sample,
} from "../../model/plan/durations.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import type { CommandFiles } from "../environment.ts";

/** What keeps durations. Absent in a test of a configuration, of which nothing is on disk. */
export type DurationFiles = Pick<CommandFiles, "readFile" | "writeFile">;

type Environment = { readonly durationFiles?: DurationFiles };

/** Bytes; a larger file is none of ours. */
const bytesMax = 1_000_000;

export async function earlierDurations(
  { durationFiles }: Environment,
  state: StoreSettings,
): Promise<Durations> {
  if (durationFiles === undefined) return new Map();
  try {
    const bytes = await durationFiles.readFile(pathOf(state));
    if (bytes.length > bytesMax) return new Map();
    return durationsOf(parseJson(new TextDecoder().decode(bytes)));
  } catch {
    return new Map();
  }
}

export type DurationHearing = {
  readonly events: EventSink;
  readonly samples: () => readonly Sample[];
};

/** Hears how long each operation of the plan takes, and passes all on. */
export function hearDurations(plan: Plan, events: EventSink): DurationHearing {
  const kinds = new Map(plan.operations.map((one) => [one.id, durationKind(one)]));
  const samples: Sample[] = [];
  const hear = (event: EngineEvent): void => {
    if (event.kind !== "operation-ended" || event.outcome !== "success") return;
    const kind = kinds.get(event.id);
    if (kind !== undefined) samples.push({ kind, ms: event.elapsedMs });
  };
  return {
    events: (event) => {
      hear(event);
      events(event);
    },
    samples: () => samples,
  };
}

/** Under the lock of recorded state, or two runs would lose what one of them has learned. */
export async function keepDurations(
  environment: Environment,
  state: StoreSettings,
  samples: readonly Sample[],
): Promise<void> {
  const all = learned(await earlierDurations(environment, state), samples);
  if (all === undefined) return;
  const text = `${stringifyJson(durationsValue(all))}\n`;
  await environment.durationFiles?.writeFile(pathOf(state), text).catch(() => undefined);
}

function pathOf({ beside }: StoreSettings): string {
  return `${beside}.durations`;
}
