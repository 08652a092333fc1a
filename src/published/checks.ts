/** The conformance suite: what holds of every provider, as checks that any runner can run. */

import { RemoteError } from "../model/operation/remote-error.ts";
import type { ProviderSession, ResourceType } from "../model/provider/provider.ts";
import type { Attributes, Value } from "../model/value/value.ts";
import { type ActionTrial, actionChecks } from "./action-checks.ts";
import { dataChecks } from "./data-checks.ts";
import {
  type ActionSample,
  type DataSample,
  type Harness,
  hold,
  type ProviderCheck,
  type Subject,
  type TypeSample,
} from "./harness.ts";
import { pureChecks } from "./pure-checks.ts";
import { nobody, present, sessionChecks, type Trial, trialOf } from "./session-checks.ts";

/** In each check, what is told and what is read holds no secret of the world. */
export function checksOf(
  subject: () => Promise<Subject>,
  harness: Harness,
): readonly ProviderCheck[] {
  const { samples, data = [] } = harness;
  return [
    ...completeness(subject, harness),
    ...samples.flatMap((sample) => typeChecks(subject, harness, sample)),
    ...data.flatMap((sample) => dataChecksOf(subject, harness, sample)),
  ];
}

/** Whatever there is has a sample, or it would pass by not being tried. */
function completeness(
  subject: () => Promise<Subject>,
  { samples, data = [] }: Harness,
): readonly ProviderCheck[] {
  const check = (
    id: string,
    name: string,
    wanted: (subject: Subject) => readonly string[],
    sampled: readonly string[],
  ): ProviderCheck => ({
    id,
    name,
    run: async () => {
      const without = wanted(await subject()).filter((one) => !sampled.includes(one));
      hold(without.length === 0, `none of ${without.join(", ")}`);
    },
  });
  const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
  const types = samples.map(({ type }) => type);
  const actions = ({ types: all }: Subject) =>
    all.flatMap(({ name, actions: own = [] }) => names(own).map((one) => `${one} of ${name}`));
  const acted = samples.flatMap(({ type, actions: own = [] }) =>
    names(own).map((one) => `${one} of ${type}`),
  );
  const asked = data.map(({ type }) => type);
  return [
    check(
      "types-have-samples",
      "each resource type has a sample",
      (all) => names(all.types),
      types,
    ),
    check(
      "data-has-samples",
      "each data source has a sample",
      (all) => names(all.dataTypes),
      asked,
    ),
    check("actions-have-samples", "each action has a sample", actions, acted),
  ];
}

function typeChecks(
  subject: () => Promise<Subject>,
  harness: Harness,
  sample: TypeSample,
): readonly ProviderCheck[] {
  const { actions = [] } = sample;
  return [
    ...pureChecks.map(({ id, says, run }) => ({
      id,
      name: `${sample.type}: ${says}`,
      run: async () => {
        const world = await harness.world();
        try {
          run(typeOf(await subject(), sample), sample, world.settings);
        } finally {
          await world.close?.();
        }
      },
    })),
    ...sessionChecks.map(({ id, says, when, run }) => ({
      id,
      name: `${sample.type}: ${says}`,
      run: () =>
        inTrial(subject, harness, sample, async (trial) => {
          if (when === undefined || when(trial)) await run(trial);
        }),
    })),
    ...actions.flatMap((action) =>
      actionChecks.map(({ id, says, run }) => ({
        id,
        name: `${sample.type}: ${says(action.name)}`,
        run: () => inTrial(subject, harness, sample, (trial) => run(actionTrial(trial, action))),
      })),
    ),
  ];
}

/** Of one action of its type. */
function actionTrial(trial: Trial, action: ActionSample): ActionTrial {
  return {
    action,
    open: trial.open,
    present: () => present(trial),
    absent: nobody(trial).identity,
    snapshot: async () => JSON.stringify(await trial.world.snapshot?.()),
  };
}

async function inTrial(
  subject: () => Promise<Subject>,
  harness: Harness,
  sample: TypeSample,
  work: (trial: Trial) => Promise<void>,
): Promise<void> {
  const known = await subject();
  const world = await harness.world();
  const type = typeOf(known, sample);
  const listening = listen(known, world.secrets ?? []);
  const trial = trialOf(listening.subject, harness, { type, sample, world });
  try {
    await work(trial);
  } finally {
    await trial.end();
  }
  listening.holdSilence();
}

function dataChecksOf(
  subject: () => Promise<Subject>,
  harness: Harness,
  sample: DataSample,
): readonly ProviderCheck[] {
  return dataChecks.map(({ id, says, when, run }) => ({
    id,
    name: `data ${sample.type}: ${says}`,
    run: async () => {
      const known = await subject();
      const type = known.dataTypes.find(({ name }) => name === sample.type);
      hold(type !== undefined, `there is no data source ${sample.type}`);
      const world = await harness.world();
      const listening = listen(known, world.secrets ?? []);
      const sessions: ProviderSession[] = [];
      const open = async (settings: Value): Promise<ProviderSession> => {
        const session = await listening.subject.open(settings, "read");
        sessions.push(session);
        return session;
      };
      const trial = { type, sample, world, open };
      try {
        if (when === undefined || when(trial)) await run(trial);
      } finally {
        for (const session of sessions) await session.close();
        await world.close?.();
      }
      listening.holdSilence();
    },
  }));
}

function typeOf({ types }: Subject, { type }: TypeSample): ResourceType {
  const found = types.find(({ name }) => name === type);
  hold(found !== undefined, `there is no type ${type}`);
  return found;
}

function textOf(answer: unknown): string {
  return JSON.stringify({ answer }, (_name, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

/** The subject, with all that its sessions tell listened to. */
function listen(
  subject: Subject,
  secrets: readonly string[],
): { readonly subject: Subject; readonly holdSilence: () => void } {
  const told: string[] = [];
  const hear = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const answer = await work();
      told.push(textOf(answer));
      return answer;
    } catch (error) {
      if (error instanceof RemoteError) told.push(error.message);
      throw error;
    }
  };
  return {
    subject: {
      types: subject.types,
      dataTypes: subject.dataTypes,
      open: async (settings, access) => {
        const session = await hear(() => subject.open(settings, access));
        const readData = session.readData?.bind(session);
        return {
          ...session,
          read: (wanted, view) => hear(() => session.read(wanted, view)),
          send: (operation, deadlineMs) => hear(() => session.send(operation, deadlineMs)),
          ...(readData === undefined
            ? {}
            : { readData: (type: string, query: Attributes) => hear(() => readData(type, query)) }),
        };
      },
    },
    holdSilence: () => {
      const leak = secrets.find((secret) => told.some((text) => text.includes(secret)));
      hold(leak === undefined, "a secret of the world is told");
    },
  };
}
