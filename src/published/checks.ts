/** The conformance suite: what holds of every provider, as checks that any runner can run. */

import { RemoteError } from "../model/operation/remote-error.ts";
import type { ResourceType } from "../model/provider/provider.ts";
import {
  type Harness,
  hold,
  type ProviderCheck,
  type Subject,
  type TypeSample,
} from "./harness.ts";
import { pureChecks } from "./pure-checks.ts";
import { sessionChecks, trialOf } from "./session-checks.ts";

/** In each check, what is told and what is read holds no secret of the world. */
export function checksOf(
  subject: () => Promise<Subject>,
  harness: Harness,
): readonly ProviderCheck[] {
  return [
    {
      id: "types-have-samples",
      name: "each resource type has a sample",
      run: async () => {
        const sampled = new Set(harness.samples.map(({ type }) => type));
        const without = (await subject()).types.filter(({ name }) => !sampled.has(name));
        hold(without.length === 0, `none of ${without.map(({ name }) => name).join(", ")}`);
      },
    },
    ...harness.samples.flatMap((sample) => [
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
        run: async () => {
          const known = await subject();
          const world = await harness.world();
          const type = typeOf(known, sample);
          const listening = listen(known, world.secrets ?? []);
          const trial = trialOf(listening.subject, harness, { type, sample, world });
          try {
            if (when === undefined || when(trial)) await run(trial);
          } finally {
            await trial.end();
          }
          listening.holdSilence();
        },
      })),
    ]),
  ];
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
      open: async (settings, access) => {
        const session = await hear(() => subject.open(settings, access));
        return {
          ...session,
          read: (wanted, view) => hear(() => session.read(wanted, view)),
          send: (operation, deadlineMs) => hear(() => session.send(operation, deadlineMs)),
        };
      },
    },
    holdSilence: () => {
      const leak = secrets.find((secret) => told.some((text) => text.includes(secret)));
      hold(leak === undefined, "a secret of the world is told");
    },
  };
}
