/** Checks of data sources: asking one is reading, and its answer is what its schema says. */

import { compileSchema } from "../lib/schema/schema.ts";
import { RemoteError } from "../model/operation/remote-error.ts";
import type { DataSourceType, ProviderSession } from "../model/provider/provider.ts";
import { type Attributes, equalValues } from "../model/value/value.ts";
import { type DataSample, hold, type TestWorld } from "./harness.ts";

export type DataTrial = {
  readonly type: DataSourceType;
  readonly sample: DataSample;
  readonly world: TestWorld;
  readonly open: (settings: TestWorld["settings"]) => Promise<ProviderSession>;
};

type DataCheck = {
  readonly id: string;
  readonly says: string;
  readonly when?: (trial: DataTrial) => boolean;
  readonly run: (trial: DataTrial) => Promise<void>;
};

export const dataChecks: readonly DataCheck[] = [
  { id: "data-fits", says: "the query of the sample fits its schema", run: queryFits },
  { id: "data-is-read", says: "the answer is what its schema says", run: isRead },
  { id: "asking-changes-nothing", says: "asking changes nothing", run: changesNothing },
  {
    id: "refused-query-is-an-error",
    says: "a query that names nothing is an error, and no empty answer",
    when: ({ sample }) => sample.refused !== undefined,
    run: refused,
  },
  {
    id: "no-answer-is-no-data",
    says: "an endpoint that does not answer is an error, and no empty answer",
    when: ({ world }) => world.unreachable !== undefined,
    run: noAnswer,
  },
];

function queryFits({ type, sample }: DataTrial): Promise<void> {
  const problems = compileSchema(type.schema.json)(sample.query);
  hold(problems.length === 0, `the query does not fit: ${JSON.stringify(problems)}`);
  return Promise.resolve();
}

async function asked(trial: DataTrial, query: Attributes): Promise<Attributes> {
  return answerOf(trial, await trial.open(trial.world.settings), query);
}

async function answerOf(
  { type }: DataTrial,
  session: ProviderSession,
  query: Attributes,
): Promise<Attributes> {
  hold(session.readData !== undefined, "the session has no readData");
  return session.readData(type.name, query);
}

async function isRead(trial: DataTrial): Promise<void> {
  const { type, sample } = trial;
  const answer = await asked(trial, sample.query);
  for (const { name, computed } of Object.values(type.schema.attributes)) {
    if (!computed) continue;
    hold(Object.hasOwn(answer, name), `nothing is answered for ${name}, which is computed`);
  }
  const problems = compileSchema(type.schema.json)({ ...sample.query, ...withoutNull(answer) });
  hold(problems.length === 0, `the answer does not fit: ${JSON.stringify(problems)}`);
  for (const [name, wanted] of Object.entries(sample.expect ?? {})) {
    const there = answer[name] ?? null;
    const what = `${name} is ${JSON.stringify(there)}, and the world has ${JSON.stringify(wanted)}`;
    hold(equalValues(wanted, there), what);
  }
}

/** What is not there is null, whatever kind its schema names. */
function withoutNull(answer: Attributes): Attributes {
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
}

async function changesNothing(trial: DataTrial): Promise<void> {
  // A login may be an event of its own, so that is over before.
  const session = await trial.open(trial.world.settings);
  const first = await answerOf(trial, session, trial.sample.query);
  const before = JSON.stringify(await trial.world.snapshot?.());
  const second = await answerOf(trial, session, trial.sample.query);
  for (const [name, value] of Object.entries(first)) {
    if (trial.type.schema.attributes[name]?.volatile === true) continue;
    const then = second[name] ?? null;
    hold(equalValues(value, then), `${name} is ${text(value)}, and then ${text(then)}`);
  }
  const after = JSON.stringify(await trial.world.snapshot?.());
  hold(before === after, "the world is another one after asking");
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

async function refused(trial: DataTrial): Promise<void> {
  const answer = await failureOf(() => asked(trial, trial.sample.refused ?? {}));
  hold(answer instanceof RemoteError, `it is answered with ${JSON.stringify(answer)}`);
  hold(answer.name !== "RemotePackageFailure", answer.message);
}

async function noAnswer(trial: DataTrial): Promise<void> {
  const { type, sample, world, open } = trial;
  const answer = await failureOf(async () => {
    const session = await open(world.unreachable ?? {});
    return session.readData?.(type.name, sample.query);
  });
  hold(answer instanceof RemoteError, `it is answered with ${JSON.stringify(answer)}`);
  hold(answer.name !== "RemotePackageFailure", answer.message);
}

/** The error of the other side, or else the answer. */
async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RemoteError) return error;
    throw error;
  }
}
