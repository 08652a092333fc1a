/** One try of the kill loop: a run that is killed or disturbed, the next run, and the verdict. */

import { setTimeout as sleep } from "node:timers/promises";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import type { Output } from "../helpers/program.ts";
import type { Ended } from "./child.ts";
import {
  applyCalmly,
  applyInChild,
  type Bench,
  begin,
  type Counts,
  type KillAt,
  killedLimitMs,
  outputText,
  planCode,
  requestText,
  runDisturbed,
  runKilled,
  untilQuiet,
} from "./kill-bench.ts";
import { judge } from "./kill-judge.ts";
import { type KillScenario, type Spec, specYaml } from "./kill-scenarios.ts";

export type Try = {
  readonly scenario: KillScenario;
  /** The kind of try, for counting. */
  readonly what: string;
  readonly at?: KillAt;
  readonly fault?: FaultDocument;
  /** Edit of B that the next run applies. */
  readonly edit?: string;
};

/** What an undisturbed run of B does. */
export type Undisturbed = {
  readonly counts: Counts;
  readonly mutations: readonly LoggedRequest[];
  /** As `effectsOf` gives them. */
  readonly effects: readonly string[];
};

export type Result = {
  /** The moment came: the process was killed there, or the fault was met. */
  readonly reached: boolean;
  readonly problems: readonly string[];
};

const faults: { readonly [what: string]: Omit<FaultDocument, "on"> } = {
  "reset before the effect": { reset: "before" },
  "reset during the work": { reset: "during" },
  "reset after the effect": { reset: "after" },
  "foreign reply after the effect": { foreign: { status: 502, effect: true } },
};

/** Less than the time limit: the next run must wait for what is still on its way. */
const lingerMs = 700;

/**
 * The create is carried out, or only begun, when the next run has given it up: then its second
 * request is refused, or the first one is.
 */
const outlastingMs = [killedLimitMs - 200, killedLimitMs + 1_000];

/** Every journal append, every request, and edits between the runs. */
export function triesOf(scenario: KillScenario, undisturbed: Undisturbed): readonly Try[] {
  const { counts, mutations } = undisturbed;
  const appends = ["torn", "written", "durable"].flatMap((phase) =>
    Array.from({ length: counts.append }, (_, index): Try => {
      const at: KillAt = { kind: "append", n: index + 1, phase };
      return { scenario, what: `append ${phase}`, at };
    }),
  );
  return [
    ...appends,
    ...mutations.flatMap((entry) => requestTries(scenario, entry)),
    ...mutations.flatMap((entry, index) => editTries(scenario, entry, index)),
  ];
}

/** The file operations around recorded state: lock, snapshot, backup, making of the journal. */
export function fileTriesOf(scenario: KillScenario, { counts }: Undisturbed): readonly Try[] {
  return Array.from({ length: counts.file }, (_, index) => {
    const at: KillAt = { kind: "file", n: index + 1, phase: "before" };
    return { scenario, what: "file operation", at };
  });
}

function requestTries(scenario: KillScenario, entry: LoggedRequest): readonly Try[] {
  const at = (phase: string): KillAt => ({ kind: "request", request: requestText(entry), phase });
  const rule = { on: `${entry.method} ${entry.path}`, body: entry.body };
  // Nothing lasts long enough there to be killed in the middle of.
  const instant = entry.path.includes("/folders");
  const phases = ["before", "sent", ...(instant ? [] : ["during"]), "replied"];
  const disturbed = Object.entries(faults).filter(([, fault]) => !instant || !isDuring(fault));
  return [
    ...phases.map((phase) => ({ scenario, what: `request ${phase}`, at: at(phase) })),
    ...disturbed.map(([what, fault]) => ({ scenario, what, fault: { ...rule, ...fault } })),
    {
      scenario,
      what: "request lingers",
      at: at("sent"),
      fault: { ...rule, delay_ms: lingerMs },
    },
    ...(rule.on === "POST /api/vms" ? outlastingMs : []).map((delay_ms) => ({
      scenario,
      what: "create outlasts its limit",
      at: at("sent"),
      fault: { ...rule, delay_ms },
    })),
  ];
}

