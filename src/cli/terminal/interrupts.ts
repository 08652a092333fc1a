/** Requests to stop (Ctrl-C, SIGTERM, a closed terminal), counted for one command. */

import { InterruptedError, type RunInterrupts } from "../../commands/environment.ts";
import { exitCodes } from "../exit-codes.ts";
import type { StopSignal, Terminal } from "./terminal.ts";

export type CommandInterrupts = RunInterrupts & {
  readonly onCancel: (listener: () => void) => void;
  /** The user wants the remote tasks that run to be cancelled. */
  readonly cancel: () => void;
  /** The last request to stop; undefined while there was none. */
  readonly lastSignal: () => StopSignal | undefined;
};

/** How long the end of the process waits for what is still tried, milliseconds. */
const quitMs = 2_000;

/**
 * The first request ends what can be given up, or drains what has begun; the second ends the
 * process, after what is still tried then, and the third at once. `giveUp` is told before either:
 * what still comes of it concerns nobody. `farewell` says what is left open by the second. Until a
 * command asks, the system's own handling stays.
 */
export function createInterrupts(
  terminal: Pick<Terminal, "onInterrupt" | "exit">,
  giveUp: () => void,
  farewell: () => void = () => {},
): CommandInterrupts {
  const waiting = new Set<(error: InterruptedError) => void>();
  let listening = false;
  let running = false;
  let count = 0;
  let last: StopSignal | undefined;
  let drain: (() => void) | undefined;
  let cancel: (() => void) | undefined;
  let quit: (() => Promise<void>) | undefined;

  const end = (): void => {
    const exit = (): void => terminal.exit(exitCodes.interrupted);
    if (count > 2 || !running || quit === undefined) return exit();
    giveUp();
    farewell();
    setTimeout(exit, quitMs);
    // What cannot be done in the end is nobody's concern any more.
    void quit().then(exit, exit);
  };
  const listen = (): void => {
    if (listening) return;
    listening = true;
    terminal.onInterrupt((signal) => {
      count += 1;
      last = signal;
      if (count > 1) end();
      else if (running) drain?.();
      else {
        giveUp();
        for (const reject of waiting) reject(new InterruptedError());
      }
    });
  };
  return {
    untilInterrupted: (work) => {
      listen();
      return new Promise((resolve, reject) => {
        if (count > 0) return reject(new InterruptedError());
        waiting.add(reject);
        void work()
          .then(resolve, reject)
          .finally(() => waiting.delete(reject));
      });
    },
    begin: () => {
      if (count > 0) throw new InterruptedError();
      running = true;
    },
    onDrain: (listener) => {
      drain = listener;
      if (count > 0) listener();
    },
    onCancel: (listener) => {
      cancel = listener;
    },
    onQuit: (listener) => {
      quit = listener;
    },
    cancel: () => cancel?.(),
    lastSignal: () => last,
  };
}
