/**
 * `vmform ticket`: a ticket for the screen of a recorded VM. It is handed to who asked and kept
 * nowhere: not in recorded state, and in no message or log of this run.
 */

import type { Sessions } from "../../engine/sessions.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { ScreenTicket } from "../../model/provider/provider.ts";
import type { Address } from "../../model/value/address.ts";
import {
  type CommandEnvironment,
  CommandError,
  type WorkspaceEnvironment,
} from "../environment.ts";
import type { WorkspaceOptions } from "../reading.ts";
import { withWorkspace } from "../workspace.ts";
import { providerSettings } from "./provider-settings.ts";
import { requireRecordedObject } from "./recorded-endpoint.ts";
import { type RecordedSubject, recordedSubject } from "./recorded-subject.ts";
import { remoteProblem } from "./remote-problem.ts";

export type TicketOptions = WorkspaceOptions & { readonly address: string };

/** `validUntilMs`: milliseconds since the epoch. */
export type IssuedTicket = ScreenTicket & {
  readonly address: Address;
  readonly validUntilMs: number;
};

/**
 * Takes no lock: nothing is changed. Of the configuration only the `vmform` and provider blocks
 * count. Throws `CommandError` where there is no ticket to be had.
 */
export async function ticketCommand(
  environment: WorkspaceEnvironment & Pick<CommandEnvironment, "hideSecret">,
  options: TicketOptions,
): Promise<IssuedTicket> {
  const needs = { read: providerSettings, access: "read" } as const;
  return withWorkspace(environment, options, needs, async (workspace) => {
    const { state } = await workspace.recorded();
    const { providers } = workspace.configured;
    const subject = recordedSubject(environment, state, providers, options.address);
    const { sessions } = await workspace.connect();
    const what = `asking for a screen ticket of ${subject.record.address}`;
    const issued = () =>
      whileWaiting(environment.events, { rank: "phase", what }, () =>
        issue(environment, subject, sessions),
      );
    return environment.interrupts.untilInterrupted(issued);
  });
}

async function issue(
  { clock, hideSecret }: Pick<CommandEnvironment, "clock" | "hideSecret">,
  subject: RecordedSubject,
  sessions: Sessions,
): Promise<IssuedTicket> {
  const { record, settings } = subject;
  const { address, type, identity, provider } = record;
  try {
    const session = await sessions.get(provider, settings);
    if (session.ticket === undefined) {
      throw new CommandError(`Objects of type ${type} have no screen.`, undefined, "ticket");
    }
    await requireRecordedObject(session, subject);
    const ticket = await session.ticket(type, identity);
    // Counted from the reply: logging in before may have taken longer than a ticket lives.
    const validUntilMs = clock.now() + ticket.validMs;
    hideSecret(ticket.url);
    hideSecret(ticket.ticket);
    return { ...ticket, address, validUntilMs };
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    throw remoteProblem(`Screen of ${address}`, error, "ticket", {
      precondition: "Turn the VM on first: power: on in its configuration, then vmform apply.",
    });
  }
}
