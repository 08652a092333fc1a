/**
 * Persistence of the simulated world: one JSON file, replaced as a whole. It outlives the process
 * (also a killed one), not a power failure: nothing is flushed to the disk by force.
 */

import { mkdirSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { checkSavedWorld, SimulatorInputError } from "./kit/document.ts";
import type { World } from "./world.ts";
import { lockWorld } from "./world-lock.ts";

export type WorldStore = {
  /** The persisted world, if there is one. */
  readonly saved: World | undefined;
  /**
   * Writes the world as it is when the writing begins; resolved once a world at least as new as
   * this call's is in place. Calls that come while a write runs share the next one.
   */
  save(): Promise<void>;
  /** Waits for writes and gives the lock back. */
  close(): Promise<void>;
};

/** A world that lives in memory only. */
export const volatileStore: WorldStore = {
  saved: undefined,
  save: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** Locks and reads a persisted world. Throws `SimulatorInputError`. */
export async function openWorldStore(file: string, snapshot: () => World): Promise<WorldStore> {
  mkdirSync(dirname(file), { recursive: true });
  const lock = await lockWorld(file);
  let saved: World | undefined;
  try {
    saved = readSaved(file);
  } catch (error) {
    await lock.release();
    throw error;
  }
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let closed = false;

  const write = async (): Promise<void> => {
    const temporary = `${file}.tmp`;
    await writeFile(temporary, JSON.stringify(snapshot()), { mode: 0o600 });
    await rename(temporary, file);
  };
  const start = (): Promise<void> => {
    const current = write().finally(() => {
      if (running === current) running = undefined;
    });
    running = current;
    return current;
  };
  const save = (): Promise<void> => {
    if (closed) return Promise.reject(new Error("the persisted world has been given back"));
    // A waiting write has not looked at the world yet, so it serves this call as well.
    if (next !== undefined) return next;
    if (running === undefined) return start();
    next = running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
  return {
    saved,
    save,
    async close() {
      closed = true;
      try {
        await (next ?? running);
      } finally {
        await lock.release();
      }
    },
  };
}

function readSaved(file: string): World | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw unreadable(file, cause);
  }
  const problem = checkSavedWorld(value);
  if (problem !== undefined) throw unreadable(file, `it has another format: ${problem}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it fits the schema
  return value as World;
}

function unreadable(file: string, cause: string): SimulatorInputError {
  return new SimulatorInputError([
    `${file}: not a persisted simulated world (${cause}); remove it to begin again`,
  ]);
}
