/** The port of a simulated twin of the observed world, in which plans are rehearsed. */

import type { EventSink } from "../../model/operation/event.ts";
import type { Durations } from "../../model/plan/durations.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Survey } from "../../model/provider/survey.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Value } from "../../model/value/value.ts";
import type { ProviderAccess, TestWorld } from "../environment.ts";

/** What a simulated twin of the observed world is made of. */
export type TwinSource = {
  /** Its time at the start. */
  readonly startMs: number;
  /** Recorded state that it begins with. */
  readonly state: RecordedState;
  /** By name, which may carry an alias; those of providers that have no endpoint are left out. */
  readonly providers: readonly {
    readonly name: string;
    readonly settings: Value;
    readonly survey: Survey;
  }[];
  /** What is to be run in it. */
  readonly operations: Plan["operations"];
  /** How long such work took in earlier runs. */
  readonly durations: Durations;
};

/** Space of a datastore of a twin, megabytes. */
export type TwinSpace = {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  /** Absent where the survey does not tell it. */
  readonly capacityMb?: number;
  readonly usedMb: number;
};

/**
 * A simulated world made of what was surveyed, with a clock of its own, and a copy of recorded
 * state that is written nowhere. What is opened with it speaks to it alone, with passwords that are
 * made up for it.
 */
export type Twin = Pick<TestWorld, "clock" | "store" | "close"> & {
  readonly openProviders: (directory: string, events: EventSink) => ProviderAccess;
  /** At this moment, with what moves there. */
  readonly space: () => readonly TwinSpace[];
  /** An operation has ended: what it did shows to all that reach the same machine. */
  readonly ended: () => void;
  /** How long work of a kind takes in it (`durationKind`); undefined: nothing says how long. */
  readonly pace: (kind: string) => number | undefined;
  /** What was taken for granted where nothing was told, one sentence each. */
  readonly assumed: readonly string[];
  /** What is one machine in the world, or may be, and several in it; one sentence each. */
  readonly apart: readonly string[];
};
