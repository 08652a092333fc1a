/**
 * Prepares a plan: settle what is open, follow moves, refresh, plan. In that order. Data sources
 * are read before, or when a plan has shown that what they depend on does not change. All reading
 * is in `look`: `refresh.ts` (recorded objects), `lookups.ts` (wanted ones), `named.ts`,
 * `query.ts` (data sources), `facts.ts` (changes), `endpoints.ts`; `look.ts` is one look that reads
 * nothing twice.
 */

import type { Consent } from "../model/operation/disruption.ts";
import type { Wait } from "../model/operation/event.ts";
import { whileWaiting } from "../model/operation/wait.ts";
import type { Desired } from "../model/plan/desired.ts";
import type { Plan, PlanMode, PlannedData } from "../model/plan/plan.ts";
import type { Observation } from "../model/provider/observation.ts";
import type { FactsAnswer } from "../model/provider/provider.ts";
import type { RecordedState } from "../model/recorded/recorded.ts";
import type { Address } from "../model/value/address.ts";
import type { ReferenceLookup } from "../model/value/expression.ts";
import type { Value } from "../model/value/value.ts";
import { applyImports } from "../plan/before/imports.ts";
import { applyMoves } from "../plan/before/moves.ts";
import { recognize } from "../plan/before/recognize.ts";
import { type PlanInput, type PlanSelection, selectAll } from "../plan/input.ts";
import { planRound } from "../plan/plan.ts";
import { judgePlan } from "../plan/policies/judge.ts";
import type { Ledger } from "./ledger.ts";
import { placeEndpointFailures } from "./look/endpoint-failures.ts";
import { askEndpoints } from "./look/endpoints.ts";
import { askFacts } from "./look/facts.ts";
import { expectedBy, lookWith } from "./look/look.ts";
import { lookForNamed } from "./look/named.ts";
import {
  answerQueries,
  createQueryReader,
  independentData,
  type QueryMemory,
  type QueryReader,
  readyData,
} from "./look/query.ts";
import { lookUpMore, refresh } from "./look/refresh.ts";
import type { EnginePorts } from "./ports.ts";
import { closeInterrupted, type RecoveryPatience } from "./recover.ts";
import type { Sessions } from "./sessions.ts";

export type PrepareOptions = {
  readonly mode: PlanMode;
  readonly select?: PlanSelection;
  readonly allowed: readonly Consent[];
  readonly simulated: boolean;
  /** Absent: the default one. */
  readonly workspace?: string;
  /** Open operations are no concern of this run: one that holds the lock will end them. */
  readonly leaveOpen?: boolean;
  /** How long open operations are waited for. */
  readonly patience?: RecoveryPatience;
  /** What policies keep for another time waits or is left, so that nobody is asked about it. */
  readonly keepsWindows?: boolean;
  /** What is settled is recorded, not only known to this plan. */
  readonly journaled?: boolean;
  /** Answers of data sources that are known already, and those that will be. */
  readonly answers?: QueryMemory;
};

/** `ledger` is the store's while applying, and in memory only while planning. */
export async function prepare(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  desired: Desired,
  options: PrepareOptions,
): Promise<Plan> {
  const { plan, nowMs, restores } = await planned(ports, sessions, ledger, desired, options);
  return judgePlan(plan, {
    policies: desired.policies ?? [],
    types: ports.types,
    nowMs,
    restores,
    keepsWindows: options.keepsWindows === true,
  });
}

/** A plan for the sake of the values in it: `lookup` knows what each address will have. */
export type Scouted = { readonly plan: Plan; readonly lookup: ReferenceLookup };

/** Plans what is known of the configuration so far, and asks nothing that only changes need. */
export async function scout(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  desired: Desired,
  options: PrepareOptions,
): Promise<Scouted> {
  return planned(ports, sessions, ledger, desired, { ...options, forValues: true });
}

type Planned = Scouted & {
  readonly nowMs: number;
  readonly restores: RecordedState["restores"];
};