function isDuring(fault: Omit<FaultDocument, "on">): boolean {
  return fault.reset === "during";
}

/** The edits take turns, so that each meets several requests. */
function editTries(scenario: KillScenario, entry: LoggedRequest, index: number): readonly Try[] {
  const edits = Object.keys(scenario.edits);
  return ["before", "sent", "replied"].flatMap((phase, offset) => {
    const edit = edits[(index * 3 + offset) % edits.length];
    const at: KillAt = { kind: "request", request: requestText(entry), phase };
    return edit === undefined ? [] : [{ scenario, what: "edited in between", at, edit }];
  });
}

/** `child`: the next run has a process of its own. */
export async function tryOnce(
  bench: Bench,
  one: Try,
  undisturbed: Undisturbed,
  child: boolean,
): Promise<Result> {
  const { scenario, at, fault, edit } = one;
  const before = await begin(bench, scenario);
  const start = (await bench.simulator.log()).length;
  if (fault !== undefined) await bench.simulator.setFaults([fault]);
  const first =
    at === undefined
      ? await runDisturbed(bench, scenario.b)
      : await runKilled(bench, scenario.b, at);
  await bench.simulator.setFaults([]);
  const last = edit === undefined ? scenario.b : scenario.edits[edit];
  if (last === undefined) throw new Error(`no edit ${edit}`);
  const next = await converge(bench, last, child);
  await untilQuiet(bench.simulator);
  const plan = await planCode(bench);
  const log = await bench.simulator.log(start);
  const after = await bench.simulator.vms();
  const expected = edit === undefined ? undisturbed.effects : undefined;
  const problems = [
    ...(next.code === 0 ? [] : [`the next run ended with ${next.code}`]),
    ...(plan.code === 0 ? [] : [`the plan after it ended with ${plan.code}`]),
    ...judge({ scenario, last, before, after, log, expected, ended: at === undefined }),
  ];
  const reached =
    at === undefined
      ? log.some((entry) => entry.fault !== null)
      : "signal" in first && first.signal === "SIGKILL";
  if (problems.length === 0) return { reached, problems };
  const story = reproducer(one, last, log, [first, next, plan]);
  return { reached, problems: [`${problems.join("\n")}\n${story}`] };
}

/**
 * The next run. An unsettled create that an edit no longer wants keeps its key for a while, and the
 * plan says so (PLN014): then it is run again, as the message tells.
 */
async function converge(bench: Bench, spec: Spec, child: boolean): Promise<Output | Ended> {
  const untilMs = Date.now() + 10 * killedLimitMs;
  for (;;) {
    const output = child ? await applyInChild(bench, spec) : await applyCalmly(bench, spec);
    const unsettled = output.code === 1 && outputText(output).includes("(PLN014)");
    if (!unsettled || Date.now() > untilMs) return output;
    await sleep(killedLimitMs / 4);
  }
}

function reproducer(
  one: Try,
  last: Spec,
  log: readonly LoggedRequest[],
  outputs: readonly (Output | Ended)[],
): string {
  const { scenario, what, at, fault, edit } = one;
  const mutations = log.filter((entry) => entry.class === "mutate");
  return [
    `scenario ${scenario.name}, ${what}, ${JSON.stringify({ at, fault, edit })}`,
    `--- B, killed\n${specYaml("http://daemon", scenario.b, {})}`,
    `--- the next run\n${specYaml("http://daemon", last, {})}`,
    `--- mutations\n${mutations.map((entry) => JSON.stringify(entry)).join("\n")}`,
    ...outputs.map((output, index) => `--- run ${index + 1}\n${outputText(output)}`),
  ].join("\n");
}
