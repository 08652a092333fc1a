/** Checks of the effectful half: each in a world and in sessions of its own. */

import { RemoteError } from "../model/operation/remote-error.ts";
import type { ProviderSession, ResourceType } from "../model/provider/provider.ts";
import { type Attributes, equalValues } from "../model/value/value.ts";
import { type Harness, hold, type Subject, type TestWorld, type TypeSample } from "./harness.ts";
import {
  type Asked,
  type Found,
  perform,
  readOne,
  recordOf,
  sendStep,
  stepsOf,
  type Work,
  wantedOf,
} from "./perform.ts";

/** One world, with sessions that are opened as vmform opens them. */
export type Trial = {
  readonly type: ResourceType;
  readonly sample: TypeSample;
  readonly world: TestWorld;
  readonly open: (access?: "read" | "mutate") => Promise<Work>;
  readonly openAt: (settings: TestWorld["settings"]) => Promise<ProviderSession>;
};

type SessionCheck = {
  readonly id: string;
  readonly says: string;
  /** Whether there is anything to check of the sample in this world. */
  readonly when?: (trial: Trial) => boolean;
  readonly run: (trial: Trial) => Promise<void>;
};

const creates = ({ type, sample }: Trial): boolean =>
  sample.create !== undefined && type.recordOnly !== true;
const updates = (trial: Trial): boolean =>
  trial.sample.update !== undefined && trial.type.recordOnly !== true;

export const sessionChecks: readonly SessionCheck[] = [
  {
    id: "absent-is-missing",
    says: "what is not there is missing",
    when: ({ sample }) => sample.always !== true,
    run: absentIsMissing,
  },
  {
    id: "created-is-read",
    says: "what was created is read by another session",
    when: creates,
    run: createdIsRead,
  },
  {
    id: "reading-changes-nothing",
    says: "reading changes nothing",
    when: ({ type }) => type.recordOnly !== true,
    run: readingChangesNothing,
  },
  {
    id: "reads-are-in-order",
    says: "answers stand in the order of the questions",
    when: ({ sample, type }) => sample.always !== true && type.recordOnly !== true,
    run: inOrder,
  },
  {
    id: "updated-is-read",
    says: "an update changes what it names and leaves the rest",
    when: updates,
    run: updatedIsRead,
  },
  {
    id: "created-twice-is-conflict",
    says: "creating what exists is refused as a conflict and changes nothing",
    when: (trial) => creates(trial) && trial.sample.manyAlike !== true,
    run: createdTwice,
  },
  { id: "deleted-is-missing", says: "what was deleted is missing", when: creates, run: deleted },
  {
    id: "deleting-absent-is-harmless",
    says: "deleting what is gone does no harm",
    when: creates,
    run: deletedTwice,
  },
  {
    id: "lost-reply-is-unknown",
    says: "a change whose reply is lost has an unknown effect, and is read",
    when: (trial) => creates(trial) && trial.world.loseReply !== undefined,
    run: lostReply,
  },
  {
    id: "listed",
    says: "what was created is listed",
    when: creates,
    run: listed,
  },
  {
    id: "no-answer-is-an-error",
    says: "an endpoint that does not answer is an error, and never an absence",
    when: ({ world }) => world.unreachable !== undefined,
    run: noAnswer,
  },
];

/** How the sample is asked for that is in no world. */
function absent({ type, sample }: Trial): Asked {
  if (sample.absent !== undefined) return sample.absent;
  return { identity: type.identityOf(sample.create ?? {}) ?? "absent" };
}

async function absentIsMissing(trial: Trial): Promise<void> {
  const work = await trial.open("read");
  const observation = await readOne(work, absent(trial));
  if (isSilent(observation)) return;
  hold(observation.status === "missing", `it is read as ${JSON.stringify(observation)}`);
  hold(observation.proof !== "", "nothing is said of how that is known");
}

/** What the interface never tells, no check can judge. */
function isSilent(observation: { readonly status: string; readonly rule?: string }): boolean {
  return observation.status === "unreadable" && observation.rule === "by rule";
}

/** Makes the object of the sample; undefined where nothing of it can be read. */
async function created(trial: Trial): Promise<Found | undefined> {
  const { type, sample } = trial;
  const inputs = sample.create ?? {};
  const identity = type.identityOf(inputs);
  hold(identity !== undefined, "the sample has no identity");
  const work = await trial.open();
  await perform(work, { action: "create", identity, inputs });
  return found(work, { identity });
}

/** The object of the sample, made where it has to be. */
export async function present(trial: Trial): Promise<Found | undefined> {
  const { existing } = trial.sample;
  if (existing === undefined) return created(trial);
  return found(await trial.open(), existing);
}

async function found(work: Work, asked: Asked): Promise<Found | undefined> {
  const observation = await readOne(work, asked);
  if (isSilent(observation)) return undefined;
  hold(observation.status === "found", `it is read as ${JSON.stringify(observation)}`);
  return observation;
}

