/** How a command tells what goes on: `--progress`. */

import { CommandError } from "../../commands/environment.ts";
import type { Terminal } from "./terminal.ts";

export const progressModes = ["auto", "live", "plain", "json"] as const;

/** `json` is what `--json` is. */
export type ProgressMode = (typeof progressModes)[number];

type Drawable = Pick<Terminal, "live" | "interactive" | "environment">;

/**
 * Whether a part of the terminal is drawn again and again. By itself only where a person sits at a
 * terminal that can move its cursor.
 */
export function drawsLive(mode: ProgressMode, terminal: Drawable): boolean {
  if (!canDraw(terminal)) return false;
  return mode === "live" || (mode === "auto" && terminal.interactive);
}

/** Throws `CommandError` where drawing is asked for and cannot be. */
export function requireDrawable(mode: ProgressMode | undefined, terminal: Drawable): void {
  if (mode !== "live" || canDraw(terminal)) return;
  throw new CommandError(
    "--progress live draws on a terminal, outside of CI; here is none that can be drawn on.",
    "Use --progress plain: a line for each event.",
    "usage",
  );
}

function canDraw({ live, environment }: Drawable): boolean {
  const isCi = namesCi(environment.CI) || namesCi(environment.CONTINUOUS_INTEGRATION);
  return live !== undefined && environment.TERM !== "dumb" && !isCi;
}

/** As ink judges, which draws nothing in CI, however empty the variable is. */
function namesCi(value: string | undefined): boolean {
  return value !== undefined && value !== "0" && value !== "false";
}
