/** `vmform submit`: asks workers to plan, to apply, or to look for drift. */

import { CommandError } from "../../commands/environment.ts";
import { packConfiguration, withFleet } from "../../commands/fleet/submit.ts";
import type {
  NewSubmission,
  Submission,
  SubmissionKind,
  SubmissionOptions,
} from "../../model/fleet/submission.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { selectionOf, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { askingPorts } from "./asking.ts";
import type { SubmitFlags } from "./fleet-command.ts";
import { submissionJson } from "./submission-text.ts";
import { watchRun } from "./watch.ts";

export async function runSubmit(
  shell: Shell,
  run: Run,
  kind: SubmissionKind,
  flags: SubmitFlags,
): Promise<ExitCode> {
  const { view, environment } = run;
  const ports = await askingPorts(environment, "vmform submit");
  if (flags.refreshOnly === true) {
    throw new CommandError("--refresh-only is not for workers.", undefined, "usage");
  }
  const { bundle, ...packed } = await packConfiguration(ports, workspaceOptions(flags));
  return withFleet(ports, workspaceOptions(flags), async (fleet) => {
    const asked = askedFor(shell, environment.operator, flags, packed);
    const submission = await fleet.submit({ ...asked, kind, bundle });
    if (flags.watch === true) return watchRun(run, flags, fleet, submission);
    view.text(`Submitted as ${submission.id}.\nTo see what becomes of it: ${toWatch(submission)}`);
    view.document({ submission: submissionJson(submission) });
    return exitCodes.ok;
  });
}

function toWatch({ id }: Submission): string {
  return `vmform runs --watch ${id}`;
}

/** Who asks, and what for. */
export function askedFor(
  { version }: Shell,
  { who, host }: Run["environment"]["operator"],
  flags: SubmitFlags,
  packed: {
    readonly state: string;
    readonly workspace: string;
    readonly variableFiles: readonly string[];
  },
): Omit<NewSubmission, "kind" | "bundle"> {
  const { targets, excludes, replace } = selectionOf(flags);
  const { window, parallelism } = flags;
  const options: SubmissionOptions = {
    workspace: packed.workspace,
    variables: flags.var ?? [],
    variableFiles: packed.variableFiles,
    targets,
    excludes,
    replace,
    allowed: flags.allow ?? [],
    autoApprove: flags.autoApprove === true,
    ...(window === undefined ? {} : { window }),
    ...(parallelism === undefined ? {} : { parallelism }),
  };
  return { state: packed.state, who, host, version, options };
}
