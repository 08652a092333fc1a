/** Hears a rehearsed run: when each operation began and ended, and how full datastores became. */

import type { Applied } from "../../engine/apply.ts";
import type { EngineEvent } from "../../model/operation/event.ts";
import type { OperationId } from "../../model/operation/operation.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Twin, TwinSpace } from "./twin.ts";

export type Times = { readonly startMs: number; readonly endMs?: number };

/** Space of one datastore along the run, megabytes. */
export type SpaceHeard = {
  readonly first: TwinSpace;
  readonly peakMb: number;
  /** When, by the clock of the twin. */
  readonly peakAtMs: number;
  readonly lastMb: number;
};

export type Heard = {
  readonly applied: Applied;
  readonly times: ReadonlyMap<OperationId, Times>;
  readonly spaces: readonly SpaceHeard[];
  readonly diagnostics: readonly Diagnostic[];
  readonly beganMs: number;
  readonly endedMs: number;
};

export function hearRun(twin: Pick<Twin, "clock" | "space" | "ended">): {
  readonly hear: (event: EngineEvent) => void;
  readonly heard: (applied: Applied) => Heard;
} {
  const { clock } = twin;
  const beganMs = clock.now();
  const times = new Map<OperationId, Times>();
  const diagnostics: Diagnostic[] = [];
  const spaces = new Map<string, SpaceHeard>();
  const seen = new Set<OperationId>();
  const measure = (): void => {
    for (const space of twin.space()) {
      const key = `${space.provider} ${space.id}`;
      const { usedMb } = space;
      const before = spaces.get(key) ?? {
        ...{ first: space, peakMb: usedMb, peakAtMs: beganMs, lastMb: usedMb },
      };
      const isPeak = usedMb > before.peakMb;
      const peak = isPeak ? { peakMb: usedMb, peakAtMs: clock.now() } : {};
      spaces.set(key, { ...before, ...peak, lastMb: usedMb });
    }
  };
  measure();
  const hear = (event: EngineEvent): void => {
    switch (event.kind) {
      case "operation-started":
        times.set(event.id, { startMs: clock.now() });
        break;
      case "operation-progress":
        // A task has begun: what it takes is taken from then on.
        if (!seen.has(event.id)) measure();
        seen.add(event.id);
        break;
      case "operation-ended":
        twin.ended();
        times.set(event.id, {
          startMs: times.get(event.id)?.startMs ?? clock.now(),
          endMs: clock.now(),
        });
        measure();
        break;
      case "diagnostic":
        diagnostics.push(event.diagnostic);
        break;
      default:
        break;
    }
  };
  return {
    hear,
    heard: (applied) => {
      measure();
      const ends = [...times.values()].map(({ endMs = beganMs }) => endMs);
      const endedMs = Math.max(beganMs, ...ends);
      return { applied, times, spaces: [...spaces.values()], diagnostics, beganMs, endedMs };
    },
  };
}
