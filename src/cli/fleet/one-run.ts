/** What one run of a worker has, and how it ends. */

import type { SubmissionEnd, Taken } from "../../model/fleet/fleet.ts";
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
export type RunEnd = SubmissionEnd | { readonly status: "stopped"; readonly detail: string };
