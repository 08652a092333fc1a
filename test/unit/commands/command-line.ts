/**
 * The command line in the process of the test, with everything that `main` wires but the terminal,
 * on a folder and a simulated daemon of the test's own. Both are gone when the test ends.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { type RunningSimulators, startSimulators } from "../../../src/simulators/start.ts";
import type { WorldSource } from "../../../src/simulators/world.ts";
import { type Output, runInside } from "../../helpers/program.ts";

export type Workplace = {
  readonly folder: string;
  readonly daemon: RunningSimulators;
  /** Writes files of the configuration; `DAEMON` in them becomes its origin. */
  write(files: { readonly [name: string]: string }): void;
  run(...words: readonly string[]): Promise<Output>;
  /** The document a command prints with `--json`. */
  json(...words: readonly string[]): Promise<{ readonly [member: string]: unknown }>;
};

const ended: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

export async function workplace(world: WorldSource = {}): Promise<Workplace> {
  const folder = mkdtempSync(join(tmpdir(), "vmform-commands-"));
  const started = await startSimulators({ world });
  // A test may stop it before it ends.
  let stopped: Promise<void> | undefined;
  const daemon = { ...started, stop: () => (stopped ??= started.stop()) };
  ended.push(async () => {
    await daemon.stop();
    rmSync(folder, { recursive: true });
  });
  const run = (...words: readonly string[]): Promise<Output> => runInside(folder, words);
  return {
    folder,
    daemon,
    write: (files) => {
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(folder, name), text.replaceAll("DAEMON", daemon.origins.daemon));
      }
    },
    run,
    json: async (...words) => {
      const { stdout } = await run(...words, "--json");
      return JSON.parse(stdout) as { readonly [member: string]: unknown };
    },
  };
}
