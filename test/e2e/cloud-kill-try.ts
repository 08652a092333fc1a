/** One try of the kill loop: runs that are killed, the next run, and the verdict. */

import type { FaultDocument } from "../../src/simulators/faults.ts";
import type { LoggedRequest } from "../../src/simulators/request-log.ts";
import type { Output } from "../helpers/program.ts";
import type { Ended } from "./child.ts";
import {
  applyCalmly,
  begin,
  type CloudBench,
  type CloudCounts,
  type CloudKillAt,
  planCode,
  requestLimitMs,
  runKilled,
  statesOf,
} from "./cloud-kill-bench.ts";
import { effectsOf, judge } from "./cloud-kill-judge.ts";
import { type CloudKillScenario, cloudYaml } from "./cloud-kill-scenarios.ts";
import { outputText, requestText, untilQuiet } from "./kill-bench.ts";

export type CloudTry = {
  readonly scenario: CloudKillScenario;
  /** The kind of try, for counting. */
  readonly what: string;
  readonly at: CloudKillAt;
  readonly fault?: FaultDocument;
  /** Where the run after the killed one is killed. */
  readonly again?: CloudKillAt;
  /** Edit of B that the last run applies. */
  readonly edit?: string;
};

/** What an undisturbed run of B does. */
export type Undisturbed = {
  readonly counts: CloudCounts;
  readonly mutations: readonly LoggedRequest[];
};

export type Result = {
  /** The moment came: the process was killed there. */
  readonly reached: boolean;
  readonly problems: readonly string[];
};

/** Less than the limit: the next run must wait for what is still on its way. */
const lingerMs = requestLimitMs - 800;

/** Every journal append, every reply, every change that is sent, and edits between the runs. */
export function triesOf(
  scenario: CloudKillScenario,
  { counts, mutations }: Undisturbed,
): readonly CloudTry[] {
  const nth = (kind: "append" | "file" | "exchange", count: number, phase: string) =>
    Array.from({ length: count }, (_, index): CloudTry => {
      const at = { kind, n: index + 1, phase };
      return { scenario, what: `${kind} ${phase}`, at };
    });
  return [
    ...["torn", "written", "durable"].flatMap((phase) => nth("append", counts.append, phase)),
    ...nth("exchange", counts.exchange, "replied"),
    ...mutations.flatMap((entry) => requestTries(scenario, entry)),
    ...mutations.flatMap((entry, index) => againTries(scenario, entry, index)),
    ...editTries(scenario, mutations, counts),
  ];
}

/** The file operations around recorded state: lock, snapshot, backup, compaction. */
export function fileTriesOf(
  scenario: CloudKillScenario,
  { counts }: Undisturbed,
): readonly CloudTry[] {
  return Array.from({ length: counts.file }, (_, index) => ({
    scenario,
    what: "file operation",
    at: { kind: "file", n: index + 1, phase: "before" },
  }));
}

function requestTries(scenario: CloudKillScenario, entry: LoggedRequest): readonly CloudTry[] {
  const at = (phase: string): CloudKillAt => {
    return { kind: "request", request: requestText(entry), phase };
  };
  const delay = { on: `${entry.method} ${entry.path}`, body: entry.body, delay_ms: lingerMs };
  return [
    ...["before", "sent", "replied"].map((phase) => {
      return { scenario, what: `request ${phase}`, at: at(phase) };
    }),
    { scenario, what: "request lingers", at: at("sent"), fault: delay },
  ];
}

/** The next run is killed too: while it finds out what became of the request, or after that. */
function againTries(
  scenario: CloudKillScenario,
  entry: LoggedRequest,
  index: number,
): readonly CloudTry[] {
  return ["before", "sent", "replied"].map((phase, offset) => {
    const at: CloudKillAt = { kind: "request", request: requestText(entry), phase };
    const turn = index * 3 + offset;
    const again: CloudKillAt =
      turn % 2 === 0
        ? { kind: "append", n: 1 + (turn % 5), phase: turn % 4 === 0 ? "written" : "durable" }
        : { kind: "exchange", n: 3 + (turn % 7), phase: "replied" };
    return { scenario, what: "killed twice", at, again };
  });
}

/** The edits take turns, so that each meets several requests; without requests, several appends. */
function editTries(
  scenario: CloudKillScenario,
  mutations: readonly LoggedRequest[],
  counts: CloudCounts,
): readonly CloudTry[] {
  const places: CloudKillAt[] = mutations.flatMap((entry) =>
    ["before", "sent", "replied"].map((phase) => {
      return { kind: "request", request: requestText(entry), phase };
    }),
  );
  if (places.length === 0) {
    for (let n = 1; n <= counts.append; n += 1)
      places.push({ kind: "append", n, phase: "durable" });
  }
  const edits = Object.keys(scenario.edits);
  return places.flatMap((at, index) => {
    const edit = edits[index % edits.length];
    return edit === undefined ? [] : [{ scenario, what: "edited in between", at, edit }];
  });
}

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
