/** Runs the tests of one file, one after another, in a world of their own. */

import { type Place, positionOf } from "../../config/report.ts";
import type { Placed, TestFile, TestRun } from "../../config/testing/tests.ts";
import { userPath } from "../../lib/files/user-path.ts";
import type { EventSink } from "../../model/operation/event.ts";
import type { DriftReport } from "../../model/plan/drift-report.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { TestFailure, TestFileReport, TestRunReport } from "../../model/said/test-report.ts";
import type { Value, ValueMap } from "../../model/value/value.ts";
import { foldAll } from "../../state/fold.ts";
import { problem } from "../codes.ts";
import { type CommandEnvironment, CommandError, type TestWorld } from "../environment.ts";
import { settingsAlone } from "../reading.ts";
import { diagnosticsOf } from "../told.ts";
import { execute, type Outcome } from "./execute.ts";
import type { FoundTest } from "./find.ts";
import { judgeRun } from "./judge.ts";
import { scopeOf } from "./scope.ts";
import { besideTests, type GivenVariables, testVariables } from "./variables.ts";

/** What others see of recorded state and drift. */
export type TestForms = {
  readonly recorded: (state: RecordedState) => ValueMap;
  readonly drift: (report: DriftReport) => ValueMap;
};

export type TestListener = {
  readonly event: EventSink;
  readonly plan: (plan: Plan) => void;
};

export type TestContext = {
  readonly environment: CommandEnvironment;
  readonly directory: string;
  /** On the command line. */
  readonly given: GivenVariables;
  readonly forms: TestForms;
  /** Hears what a run tells while it goes on, and what it has planned. */
  readonly hear: (file: string, run: string) => TestListener;
};

/** When tests begin that do not say it: any time would do, but it must be the same each time. */
const startDefaultMs = Date.UTC(2026, 0, 1);

/** `runs` are those of the file that are to be run. */
export async function runTestFile(
  context: TestContext,
  { name, folder }: FoundTest,
  file: TestFile,
  runs: readonly TestRun[],
): Promise<TestFileReport> {
  const { environment } = context;
  const beganMs = environment.clock.now();
  const elapsed = (): number => environment.clock.now() - beganMs;
  let world: TestWorld | undefined;
  try {
    world = await openWorld(context, folder, file);
    const reports = await runAll({ ...context, world, folder, file }, runs);
    const ended = world;
    world = undefined;
    // Faults of the simulators come to light here.
    await ended.close();
    const failed = reports.some(({ status }) => status === "failed");
    const status = failed ? "failed" : "passed";
    return { file: name, status, failures: [], runs: reports, elapsedMs: elapsed() };
  } catch (error) {
    const failures = notBegun(error, file.world?.place);
    return { file: name, status: "failed", failures, runs: [], elapsedMs: elapsed() };
  } finally {
    // What broke it off is told already.
    await world?.close().catch(() => {});
  }
}

async function openWorld(
  { environment, directory }: TestContext,
  folder: string,
  file: TestFile,
): Promise<TestWorld> {
  const given = file.world?.value;
  const { home } = environment.system;
  const own = typeof given === "string" ? userPath(folder, given, home) : given;
  return environment.openTestWorld({
    world: own ?? (await configuredWorld(environment, directory)) ?? {},
    startMs: file.startMs ?? startDefaultMs,
    environment: file.environment,
    packages: file.packages?.value ?? {},
  });
}

/** What is wrong with the configuration is told by the runs. */
async function configuredWorld(
  environment: CommandEnvironment,
  directory: string,
): Promise<string | undefined> {
  const options = { directory, variables: [], variableFiles: [] };
  try {
    const { value } = await settingsAlone(environment, options);
    return value.settings.simulator?.world;
  } catch (error) {
    if (diagnosticsOf(error).length > 0) return undefined;
    throw error;
  }
}

type FileContext = TestContext & {
  readonly world: TestWorld;
  readonly folder: string;
  readonly file: TestFile;
};

async function runAll(
  context: FileContext,
  runs: readonly TestRun[],
): Promise<readonly TestRunReport[]> {
  const reports: TestRunReport[] = [];
  let broken = false;
  for (const run of runs) {
    const report: Ended = broken ? skipped(run) : await runOne(context, run);
    broken ||= report.broken;
    const { broken: _, ...shown } = report;
    reports.push(shown);
  }
  return reports;
}

type Ended = TestRunReport & { readonly broken: boolean };

async function runOne(context: FileContext, run: TestRun): Promise<Ended> {
  const { environment, world, directory, file } = context;
  const beganMs = environment.clock.now();
  const before = world.requests().length;
  try {
    await prepare(context, run);
  } catch (error) {
    const failures = notBegun(error, run.place);
    return { ...skipped(run), status: "failed", failures, broken: true };
  }
  const listener = context.hear(file.source.name, run.name);
  const events = listener.event;
  const own = testVariables(file, run, environment.readFile);
  const variables = { ...own, given: besideTests(context.given, file, run, own) };
  const outcome = await execute({ environment, world, directory, events }, run, variables);
  if (outcome.plan !== undefined) listener.plan(outcome.plan);
  const requests = world.requests().slice(before);
  const judged = await judge(context, run, outcome, requests);
  const faults = "fault" in outcome ? [brokenOff(outcome.fault, run.place)] : [];
  const unused = judged.broken ? [] : unusedFaults(world, run);
  const failures = [...faults, ...judged.failures, ...unused];
  return {
    ...skipped(run),
    status: failures.length === 0 ? "passed" : "failed",
    failures,
    problems: outcome.problems,
    requests: requests.length,
    elapsedMs: environment.clock.now() - beganMs,
    broken: judged.broken || faults.length > 0,
  };
}

