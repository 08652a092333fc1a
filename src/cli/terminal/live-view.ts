/**
 * The live part of the terminal while a plan is applied. What is written meanwhile stands above it,
 * and what it shows is not told in lines as well.
 */

import type { EngineEvent } from "../../model/operation/event.ts";
import type { Durations } from "../../model/plan/durations.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { liveLines } from "../../render/live/layout.ts";
import { createLiveRun, type Moment } from "../../render/live/live-run.ts";
import { type Remaining, remainingOf } from "../../render/live/remaining.ts";
import type { Screen } from "../../ui/screen.ts";
import type { LiveTerminal, Terminal } from "./terminal.ts";

export type LiveView = {
  /** The terminal, where what is written leaves the live part as it is. */
  readonly terminal: Terminal;
  /** Loads what draws, so that it is there when the first operation of the plan begins. */
  readonly prepare: (plan: Plan, earlier?: Durations) => void;
  /** True when the event is shown by the live part, and needs no line. */
  readonly hear: (event: EngineEvent) => boolean;
  readonly close: () => void;
};

export type LiveViewOptions = {
  readonly color: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds, never set back. */
  readonly steady: () => number;
};

/** The screen is looked at this often; it is drawn only where something differs. */
const lookEveryMs = 100;

/** `plain` is what is written to as long as nothing is drawn. */
export function createLiveView(
  plain: Terminal,
  live: LiveTerminal,
  { color, now, steady }: LiveViewOptions,
): LiveView {
  const drawing = createDrawing(live);
  let applying = false;
  let remaining: Remaining = () => undefined;
  const run = createLiveRun((soFar) => remaining(soFar));

  const moment = (): Moment => ({ steadyMs: steady(), wallMs: now() });
  const start = (): void => {
    applying = true;
    drawing.start(() => {
      const known = run.picture(moment());
      return known === undefined ? undefined : liveLines(known, live.size(), steady(), color);
    });
  };
  const close = (): void => {
    applying = false;
    drawing.close();
  };
  return {
    terminal: aside(plain, drawing),
    prepare: ({ operations }, earlier) => {
      remaining = remainingOf(operations, earlier);
      drawing.load();
    },
    hear: (event) => {
      run.hear(event, moment());
      if (event.kind === "apply-started") start();
      if (event.kind === "apply-ended") close();
      return applying && !drawing.failed() && isDrawn(event);
    },
    close,
  };
}

type Drawing = {
  readonly load: () => void;
  /** Draws what it is given, as often as it differs; nothing before it is loaded. */
  readonly start: (lines: () => readonly string[] | undefined) => void;
  readonly screen: () => Screen | undefined;
  /** It cannot be loaded: lines have to tell what it would show. */
  readonly failed: () => boolean;
  readonly close: () => void;
};

function createDrawing(live: LiveTerminal): Drawing {
  let loading: Promise<void> | undefined;
  let openScreen: (() => Screen) | undefined;
  let screen: Screen | undefined;
  let failed = false;
  let shown = "";
  let timer: NodeJS.Timeout | undefined;
  let stopResize: (() => void) | undefined;
  let stopSuspend: (() => void) | undefined;
  let paused = false;

  const clear = (): void => {
    screen?.close();
    screen = undefined;
    shown = "";
  };
  const loadIt = async (): Promise<void> => {
    try {
      openScreen = await live.load();
    } catch {
      failed = true;
    }
  };
  const load = (): void => {
    loading ??= loadIt();
  };
  return {
    load,
    start: (next) => {
      load();
      const draw = (): void => {
        const lines = next();
        if (lines === undefined || openScreen === undefined || paused) return;
        screen ??= openScreen();
        const text = lines.join("\n");
        if (text !== shown) screen.draw(lines);
        shown = text;
      };
      timer = setInterval(draw, lookEveryMs);
      timer.unref();
      // Before what draws hears of it: what was drawn for another size is not to be drawn again.
      stopResize = live.onResize(draw);
      // The shell that has the terminal meanwhile finds its cursor, and nothing is drawn over it.
      stopSuspend = live.onSuspend({
        stop: () => {
          paused = true;
          clear();
        },
        go: () => {
          paused = false;
          draw();
        },
      });
    },
    screen: () => screen,
    failed: () => failed,
    close: () => {
      clearInterval(timer);
      stopResize?.();
      stopSuspend?.();
      clear();
    },
  };
}

/** The terminal, where what is written stands above what is drawn. */
function aside(plain: Terminal, drawing: Pick<Drawing, "screen" | "close">): Terminal {
  return {
    ...plain,
    write: (text) => {
      const screen = drawing.screen();
      if (screen === undefined) plain.write(text);
      else screen.print(text);
    },
    writeError: (text) => {
      const screen = drawing.screen();
      // Where it goes elsewhere, it disturbs nothing.
      if (screen === undefined || !plain.errorIsTerminal) plain.writeError(text);
      else screen.printError(text);
    },
    exit: (code) => {
      drawing.close();
      plain.exit(code);
    },
  };
}

/** What the live part shows as long as it lasts. */
function isDrawn({ kind }: EngineEvent): boolean {
  switch (kind) {
    case "operation-started":
    case "operation-waiting":
    case "operation-progress":
    case "wait-started":
    case "still-running":
    case "still-running-many":
    case "still-queued":
    case "still-waiting":
      return true;
    default:
      return false;
  }
}