async function createdIsRead(trial: Trial): Promise<void> {
  const made = await created(trial);
  if (made === undefined) return;
  const again = await found(await trial.open("read"), { identity: made.identity });
  hold(again !== undefined, "another session cannot read it");
  holdSame(trial.type, trial.sample.create ?? {}, again.attributes);
}

/** Each wanted value that can be read is there. */
function holdSame(type: ResourceType, wanted: Attributes, actual: Attributes): void {
  for (const [name, value] of Object.entries(wanted)) {
    const declared = type.schema.attributes[name];
    if (declared === undefined || declared.unreadable || declared.local) continue;
    if (declared.sensitive || declared.lookup || !Object.hasOwn(actual, name)) continue;
    const there = actual[name] ?? null;
    const isSame = equalValues(value, there) || type.same?.(name, value, there) === true;
    hold(isSame, `${name} is ${JSON.stringify(there)}, and ${JSON.stringify(value)} was wanted`);
  }
}

async function readingChangesNothing(trial: Trial): Promise<void> {
  await present(trial);
  const { type, world } = trial;
  const asked = trial.sample.existing ?? absent(trial);
  const before = JSON.stringify(await world.snapshot?.());
  const work = await trial.open("read");
  const first = await readOne(work, asked);
  await work.session.list?.(type.name).catch(tolerated);
  const second = await readOne(work, asked);
  const third = await readOne(await trial.open("read"), asked);
  const same = [second, third].every((one) => equalText(first, one, type));
  hold(same, `it is read as ${JSON.stringify(first)}, and then as ${JSON.stringify(second)}`);
  const after = JSON.stringify(await world.snapshot?.());
  hold(before === after, differenceText(before, after));
}

/** Where two texts part. */
function differenceText(before = "", after = ""): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const part = (text: string): string => text.slice(Math.max(0, at - 40), at + 40);
  return `the world was …${part(before)}…, and is …${part(after)}…`;
}

/** What moves by itself is left out. */
function equalText(left: unknown, right: unknown, { schema }: ResourceType): boolean {
  const moves = (name: string): boolean => schema.attributes[name]?.volatile === true;
  const text = (value: unknown): string =>
    JSON.stringify(value, (name, member: unknown) => (moves(name) ? undefined : member)) ?? "";
  return text(left) === text(right);
}

async function inOrder(trial: Trial): Promise<void> {
  const there = await present(trial);
  if (there === undefined) return;
  const { type, session } = await trial.open("read");
  const [one, other] = [wantedOf(type, { identity: there.identity }), nobody(trial)];
  const answers = await session.read([other, one, other, one]);
  const said = answers.map(({ status }) => status).join(", ");
  hold(answers.length === 4, `four were asked for, and ${answers.length} answered`);
  const right = answers.every(({ status }, at) => (status === "found") === (at % 2 === 1));
  hold(right, `an absent, a present, an absent and a present one are read as ${said}`);
  hold((await session.read([])).length === 0, "nobody was asked for, and somebody answered");
}

/** One that is in no world, whatever was made of the sample. */
export function nobody({ type, sample }: Trial) {
  const { identity = type.identityOf(sample.create ?? {}) ?? "absent" } = sample.absent ?? {};
  return wantedOf(type, sample.absent ?? { identity: `${identity}-absent` });
}

async function updatedIsRead(trial: Trial): Promise<void> {
  const { type, sample } = trial;
  const there = await present(trial);
  if (there === undefined) return;
  const wanted = sample.create ?? sample.existing?.wanted ?? {};
  const inputs = { ...wanted, ...sample.update };
  const changed = Object.keys(sample.update ?? {});
  const prior = recordOf(type, there, wanted);
  const { identity } = there;
  await perform(await trial.open(), { action: "update", identity, inputs, changed, prior });
  const after = await found(await trial.open("read"), { identity });
  hold(after !== undefined, "it cannot be read any more");
  holdSame(type, sample.update ?? {}, after.attributes);
  for (const [name, before] of Object.entries(there.attributes)) {
    const { computed = false, volatile = false } = type.schema.attributes[name] ?? {};
    if (computed || volatile || changed.includes(name)) continue;
    const now = after.attributes[name] ?? null;
    hold(equalValues(before, now), `${name} was not to be changed, and is ${JSON.stringify(now)}`);
  }
}

async function createdTwice(trial: Trial): Promise<void> {
  const made = await created(trial);
  if (made === undefined) return;
  const { type, sample } = trial;
  const inputs = sample.create ?? {};
  const work = await trial.open();
  const identity = type.identityOf(inputs) ?? "";
  const error = await refusalOf(async () => {
    for (const step of await stepsOf(work, { action: "create", identity, inputs })) {
      await sendStep(work, identity, step);
    }
  });
  hold(error !== undefined, "nothing was refused");
  hold(error.effect === "none", `the effect is said to be ${error.effect}`);
  hold(error.kind === "conflict", `the kind of the error is ${error.kind}, not conflict`);
  const after = await found(await trial.open("read"), { identity: made.identity });
  hold(after !== undefined && equalText(made, after, type), "the object that was there is another");
}