/** Time passes, then others change something, then what goes wrong is set. */
async function prepare(context: FileContext, run: TestRun): Promise<void> {
  const { environment, world, folder, file } = context;
  const { at, afterMs, changes, packageChanges, packageFaults, faults } = run;
  world.setFaults(undefined);
  world.setPackageFaults(undefined);
  const waitMs =
    at === undefined ? (afterMs ?? betweenMs(file, run)) : at.value - world.clock.now();
  if (at !== undefined && waitMs < 0) {
    const now = new Date(world.clock.now()).toISOString();
    const told = new CommandError(`The clock of the test is past it already: it shows ${now}.`);
    throw new Misplaced(told, at.place);
  }
  world.pass(waitMs);
  for (const { value, place } of changes) await placed(place, () => world.change(value));
  if (packageChanges !== undefined) {
    const { value, place } = packageChanges;
    await placed(place, () => world.changePackages(value));
  }
  if (packageFaults !== undefined) {
    const { value, place } = packageFaults;
    await placed(place, async () => world.setPackageFaults(value));
  }
  if (faults === undefined) return;
  const { value } = faults;
  const script = typeof value === "string" ? beside(folder, value, environment) : value;
  await placed(faults.place, async () => world.setFaults(script));
}

/** What is said of a fault that has not occurred was not tested. Runs may share a script. */
function unusedFaults(
  world: TestWorld,
  { faults, packageFaults }: TestRun,
): readonly TestFailure[] {
  const ofPackages = packageFaults === undefined ? [] : world.packageFaults();
  const unmet = notMet(ofPackages, packageFaults?.place, "No change or reading of the run met");
  if (faults === undefined) return unmet;
  const all = world.faults();
  const enough = typeof faults.value === "string" && all.some(({ used }) => used);
  if (enough) return unmet;
  return [...notMet(all, faults.place, "No request of the run met"), ...unmet];
}

function notMet(
  faults: ReturnType<TestWorld["faults"]>,
  place: Place | undefined,
  nothing: string,
): readonly TestFailure[] {
  const unused = faults.filter(({ used }) => !used);
  if (unused.length === 0) return [];
  const names = unused.map(({ name }) => JSON.stringify(name)).join(", ");
  const source = place && positionOf(place);
  return [
    { diagnostic: problem({ source }, "CLI047", { detail: `${nothing} ${names}.` }), parts: [] },
  ];
}

/** As between two commands of a person: what the first has begun to do is done. */
function betweenMs({ runs }: TestFile, run: TestRun): number {
  return run === runs[0] ? 0 : 60_000;
}

function beside(folder: string, path: string, { system }: CommandEnvironment): Value {
  return userPath(folder, path, system.home);
}

/** An error with the place that it is about. */
class Misplaced extends Error {
  readonly place: Place;

  constructor(cause: unknown, place: Place) {
    super("", { cause });
    this.place = place;
  }
}

async function placed(place: Placed<Value>["place"], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Misplaced(error, place);
  }
}

async function judge(
  { environment, world, forms }: FileContext,
  run: TestRun,
  outcome: Outcome,
  requests: readonly ValueMap[],
) {
  const { plan, outputs, drift, problems } = outcome;
  const { snapshot, journal } = await world.store.read();
  const state = snapshot && foldAll(snapshot, journal);
  const scope = scopeOf(
    {
      problems,
      requests,
      world: world.present(),
      ...(state === undefined ? emptyState : { state: forms.recorded(state) }),
      ...(plan === undefined ? {} : { plan }),
      ...(outputs === undefined ? {} : { outputs }),
      ...(drift === undefined ? {} : { drift: forms.drift(drift) }),
    },
    environment.types,
    environment.dataTypes,
  );
  return judgeRun(run, outcome, scope);
}

/** Before anything was recorded. */
const emptyState = {
  state: {
    lineage: "",
    serial: 0,
    simulated: true,
    objects: [],
    open: [],
    restores: [],
    outputs: {},
  },
};

function skipped(run: TestRun): Ended {
  return {
    name: run.name,
    command: run.command,
    line: positionOf(run.place).line,
    status: "skipped",
    failures: [],
    problems: [],
    assertions: run.assertions.length,
    requests: 0,
    elapsedMs: 0,
    broken: true,
  };
}

/** Throws what nobody can mend. */
function notBegun(error: unknown, place: Place | undefined): readonly TestFailure[] {
  if (error instanceof Misplaced) return notBegun(error.cause, error.place);
  const told = diagnosticsOf(error);
  if (told.length === 0) return [brokenOff(error, place)];
  return told.map(({ detail, fix }) => {
    const source = place && positionOf(place);
    return { diagnostic: problem({ source }, "CLI044", { detail, fix }), parts: [] };
  });
}

function brokenOff(error: unknown, place: Place | undefined): TestFailure {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const source = place && positionOf(place);
  return { diagnostic: problem({ source }, "CLI045", { detail: text }), parts: [] };
}
