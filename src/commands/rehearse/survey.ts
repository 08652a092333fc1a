/** Surveys of the endpoints that a plan is about: read sessions tell what there is. */

import type { Sessions } from "../../engine/sessions.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { CommandError } from "../environment.ts";
import type { TwinSource } from "./twin.ts";

/** Of each provider of the plan that has an endpoint. Throws `RemoteError` and `CommandError`. */
export async function surveyed(sessions: Sessions, plan: Plan): Promise<TwinSource["providers"]> {
  const needed = new Set([
    ...plan.operations.map(({ subject }) => subject.provider),
    ...plan.data.map(({ provider }) => provider),
  ]);
  const found = await Promise.all(
    plan.providers
      .filter(({ name }) => needed.has(name))
      .map(async ({ name, settings }) => {
        const session = await sessions.get(name, settings);
        // What speaks to nobody is simulated by itself.
        if (session.survey === undefined && session.url === undefined) return undefined;
        if (session.survey === undefined) throw noTwin(name);
        const survey = await session.survey({ objects: objectsOf(plan, name) });
        return { name, settings, survey };
      }),
  );
  return found.filter((each) => each !== undefined);
}

function noTwin(provider: string): CommandError {
  return new CommandError(
    `The plan cannot be rehearsed: provider ${provider} does not tell what a twin is made of.`,
    "Rehearse a part of the plan that is not about it, with --exclude.",
    "plan",
  );
}

/** The objects that the operations are about, and what those are content of. */
function objectsOf(plan: Plan, provider: string) {
  const found = new Map<string, { readonly type: string; readonly identity: string }>();
  for (const { subject } of plan.operations) {
    if (subject.provider !== provider) continue;
    for (const { type, identity } of [subject, subject.container ?? subject]) {
      if (identity !== "") found.set(`${type} ${identity}`, { type, identity });
    }
  }
  return [...found.values()];
}
