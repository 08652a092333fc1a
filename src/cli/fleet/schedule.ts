/** `vmform schedule`: checks for drift by the clock. */

import { CommandError } from "../../commands/environment.ts";
import { packConfiguration, withFleet } from "../../commands/fleet/submit.ts";
import { type Schedule, ScheduleError } from "../../model/fleet/submission.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type CommonOptions, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { askingPorts, inFleet } from "./asking.ts";
import type { ScheduleFlags } from "./fleet-command.ts";
import { askedFor } from "./submit.ts";

export async function runScheduleDrift(
  shell: Shell,
  { view, environment }: Run,
  flags: ScheduleFlags,
  [state, cron]: [string, string],
): Promise<ExitCode> {
  const zone = flags.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const ports = await askingPorts(environment, "vmform schedule");
  const { bundle, ...packed } = await packConfiguration(ports, workspaceOptions(flags));
  if (packed.state !== state) {
    throw new CommandError(
      `The configuration here is of the state ${packed.state}, not ${state}.`,
      `Give that name, or choose the folder of ${state} with --chdir.`,
      "usage",
    );
  }
  return withFleet(ports, workspaceOptions(flags), async (fleet) => {
    const asked = askedFor(shell, environment.operator, flags, packed);
    try {
      await fleet.schedule({ ...asked, cron, zone }, bundle);
    } catch (error) {
      throw notUsable(error, cron, zone);
    }
    view.text(`Drift of ${state} is looked for at ${cron} (${zone}).`);
    view.document({ schedule: scheduleJson({ ...asked, cron, zone, bundle: bundle.sha256 }) });
    return exitCodes.ok;
  });
}

function notUsable(error: unknown, cron: string, zone: string): unknown {
  if (!(error instanceof ScheduleError)) return error;
  return new CommandError(
    `${JSON.stringify(cron)} in ${zone} is no schedule: ${error.message}`,
    'Write it like "*/15 * * * *" (minute, hour, day, month, day of the week), and --zone like ' +
      "Europe/Berlin.",
    "usage",
  );
}

export async function runScheduleList(
  { view, environment }: Run,
  flags: CommonOptions,
): Promise<ExitCode> {
  return inFleet(environment, flags, "vmform schedule", async (fleet) => {
    const schedules = await fleet.schedules();
    const lines = schedules.map(
      ({ state, cron, zone, who }) => `drift of ${state}: ${cron} (${zone}), by ${who}`,
    );
    view.text(lines.length === 0 ? "Nothing is scheduled." : lines.join("\n"));
    view.document({ schedules: schedules.map(scheduleJson) });
    return exitCodes.ok;
  });
}

function scheduleJson({ state, cron, zone, who, host, version, bundle }: Schedule) {
  return {
    kind: "drift",
    state,
    cron,
    zone,
    who,
    host,
    vmform: version,
    configuration_sha256: bundle,
  };
}

export async function runScheduleDelete(
  { view, environment }: Run,
  flags: CommonOptions,
  [state]: [string],
): Promise<ExitCode> {
  return inFleet(environment, flags, "vmform schedule", async (fleet) => {
    if (!(await fleet.unschedule(state))) {
      throw new CommandError(`Nothing is scheduled for ${state}.`, "See: vmform schedule list");
    }
    view.text(`Drift of ${state} is not looked for any more.`);
    view.document({ deleted: state });
    return exitCodes.ok;
  });
}
