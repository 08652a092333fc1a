/** The countdown in one line of the terminal. */

import { expect, test } from "vitest";
import { countDown } from "../../../../src/cli/terminal/countdown.ts";
import { createInterrupts } from "../../../../src/cli/terminal/interrupts.ts";
import type { StopSignal } from "../../../../src/cli/terminal/terminal.ts";
import { countdownText, expiredText } from "../../../../src/render/state/ticket-text.ts";
import { createVirtualClock } from "../../../simulation/virtual-clock.ts";

function start(errorWidth: number | undefined, ms: number) {
  let written = "";
  let send: ((signal: StopSignal) => void) | undefined;
  const clock = createVirtualClock();
  const interrupts = createInterrupts(
    {
      onInterrupt: (listener) => {
        send = listener;
      },
      exit: () => {},
    },
    () => {},
  );
  void interrupts.untilInterrupted(() => new Promise(() => {}));
  const terminal = {
    errorWidth,
    writeError: (text: string) => {
      written += text;
    },
  };
  const countdown = { untilMs: clock.now() + ms, text: countdownText, over: expiredText };
  const ended = clock.until(countDown(terminal, clock, interrupts, countdown));
  return { ended, clock, send: () => send?.("SIGINT"), written: () => written };
}

/** What a terminal shows in the line at last. */
function screen(written: string): string {
  let line = "";
  for (const part of written.replace(/\n$/, "").split("\r")) {
    line = part + line.slice(part.length);
  }
  return line.trimEnd();
}

test("it counts whole seconds down to the end", async () => {
  const { ended, written } = start(80, 2_500);
  await ended;
  expect(written()).toBe(
    "\rValid for 3s. Ctrl-C ends this.\rValid for 2s. Ctrl-C ends this." +
      "\rValid for 1s. Ctrl-C ends this.\rThe ticket has expired.        \n",
  );
  expect(screen(written())).toBe("The ticket has expired.");
});

test.each([40, 20, 5])("no line is as wide as a terminal of %i columns", async (width) => {
  const { ended, written } = start(width, 65_000);
  await ended;
  const parts = written().split(/[\r\n]/);
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(width);
  expect(parts.length).toBeGreaterThan(3);
});

test("the user ends it before: the line stays as it was", async () => {
  const { ended, clock, send, written } = start(undefined, 30_000);
  clock.at(clock.now() + 4_050, send);
  await ended;
  expect(screen(written())).toBe("Valid for 26s. Ctrl-C ends this.");
  expect(written().endsWith("\n")).toBe(true);
});