async function planned(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  desired: Desired,
  options: PrepareOptions & { readonly forValues?: boolean },
): Promise<Planned> {
  const inMemory = options.leaveOpen !== true && options.journaled !== true;
  const interrupted = inMemory ? ledger.open().map((begin) => begin.id) : [];
  const settings = settingsOf(desired, ledger, options.mode);
  const { leaveOpen = false, patience } = options;
  const unsettled =
    leaveOpen || ledger.open().length === 0
      ? []
      : await closeInterrupted(ports, sessions, ledger, settings, patience);
  const following = followed(desired, options.mode);
  const moves = applyMoves(ledger.state(), following.moved, { desired, types: ports.types });
  const endpoints = await askEndpoints(sessions, settings, providersIn(moves.recorded, desired));
  const imports = applyImports(moves.recorded, following, ports.types, endpoints);
  const { recorded } = imports;
  const wanted = options.mode === "apply" ? desired : undefined;
  const look = lookWith(sessions, expectedBy(recorded, wanted));
  const read = createQueryReader(look, settings, options.answers);
  const first = wanted !== undefined && isWhole(options) ? independentData(wanted) : [];
  const answer = answererOf(ports, read);
  const data = await answer(first);
  const refreshed = await refresh(ports, look, recorded, wanted, settings, data);
  const observations = recognize(ports.types, recorded.objects, refreshed.observations, endpoints);
  const input: Omit<PlanInput, "data" | "lookups" | "facts" | "named"> = {
    planId: ports.newId(),
    mode: options.mode,
    select: options.select ?? selectAll,
    desired,
    recorded,
    observations,
    types: ports.types,
    settings,
    endpoints,
    nowMs: ports.clock.now(),
    simulated: options.simulated,
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    allowed: options.allowed,
    rules: ports.rules,
    moveNotes: [...moves.notes, ...imports.notes],
    imported: imports.addresses,
    importProblems: imports.diagnostics,
    withheld: new Set(),
    diagnostics: [...moves.diagnostics, ...unsettled],
    interrupted,
  };
  const known = { data, lookups: refreshed.lookups };
  const asking = { look, answer, wanted, forValues: options.forValues === true };
  const { plan, lookup } = await planInRounds(ports, asking, input, known);
  const placed = placeEndpointFailures(plan, { recorded, desired }, refreshed);
  return { plan: placed, lookup, nowMs: input.nowMs, restores: recorded.restores };
}

type Asking = {
  readonly look: ReturnType<typeof lookWith>;
  readonly answer: ReturnType<typeof answererOf>;
  readonly wanted: Desired | undefined;
  readonly forValues: boolean;
};

/**
 * Each round asks what the one before has found to be worth asking: data sources that depend on
 * nothing that changes, objects whose key is known by now, and at last facts of the changes.
 */
async function planInRounds(
  ports: EnginePorts,
  { look, answer, wanted, forValues }: Asking,
  input: Omit<PlanInput, "data" | "lookups" | "facts" | "named">,
  known: Pick<PlanInput, "data" | "lookups">,
): Promise<Scouted> {
  const { recorded, observations, settings } = input;
  const data = new Map(known.data);
  let { lookups } = known;
  const facts = new Map<Address, FactsAnswer>();
  const named = new Map<string, Observation>();
  for (;;) {
    const round = planRound({ ...input, data, lookups, facts, named });
    const { plan: made, questions, namedQuestions, lookup } = round;
    const ready = readyData(made.data);
    for (const [address, answered] of await answer(ready)) data.set(address, answered);
    const more = { answers: data, known: lookups, observations };
    const found = await lookUpMore(ports, look, recorded, wanted, settings, more);
    const news = ready.length > 0 || found !== lookups || namedQuestions.length > 0;
    await lookForNamed(ports, look, settings, namedQuestions, named);
    lookups = found;
    if (news) continue;
    if (questions.length === 0 || forValues) return { plan: made, lookup };
    const asked = whileWaiting(ports.events, factsWait, () => askFacts(look, settings, questions));
    for (const [address, answered] of await asked) facts.set(address, answered);
  }
}

/** Providers that what is recorded or wanted belongs to. */
export function providersIn(
  { objects, open, restores }: Pick<RecordedState, "objects" | "open" | "restores">,
  desired?: Pick<Desired, "instances">,
): ReadonlySet<string> {
  return new Set([
    ...[...objects, ...(desired?.instances ?? [])].map(({ provider }) => provider),
    ...open.map(({ subject }) => subject.provider),
    ...restores.flatMap(({ at }) => at?.provider ?? []),
  ]);
}

const factsWait: Wait = { rank: "work", what: "looking at what the changes need" };
const queriesWait: Wait = { rank: "work", what: "reading data sources" };

function answererOf({ events }: EnginePorts, read: QueryReader) {
  return (ready: readonly PlannedData[]) =>
    whileWaiting(events, queriesWait, () => answerQueries(read, ready));
}

/** With a part left out, only a plan tells which data sources the rest uses. */
function isWhole({ select = selectAll }: PrepareOptions): boolean {
  return select.targets.length === 0 && select.excludes.length === 0;
}

/** A destroy follows no address; a refresh records nothing that was not recorded. */
function followed(desired: Desired, mode: PlanMode): Desired {
  if (mode === "apply") return desired;
  return { ...desired, imports: [], moved: mode === "destroy" ? [] : desired.moved };
}

/** Configured settings over recorded ones: deleting works when the provider block is gone. */
export function settingsOf(
  desired: Desired,
  ledger: Ledger,
  mode: PlanMode,
): ReadonlyMap<string, Value> {
  const settings = new Map<string, Value>();
  for (const provider of ledger.state().providers) settings.set(provider.name, provider.settings);
  for (const { name, settings: configured, source } of desired.providers) {
    // A provider without a block has default settings, which say less than the recorded ones.
    const implied = mode === "destroy" && source === undefined && settings.has(name);
    if (!implied) settings.set(name, configured);
  }
  return settings;
}
