/**
 * A command to its end: in the process of the test, and in a long run in one of its own, as users
 * have it. Starting one takes longer than most commands.
 */

import { isLongRun } from "../helpers/amount.ts";
import { runInside } from "../helpers/program.ts";
import { type ChildOptions, type Ended, startChild } from "./child.ts";

export async function runToEnd(
  main: string,
  words: readonly string[],
  options: ChildOptions,
): Promise<Ended> {
  if (isLongRun) return startChild(main, words, options).ended;
  const { cwd, environment = {} } = options;
  const output = await runInside(cwd, words, { environment });
  return { ...output, signal: null };
}
