/**
 * Moments at which a run against servers with remote tasks is killed, found in an undisturbed run
 * of the same: every journal append, every reply, every change that is sent, and edits between the
 * runs.
 */

import type { FaultDocument } from "../../src/simulators/faults.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { requestText } from "./kill-bench.ts";

/** What `kill-hook.mjs` takes. */
export type KillPoint =
  | { readonly kind: "append" | "file" | "exchange"; readonly n: number; readonly phase: string }
  | { readonly kind: "request"; readonly request: string; readonly phase: string };

/** What there is in a scenario beside the runs: edits of the last one, each with what it is. */
export type Edited = { readonly edits: { readonly [what: string]: unknown } };

export type KillTry<Scenario> = {
  readonly scenario: Scenario;
  /** The kind of try, for counting. */
  readonly what: string;
  readonly at: KillPoint;
  readonly fault?: FaultDocument;
  /** Where the run after the killed one is killed. */
  readonly again?: KillPoint;
  /** Edit of B that the last run applies. */
  readonly edit?: string;
};

export type KillCounts = {
  readonly append: number;
  readonly file: number;
  readonly exchange: number;
};

/** What an undisturbed run of B does. */
export type Undisturbed = {
  readonly counts: KillCounts;
  readonly mutations: readonly LoggedRequest[];
};

/** `lingerMs`: how long a request stays in the socket that its killed sender has left. */
export function triesOf<Scenario extends Edited>(
  scenario: Scenario,
  { counts, mutations }: Undisturbed,
  lingerMs: number,
): readonly KillTry<Scenario>[] {
  const nth = (kind: "append" | "file" | "exchange", count: number, phase: string) =>
    Array.from({ length: count }, (_, index): KillTry<Scenario> => {
      const at = { kind, n: index + 1, phase };
      return { scenario, what: `${kind} ${phase}`, at };
    });
  return [
    ...["torn", "written", "durable"].flatMap((phase) => nth("append", counts.append, phase)),
    ...nth("exchange", counts.exchange, "replied"),
    ...mutations.flatMap((entry) => requestTries(scenario, entry, lingerMs)),
    ...mutations.flatMap((entry, index) => againTries(scenario, entry, index)),
    ...editTries(scenario, mutations, counts),
  ];
}

/** The file operations around recorded state: lock, snapshot, backup, compaction. */
export function fileTriesOf<Scenario>(
  scenario: Scenario,
  { counts }: Undisturbed,
): readonly KillTry<Scenario>[] {
  return Array.from({ length: counts.file }, (_, index) => ({
    scenario,
    what: "file operation",
    at: { kind: "file", n: index + 1, phase: "before" },
  }));
}

function requestTries<Scenario>(
  scenario: Scenario,
  entry: LoggedRequest,
  lingerMs: number,
): readonly KillTry<Scenario>[] {
  const at = (phase: string): KillPoint => {
    return { kind: "request", request: requestText(entry), phase };
  };
  const delay = { ...patternOf(entry), delay_ms: lingerMs };
  return [
    ...["before", "sent", "replied"].map((phase) => {
      return { scenario, what: `request ${phase}`, at: at(phase) };
    }),
    { scenario, what: "request lingers", at: at("sent"), fault: delay },
  ];
}

/** The request as fault scripts name it. */
function patternOf(entry: LoggedRequest): Pick<FaultDocument, "on" | "query" | "body"> {
  const text = requestText(entry);
  const [path = "", query] = entry.path.split("?");
  const body = text.slice(`${entry.method} ${entry.path} `.length);
  return { on: `${entry.method} ${path}`, ...(query === undefined ? {} : { query }), body };
}

/** The next run is killed too: while it finds out what became of the request, or after that. */
function againTries<Scenario>(
  scenario: Scenario,
  entry: LoggedRequest,
  index: number,
): readonly KillTry<Scenario>[] {
  return ["before", "sent", "replied"].map((phase, offset) => {
    const at: KillPoint = { kind: "request", request: requestText(entry), phase };
    const turn = index * 3 + offset;
    const again: KillPoint =
      turn % 2 === 0
        ? { kind: "append", n: 1 + (turn % 5), phase: turn % 4 === 0 ? "written" : "durable" }
        : { kind: "exchange", n: 3 + (turn % 7), phase: "replied" };
    return { scenario, what: "killed twice", at, again };
  });
}

/** The edits take turns, so that each meets several requests; without requests, several appends. */
function editTries<Scenario extends Edited>(
  scenario: Scenario,
  mutations: readonly LoggedRequest[],
  counts: KillCounts,
): readonly KillTry<Scenario>[] {
  const places: KillPoint[] = mutations.flatMap((entry) =>
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