/** What the other side refused; anything else than a `RemoteError` is a fault. */
async function refusalOf(work: () => Promise<void>): Promise<RemoteError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof RemoteError) return error;
    throw error;
  }
}

async function remove(trial: Trial, made: Found): Promise<void> {
  const prior = recordOf(trial.type, made, trial.sample.create ?? {});
  await perform(await trial.open(), { action: "delete", identity: made.identity, prior });
}

async function deleted(trial: Trial): Promise<void> {
  const made = await created(trial);
  if (made === undefined) return;
  await remove(trial, made);
  const after = await readOne(await trial.open("read"), { identity: made.identity });
  hold(after.status === "missing", `it is read as ${JSON.stringify(after)}`);
}

async function deletedTwice(trial: Trial): Promise<void> {
  const made = await created(trial);
  if (made === undefined) return;
  const { identity } = made;
  const prior = recordOf(trial.type, made, trial.sample.create ?? {});
  await remove(trial, made);
  const before = JSON.stringify(await trial.world.snapshot?.());
  const work = await trial.open();
  const error = await refusalOf(async () => {
    for (const step of await stepsOf(work, { action: "delete", identity, prior })) {
      await sendStep(work, identity, step);
    }
  });
  const effect = error?.effect ?? "none";
  hold(effect === "none", `it ends in an error of unknown effect: ${error?.message}`);
  const after = JSON.stringify(await trial.world.snapshot?.());
  hold(before === after, differenceText(before, after));
}

async function lostReply(trial: Trial): Promise<void> {
  const { type, sample, world } = trial;
  const inputs = sample.create ?? {};
  const identity = type.identityOf(inputs) ?? "";
  const work = await trial.open();
  const [step] = await stepsOf(work, { action: "create", identity, inputs });
  hold(step !== undefined, "a create has no step");
  await world.loseReply?.();
  const error = await refusalOf(async () => void (await sendStep(work, identity, step)));
  hold(error !== undefined, "a reply that never came is told as a success");
  hold(error.effect === "unknown", "the effect is said to be none, and it was done");
  const untilMs = Date.now() + work.settleMs;
  for (;;) {
    const observation = await readOne(await trial.open("read"), { identity });
    if (observation.status === "found" || isSilent(observation)) return;
    hold(Date.now() < untilMs, `it is read as ${JSON.stringify(observation)}`);
  }
}

async function listed(trial: Trial): Promise<void> {
  const made = await created(trial);
  if (made === undefined) return;
  const { session, type } = await trial.open("read");
  const all = await session.list?.(type.name).catch(tolerated);
  if (all === undefined) return;
  const names = all.map(({ identity }) => identity);
  hold(names.includes(made.identity), `${made.identity} is not among ${names.join(", ")}`);
  hold(
    all.every((one) => one.type === type.name),
    "objects of another type are listed",
  );
}

/** A type that cannot be listed says so. */
function tolerated(error: unknown): undefined {
  if (error instanceof RemoteError && error.kind === "invalid") return undefined;
  throw error;
}

async function noAnswer(trial: Trial): Promise<void> {
  const { type, world } = trial;
  const asked = wantedOf(type, trial.sample.existing ?? absent(trial));
  const error = await refusalOf(async () => {
    const session = await trial.openAt(world.unreachable ?? {});
    const [observation] = await session.read([asked]);
    if (observation !== undefined && isSilent(observation)) return;
    const isFailed = observation?.status === "unreadable";
    hold(isFailed, `it is read as ${JSON.stringify(observation)}`);
  });
  hold(error?.name !== "RemotePackageFailure", `${error?.message}`);
}

/** Trials of a subject; sessions that were opened are closed by `end`. */
export function trialOf(
  subject: Subject,
  { settleMs = 5000 }: Pick<Harness, "settleMs">,
  what: Pick<Trial, "type" | "sample" | "world">,
): Trial & { readonly end: () => Promise<void> } {
  const sessions: ProviderSession[] = [];
  const openAt = async (
    settings: TestWorld["settings"],
    access: "read" | "mutate" = "read",
  ): Promise<ProviderSession> => {
    const session = await subject.open(settings, access);
    sessions.push(session);
    return session;
  };
  return {
    ...what,
    openAt,
    open: async (access = "mutate") => ({
      type: what.type,
      session: await openAt(what.world.settings, access),
      settleMs,
    }),
    end: async () => {
      for (const session of sessions) await session.close();
      await what.world.close?.();
    },
  };
}
