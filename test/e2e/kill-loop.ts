/** Trying many moments on several benches at once, and what came of it. */

import type { KillTry } from "./kill-points.ts";

/** Only tries whose kind or scenario contains this text, for looking at one of them by hand. */
const only = process.env.VMFORM_KILL_ONLY ?? "";
/** All points, not one in so many of each kind. */
const every = process.env.VMFORM_KILL_ALL !== undefined;

export type Result = {
  /** The moment came: the process was killed there. */
  readonly reached: boolean;
  readonly problems: readonly string[];
};

type Tried = KillTry<{ readonly name: string }>;
type Tally = { count: number; reached: number };

/** One in `sampled` of each kind, or all. */
export function choose<Try extends Tried>(tries: readonly Try[], sampled: number): readonly Try[] {
  if (only !== "") {
    return tries.filter(({ what, scenario }) => `${scenario.name} ${what}`.includes(only));
  }
  const seen = new Map<string, number>();
  return tries.filter(({ what }) => {
    const count = seen.get(what) ?? 0;
    seen.set(what, count + 1);
    return every || count % sampled === 0;
  });
}

export type Outcome = {
  readonly problems: readonly string[];
  /** Kinds of moments that mostly did not come; a few never do when polls take another rhythm. */
  readonly rare: readonly string[];
};

/** Makes the tries, says at once what went wrong, and at last how many there were. */
export async function makeTries<Bench, Try extends Tried>(
  name: string,
  benches: readonly Bench[],
  tries: readonly Try[],
  make: (bench: Bench, one: Try, index: number) => Promise<Result>,
): Promise<Outcome> {
  const problems: string[] = [];
  const tallies = new Map<string, Tally>();
  const startedMs = Date.now();
  await spread(benches, tries, async (bench, one, index) => {
    const result = await make(bench, one, index);
    const tally = tallies.get(one.what) ?? { count: 0, reached: 0 };
    tally.count += 1;
    if (result.reached) tally.reached += 1;
    tallies.set(one.what, tally);
    problems.push(...result.problems);
    // At once, so that they are seen even if something hangs later.
    for (const problem of result.problems) console.log(`${problem}\n==========`);
  });
  const seconds = Math.round((Date.now() - startedMs) / 1000);
  const lines = [...tallies].map(([what, { count, reached }]) => `${what}: ${reached}/${count}`);
  console.log(`${name}: ${tries.length} points in ${seconds} s\n  ${lines.join("\n  ")}`);
  const isRare = ({ count, reached }: Tally): boolean => count - reached > Math.max(1, 0.4 * count);
  return {
    problems: problems.map((problem) => problem.split("\n---")[0] ?? ""),
    rare: [...tallies].filter(([, tally]) => isRare(tally)).map(([what]) => what),
  };
}

/** Each bench takes the next piece of work when it has ended the one before. */
export async function spread<Bench, T>(
  benches: readonly Bench[],
  items: readonly T[],
  work: (bench: Bench, item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = [...items.entries()];
  await Promise.all(
    benches.map(async (bench) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        await work(bench, next[1], next[0]);
      }
    }),
  );
}
