/** A channel within the process of a test: calls lie in a list until the counter takes them. */

import type { Clock } from "../../../src/model/clock.ts";
import type { Channel, Counter, FenceMark, Presence } from "../../../src/sites/call.ts";
import { ChannelError, siteProtocol } from "../../../src/sites/call.ts";

type Entry = {
  readonly id: string;
  readonly text: string;
  state: "lying" | "taken" | "withdrawn";
  answer?: string;
};

export type MemoryChannel = {
  readonly channel: Channel;
  readonly counter: Counter;
  readonly entries: readonly Entry[];
  /** What the next ones see. */
  presence: Presence | undefined;
  /** The lock of the run that asks, and as recorded state has it. */
  fence: FenceMark | undefined;
  recordedFence: string | undefined;
  claimed: boolean;
  /** Nothing is handed out while it is set. */
  busy: boolean;
  /** What becomes of the next call whose handing over nobody confirms. */
  cut: "before it came" | "after it came" | undefined;
  /** Answers are lost. */
  mute: boolean;
  /** Added to the clock of the channel when a call is looked at before it is sent. */
  lateMs: number;
};

/** `waitMs`: how much time passes between two looks for an answer. */
export function memoryChannel(clock: Clock, waitMs: number): MemoryChannel {
  const now = (): number => clock.now();
  const entries: Entry[] = [];
  let wake = (): void => {};
  const end = { stopped: false };
  const find = (id: string): Entry => {
    const entry = entries.find((one) => one.id === id);
    if (entry === undefined) throw new Error(`there is no call ${id}`);
    return entry;
  };
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
  const memory: MemoryChannel = {
    entries,
    presence: {
      agent: "agent-1",
      version: "0.1.0",
      protocol: siteProtocol,
      readOnly: false,
      host: "there",
      sinceMs: 0,
      skewMs: 0,
    },
    fence: undefined,
    recordedFence: undefined,
    claimed: true,
    busy: false,
    cut: undefined,
    mute: false,
    lateMs: 0,
    channel: {
      place: "the memory of the test",
      mark: () =>
        Promise.resolve({
          nowMs: now(),
          ...(memory.fence === undefined ? {} : { fence: memory.fence }),
        }),
      offer: async (_site, id, text) => {
        const { cut } = memory;
        memory.cut = undefined;
        if (cut !== "before it came") entries.push({ id, text, state: "lying" });
        wake();
        if (cut !== undefined) throw new ChannelError("cut off", true);
      },
      answer: async (_site, id, withinMs) => {
        const untilMs = now() + withinMs;
        for (;;) {
          const answer = entries.find((one) => one.id === id)?.answer;
          if (answer !== undefined || now() >= untilMs) return answer;
          await pause();
          await clock.sleep(Math.min(waitMs, untilMs - now()));
        }
      },
      withdraw: async (_site, id, isKnown) => {
        const isThere = entries.some((one) => one.id === id);
        if (!isThere && isKnown) return "taken";
        if (!isThere) entries.push({ id, text: "", state: "withdrawn" });
        const entry = find(id);
        if (entry.state === "lying") entry.state = "withdrawn";
        return entry.state === "withdrawn" ? "never-taken" : "taken";
      },
      present: () => Promise.resolve(memory.presence),
    },
    counter: {
      serve: async ({ work }) => {
        const running = new Set<Promise<void>>();
        while (!end.stopped) {
          const entry = memory.busy ? undefined : entries.find(({ state }) => state === "lying");
          if (entry === undefined) {
            await Promise.race([pause(), new Promise<void>((resolve) => (wake = resolve))]);
            continue;
          }
          entry.state = "taken";
          const answering = async (): Promise<void> => {
            const text = await work(entry);
            if (!memory.mute) entry.answer = text;
          };
          const done = answering();
          running.add(done);
          void done.finally(() => running.delete(done));
        }
        await Promise.all(running);
      },
      standing: () =>
        Promise.resolve({
          nowMs: now() + memory.lateMs,
          claimed: memory.claimed,
          ...(memory.recordedFence === undefined ? {} : { fence: memory.recordedFence }),
        }),
      stop: async () => {
        end.stopped = true;
        wake();
      },
    },
  };
  return memory;
}
