/** Checks of actions: what one would meet is read, and it is done once and when it is asked for. */

import { RemoteError } from "../model/operation/remote-error.ts";
import { type Attributes, equalValues } from "../model/value/value.ts";
import { type ActionSample, hold, NotHeld } from "./harness.ts";
import { type Found, follow, readOne, type Work } from "./perform.ts";

export type ActionTrial = {
  readonly action: ActionSample;
  readonly open: (access: "read" | "mutate") => Promise<Work>;
  /** An object of the sample, made where it has to be. */
  readonly present: () => Promise<Found | undefined>;
  /** Of an object that there is not. */
  readonly absent: string;
  readonly snapshot: () => Promise<string | undefined>;
};

type ActionCheck = {
  readonly id: string;
  readonly says: (action: string) => string;
  readonly run: (trial: ActionTrial) => Promise<void>;
};

export const actionChecks: readonly ActionCheck[] = [
  {
    id: "action-is-foretold",
    says: (action) => `what ${action} would meet is read, and changes nothing`,
    run: foretold,
  },
  { id: "action-is-done", says: (action) => `${action} is done, or refused as said`, run: done },
  {
    id: "action-on-nothing-is-refused",
    says: (action) => `${action} of what is not there is refused and changes nothing`,
    run: onNothing,
  },
];

async function foretold(trial: ActionTrial): Promise<void> {
  const there = await trial.present();
  if (there === undefined) return;
  const before = await trial.snapshot();
  const { type, session } = await trial.open("read");
  await refusalOf(async () => session.outlook?.(trial.action.name, type.name, there.identity));
  hold(before === (await trial.snapshot()), "the world is another one after looking");
}

async function done(trial: ActionTrial): Promise<void> {
  const there = await trial.present();
  if (there === undefined) return;
  const { name, after, refused } = trial.action;
  const before = await trial.snapshot();
  const error = await refusalOf(() => acted(trial, there.identity));
  const now = await trial.snapshot();
  if (refused === true) {
    hold(error !== undefined, "it is not refused");
    hold(error.effect === "none", `the effect of what is refused is said to be ${error.effect}`);
    return hold(before === now, "what is refused changes the world");
  }
  hold(error === undefined, `it is refused: ${error?.message}`);
  if (after === undefined) return hold(before === undefined || before !== now, "nothing is done");
  const work = await trial.open("read");
  const untilMs = Date.now() + work.settleMs;
  for (;;) {
    const observation = await readOne(work, { identity: there.identity });
    const read: Attributes = observation.status === "found" ? observation.attributes : {};
    const differs = Object.entries(after).filter(
      ([attribute, value]) => !equalValues(value, read[attribute] ?? null),
    );
    if (differs.length === 0) return;
    const what = JSON.stringify(Object.fromEntries(differs));
    hold(Date.now() < untilMs, `after ${name}, ${what} is not read: ${JSON.stringify(read)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function onNothing(trial: ActionTrial): Promise<void> {
  const before = await trial.snapshot();
  const error = await refusalOf(() => acted(trial, trial.absent));
  hold(error !== undefined, "it is not refused");
  hold(error.effect === "none", `the effect is said to be ${error.effect}`);
  hold(before === (await trial.snapshot()), "the world is another one");
}

/** As vmform does it: looked at first, and not sent where nothing has to be done. */
async function acted({ action: { name }, open }: ActionTrial, identity: string): Promise<void> {
  const work = await open("mutate");
  const { type, session } = work;
  hold(session.act !== undefined, "the session has no act");
  const { needless, subject } = (await session.outlook?.(name, type.name, identity)) ?? {};
  if (needless !== undefined) {
    throw new RemoteError({ kind: "precondition", effect: "none", message: needless });
  }
  const sent = await session.act(name, type.name, identity, subject);
  try {
    await follow(work, sent);
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error;
    // Some servers refuse by a task that fails.
    throw new RemoteError({ kind: "precondition", effect: "none", message: error.message });
  }
}

async function refusalOf(work: () => Promise<unknown>): Promise<RemoteError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    hold(error.name !== "RemotePackageFailure", error.message);
    return error;
  }
}
