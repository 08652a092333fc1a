/** Sending an action, and following the remote task it began until it ends or the user lets go. */

import type { Interrupts } from "../../engine/ports.ts";
import {
  type FollowedTask,
  followTask,
  type TaskNews,
  type TaskProgress,
  taskAbsenceMs,
} from "../../engine/send/task.ts";
import type { Clock } from "../../model/clock.ts";
import type { EventSink, Wait } from "../../model/operation/event.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { ActionOrder, ActionStep } from "../../model/provider/action.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import type { Value } from "../../model/value/value.ts";
import { InterruptedError } from "../environment.ts";

export type ActionWork = {
  readonly session: ProviderSession;
  readonly clock: Clock;
  readonly events: EventSink;
  readonly interrupts: Interrupts;
  readonly order: ActionOrder;
  /** Until then its task is followed. */
  readonly untilMs: number;
  readonly step: (step: ActionStep) => void;
};

/** `accepted`: the server took it and began no task. */
export type Followed =
  | FollowedTask
  | { readonly status: "accepted" }
  | ({ readonly status: "left" } & TaskProgress);

/**
 * Sends once. A request to stop waits for the reply, which comes soon, but not for the task. Throws
 * `RemoteError`, and `InterruptedError` when asked to stop before.
 */
export async function followAction(work: ActionWork): Promise<Followed> {
  const { session, interrupts, order, step } = work;
  const act = session.act?.bind(session);
  if (act === undefined) throw new Error(`${order.provider} does no actions`);
  let asked = false;
  let waiting = false;
  const stop = new Promise<void>((resolve) => {
    interrupts.onDrain(() => {
      asked = true;
      if (waiting) step({ kind: "stopping" });
      resolve();
    });
  });
  if (asked) throw new InterruptedError();
  waiting = true;
  const { address, action } = order;
  const what = `waiting for the reply to ${action.name}`;
  const { handle } = await whileWaiting(work.events, { rank: "work", what, address }, async () =>
    act(action.name, order.type, order.identity, order.subject),
  );
  waiting = false;
  return handle === undefined ? { status: "accepted" } : follow(work, handle, stop);
}

async function follow(work: ActionWork, handle: Value, stop: Promise<void>): Promise<Followed> {
  const { session, clock, untilMs, step } = work;
  let progress: TaskProgress = { word: "running" };
  let stopped = false;
  // What is let go of must not poll a session that was closed.
  const poll = async (task: Value) => {
    if (stopped || session.poll === undefined) return { status: "vanished" } as const;
    return session.poll(task);
  };
  let words: string | undefined;
  const onNews = (news: TaskNews): void => {
    if (stopped) return;
    words = "trouble" in news ? news.trouble : `it is ${news.word}`;
    if ("trouble" in news) return;
    progress = news;
    step({ kind: "progress", ...news });
  };
  const following = { untilMs, absenceMs: taskAbsenceMs, onNews };
  const wait: Wait = {
    rank: "work",
    what: `following the remote task of ${work.order.action.name}`,
    address: work.order.address,
    untilMs,
    words: () => words,
    wayOut: "Ctrl-C stops following it, and it goes on",
  };
  const followed = whileWaiting(work.events, wait, () =>
    followTask({ ...session, poll }, clock, handle, following),
  );
  const left = stop.then((): Followed => {
    stopped = true;
    return { status: "left", ...progress };
  });
  return Promise.race([followed, left]);
}
