/** The parts of running simulators that every request shares. */

import type { SimulatorClock } from "./clock.ts";
import type { DaemonState } from "./daemon/daemon-state.ts";
import { settle, worldOf } from "./daemon/daemon-state.ts";
import type { DaemonChangeDocument } from "./daemon/outside-change.ts";
import { readChange } from "./daemon/outside-change.ts";
import type { DocumentSource } from "./decode.ts";
import { decodeDocument, SimulatorInputError } from "./decode.ts";
import type { FaultPlan } from "./faults.ts";
import type { RequestLog } from "./request-log.ts";
import type { World } from "./world.ts";
import type { WorldStore } from "./world-store.ts";

/** A change behind the clients' backs; one map with one named change. */
export type OutsideChange = DaemonChangeDocument;

export type SimulatorCore = {
  readonly seed: number;
  readonly clock: SimulatorClock;
  readonly daemon: DaemonState;
  readonly log: RequestLog;
  readonly store: WorldStore;
  /** Aborted when the simulators stop. */
  readonly signal: AbortSignal;
  faults: FaultPlan;
};

/** The world as it is now, plain data. */
export function snapshotOf(core: Pick<SimulatorCore, "seed" | "clock" | "daemon">): World {
  const simulatedMs = core.clock.now();
  settle(core.daemon, simulatedMs);
  return {
    formatVersion: 1,
    seed: core.seed,
    clock: { simulatedMs, realMs: Date.now() },
    daemon: worldOf(core.daemon),
  };
}

/** Makes an outside change and saves the world. Throws `SimulatorInputError`. */
export async function applyChange(core: SimulatorCore, document: DocumentSource): Promise<void> {
  const change = decodeDocument(document, (root) => readChange(root, core.seed));
  try {
    change(core.daemon, core.clock.now());
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SimulatorInputError([`${document.place([])}: ${error.message}`], { cause: error });
  }
  await core.store.save();
}
