/** Doing without the store: what is told of the mirror that is used, and the consent it needs. */

import type { Plan } from "../model/plan/plan.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { CommandError, type WorkspaceEnvironment } from "./environment.ts";
import type { RunNotes } from "./history/keep.ts";
import type { WorkspaceOptions } from "./reading.ts";

/** Whether it says that recorded state is that of a mirror, and as of when. */
export function isOfMirror({ code }: Diagnostic): boolean {
  return code === "STO070";
}

/** The plan, which says in every form as of when it is. A saved one may have said so before. */
export function withAsOf(plan: Plan, asOf: readonly Diagnostic[]): Plan {
  const others = plan.diagnostics.filter((diagnostic) => !isOfMirror(diagnostic));
  return { ...plan, diagnostics: [...asOf, ...others] };
}

/** Of a command that may record something in a mirror. */
export type FromMirror = WorkspaceOptions & {
  /** Whether what is done may be recorded in the mirror alone. Absent: it may not. */
  readonly agreeToMirror?: (asOf: readonly Diagnostic[]) => Promise<boolean>;
};

/** What is recorded in a mirror has to be merged later, and may be refused then. */
export async function requireMirrorConsent(
  { interrupts }: Pick<WorkspaceEnvironment, "interrupts">,
  run: Pick<RunNotes, "say">,
  { stateFrom, agreeToMirror: agree }: FromMirror,
  asOf: readonly Diagnostic[],
): Promise<void> {
  if (stateFrom !== "mirror") return;
  const isAgreed = agree !== undefined && (await interrupts.untilInterrupted(() => agree(asOf)));
  if (!isAgreed) {
    throw new CommandError(
      "What is applied from the mirror is recorded there alone, until it can be merged into the " +
        "store, and cannot be merged if others apply meanwhile. That needs consent.",
      "If nobody else applies meanwhile, add: --allow mirror",
      "consent",
    );
  }
  run.say(asOf);
}
