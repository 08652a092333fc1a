/** One try of the kill loop: runs that are killed, the next run, and the verdict. */

import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import type { Output } from "../helpers/program.ts";
import type { Ended } from "./child.ts";
import {
  applyCalmly,
  begin,
  type CloudBench,
  planCode,
  requestLimitMs,
  runKilled,
  statesOf,
} from "./cloud-kill-bench.ts";
import { judge } from "./cloud-kill-judge.ts";
import { type CloudKillScenario, cloudYaml } from "./cloud-kill-scenarios.ts";
import { outputText, requestText, untilQuiet } from "./kill-bench.ts";
import type { Result } from "./kill-loop.ts";
import type { KillTry, Undisturbed } from "./kill-points.ts";
import { effectsOf } from "./kill-verdict.ts";

export type CloudTry = KillTry<CloudKillScenario>;

/** Less than the limit: the next run must wait for what is still on its way. */
export const lingerMs = requestLimitMs - 800;

/** `child`: the last run has a process of its own. */
export async function tryOnce(
  bench: CloudBench,
  one: CloudTry,
  undisturbed: Undisturbed,
  child: boolean,
): Promise<Result> {
  const { scenario, at, fault, again, edit } = one;
  const { simulator } = bench;
  await begin(bench, scenario);
  const start = (await simulator.log()).length;
  if (fault !== undefined) await simulator.setFaults([fault]);
  const first = await runKilled(bench, scenario.b, at);
  await simulator.setFaults([]);
  const second = again === undefined ? [] : [await runKilled(bench, scenario.b, again)];
  const last = edit === undefined ? scenario : scenario.edits[edit];
  if (last === undefined) throw new Error(`no edit ${edit}`);
  const resources = "b" in last ? last.b : last.resources;
  const before = await openSessions(bench);
  const next = await applyCalmly(bench, resources, child);
  await untilQuiet(simulator);
  const plan = await planCode(bench);
  const log = await simulator.log(start);
  const after = statesOf((await simulator.world()).cloud, Object.keys(scenario.start));
  const problems = [
    ...(next.code === 0 ? [] : [`the next run ended with ${next.code}`]),
    ...(plan.code === 0 ? [] : [`the plan after it ended with ${plan.code}`]),
    ...judge({
      log,
      expected: edit === undefined ? effectsOf(undisturbed.mutations) : undefined,
      cycles: "cycles" in last,
      wanted: last.end,
      after,
      sessions: { before, after: await openSessions(bench) },
    }),
  ];
  const reached = first.signal === "SIGKILL";
  if (problems.length === 0) return { reached, problems };
  const outputs = [first, ...second, next, plan];
  const yaml = cloudYaml("http://cloud", "secret", resources, {});
  const story = [
    `scenario ${scenario.name}, ${one.what}, ${JSON.stringify({ at, fault, again, edit })}`,
    `--- the last run\n${yaml}`,
    `--- requests\n${log.map((entry) => requestLine(entry)).join("\n")}`,
    ...outputs.map((output, index) => `--- run ${index + 1}\n${told(output)}`),
  ].join("\n");
  return { reached, problems: [`${problems.join("\n")}\n${story}`] };
}

function told(output: Output | Ended): string {
  return outputText(output);
}

function requestLine(entry: LoggedRequest): string {
  const { n, at, status, effect, fault, violation } = entry;
  return JSON.stringify({ n, at, request: requestText(entry), status, effect, fault, violation });
}

/** Counted over the whole life of the simulator: those of killed runs stay. */
async function openSessions({ simulator }: CloudBench): Promise<number> {
  const { opened, loggedOut } = await simulator.sessions();
  return opened - loggedOut;
}
