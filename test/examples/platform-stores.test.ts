/**
 * The example over all four interfaces with its recorded state on each kind of server: killed at
 * writes to it that are chosen at random, it converges, and nothing is sent twice.
 */

import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { hasPostgres, startPostgres } from "../stores/postgres-server.ts";
import { bucket, keys } from "../stores/s3-place.ts";
import {
  motoServer,
  type RunningS3,
  startMoto,
  startVersity,
  versitygw,
} from "../stores/s3-server.ts";
import { startStateServer } from "../stores/state-server.ts";
import {
  applyWords,
  killHook,
  openPlatform,
  type PlatformPlace,
  sentTwice,
} from "./platform-place.ts";
import { type Ended, runNode } from "./program.ts";

const { main } = buildProgram();
const appendHook = fileURLToPath(new URL("../e2e/postgres-hook.mjs", import.meta.url));

type Variables = { readonly [name: string]: string };
type Moment = { readonly n: number; readonly phase: string };

/** Where recorded state is kept, and how a run is killed at what it writes there. */
type Killing = {
  /** What the block `vmform` has. */
  readonly settings: string;
  readonly environment: Variables;
  readonly phases: readonly string[];
  readonly killAt: (moment: Moment) => Variables;
  /** Whether the lock is free when its holder is gone. */
  readonly unlocks: boolean;
  readonly stop: () => Promise<void>;
};

const phases = ["before", "sent", "replied"];

function killedAtWrites(origin: string): Pick<Killing, "phases" | "killAt" | "unlocks"> {
  return {
    phases,
    killAt: (moment) => ({
      NODE_OPTIONS: `--import ${killHook}`,
      KILL_AT: JSON.stringify({ kind: "write", ...moment }),
      KILL_ORIGIN: origin,
    }),
    unlocks: false,
  };
}

async function http(): Promise<Killing> {
  const server = await startStateServer("gitlab", {
    login: { username: "ops", password: "token" },
  });
  return {
    settings: "state: { http: { username: ops, password: { env: STATE_TOKEN } } }",
    environment: { TF_HTTP_ADDRESS: server.address, STATE_TOKEN: "token" },
    ...killedAtWrites(new URL(server.address).origin),
    stop: server.stop,
  };
}

/** Encrypted, as what lies in a bucket of others should be. */
async function s3(start: () => Promise<RunningS3>): Promise<Killing> {
  const { endpoint, stop } = await start();
  const place = `bucket: ${bucket}, key: lab/platform.json, endpoint: "${endpoint}"`;
  return {
    settings:
      `state: { s3: { ${place}, use_path_style: true } }\n` +
      "  encryption: { key: { env: STATE_KEY } }",
    environment: {
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_REGION: "us-east-1",
      STATE_KEY: "7".repeat(64),
    },
    ...killedAtWrites(endpoint),
    stop,
  };
}

async function postgres(): Promise<Killing> {
  const server = await startPostgres();
  return {
    settings: `state: { postgres: { url: "${server.url("postgres")}", name: platform } }`,
    environment: {},
    phases: phases.slice(0, 2),
    killAt: (moment) => ({
      NODE_OPTIONS: `--import ${appendHook}`,
      APPEND_AT: JSON.stringify(moment),
    }),
    unlocks: true,
    stop: server.remove,
  };
}

type Starting = (() => Promise<Killing>) | undefined;

function inBucket(
  program: string | undefined,
  start: (program: string) => Promise<RunningS3>,
): Starting {
  return program === undefined ? undefined : () => s3(() => start(program));
}

/** A person who waits has the first one. */
const stores: readonly (readonly [string, Starting])[] = [
  ["http", http],
  ["postgres", hasPostgres() ? postgres : undefined],
  ["s3 (versitygw)", inBucket(versitygw, (path) => startVersity(path, true))],
  ["s3 (moto)", inBucket(motoServer, startMoto)],
];

/**
 * The same ones each time, other ones for each store; VMFORM_FC_SEED chooses others, and
 * VMFORM_KILL_ALL more.
 */
function momentsFor({ phases: known }: Killing, store: number): readonly Moment[] {
  const seed = (fc.readConfigureGlobal()?.seed ?? Date.now()) + store;
  const count = process.env.VMFORM_KILL_ALL === undefined ? 2 : 12;
  const moment = fc.record({
    n: fc.integer({ min: 2, max: 16 }),
    phase: fc.constantFrom(...known),
  });
  const moments = fc.sample(moment, { seed, numRuns: count });
  console.info(`killed at ${JSON.stringify(moments)}, by the seed ${seed}`);
  return moments;
}

describe.each(stores.map(([name, start], index) => ({ name, start, index })))("in $name", (one) => {
  const { start, index } = one;
  test.skipIf(start === undefined || !isLongRun)(
    "killed again and again it converges",
    async () => {
      if (start === undefined) return;
      const [killing, place] = [await start(), await openPlatform()];
      try {
        expect(await killsOf(killing, momentsFor(killing, index), place)).toBeGreaterThan(0);
      } finally {
        await place.remove();
        await killing.stop();
      }
    },
    900_000,
  );
});

/** How many moments came; afterwards all of it converges. */
async function killsOf(
  killing: Killing,
  moments: readonly Moment[],
  place: PlatformPlace,
): Promise<number> {
  const { settings, environment } = killing;
  place.edit("main.vmform.yaml", [
    ["state: { local: { path: ../../state/platform.json } }", settings],
  ]);
  const run = (words: readonly string[], more: Variables = {}): Promise<Ended> =>
    runNode(main, words, place.folder, { ...environment, ...more });
  const restore = place.limitEverything();
  let killed = 0;
  for (const moment of moments) {
    const ended = await run(applyWords, killing.killAt(moment));
    if (ended.code === 0) break;
    expect(ended).toMatchObject({ code: "killed", stderr: "" });
    killed += 1;
    if (!killing.unlocks) await unlock(run);
  }
  restore();
  expect(await run(applyWords)).toMatchObject({ code: 0, stderr: "" });
  expect(await run(["plan", "--detailed-exitcode"])).toMatchObject({ code: 0, stderr: "" });
  expect(sentTwice(place.mutations())).toEqual([]);
  return killed;
}

/** As a person does: by the command that the next run tells of, which is refused. */
async function unlock(run: (words: readonly string[]) => Promise<Ended>): Promise<void> {
  // Nobody agrees to anything, so that nothing is done where the lock had not been taken yet.
  const refused = await run(["apply"]);
  if (!refused.stderr.includes("STO009")) return;
  const [, id = ""] = /vmform force-unlock (\S+)/.exec(refused.stderr) ?? [];
  expect(id).toMatch(/^vmform:apply:/);
  expect(await run(["force-unlock", id])).toMatchObject({ code: 0 });
}
