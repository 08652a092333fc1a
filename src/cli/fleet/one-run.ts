/** What one run of a worker has, and how it ends. */

import type { By, SubmissionEnd, Taken } from "../../model/fleet/fleet.ts";
import type { Shell } from "../run.ts";
import type { EventSink } from "./event-sink.ts";

/** One run with all it needs. */
export type OneRun = {
  readonly shell: Shell;
  readonly taken: Taken;
  readonly sink: EventSink;
  /** Of the configuration. */
  readonly folder: string;
  /** Where a saved plan stands beside it. */
  readonly planFile: string;
  readonly keepPlan: (text: string, approved: boolean) => Promise<void>;
};

/** How it ended, or that it is for somebody else to go on with. */
export type RunEnd = SubmissionEnd | Stopped;

type Stopped = {
  readonly status: "stopped";
  readonly detail: string;
  /** Counts of what it came to, or of what it would have done. */
  readonly counts?: { readonly text: string; readonly of: "plan" | "apply" };
};

/** What has changed nothing, or was not approved, has nothing that another run has to look at. */
export function mayHaveBegun({ kind, plan, approved, attempt }: Taken): boolean {
  return (kind === "apply" || kind === "destroy") && plan !== undefined && approved && attempt > 1;
}

/** `end`: how it was stopped; absent: it was not even begun. */
export function cancelledEnd(
  { kind, attempt }: Taken,
  { who, host }: By,
  end?: RunEnd,
): SubmissionEnd {
  const what = cancelledText(kind, attempt > 1 ? "Nothing more" : "Nothing", end);
  return { status: "cancelled", detail: `Cancelled by ${who}@${host}${what}` };
}

/** What was done and what was not. */
function cancelledText(kind: Taken["kind"], nothing: string, end: RunEnd | undefined): string {
  if (end === undefined) return " before anything of it was done.";
  if (end.status !== "stopped") return `. ${nothing} of its plan was applied.`;
  const { counts } = end;
  if (counts?.of === "apply") return `. ${counts.text}`;
  if (kind === "plan" || kind === "drift") return " before it had ended.";
  return `. ${nothing} was begun. ${counts?.text ?? ""}`.trimEnd();
}

/** A run that came to its own end although somebody wanted to stop it. */
export function endedAnyway<E extends SubmissionEnd>(end: E, by: By | undefined): E {
  if (by === undefined) return end;
  const detail = `${end.detail} It ended by itself before ${by.who}@${by.host} could stop it.`;
  return { ...end, detail };
}
