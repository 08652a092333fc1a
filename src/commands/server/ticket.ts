/**
 * `vmform ticket`: a ticket for the screen of a recorded VM. It is handed to who asked and kept
 * nowhere: not in recorded state, and in no message or log of this run.
 */

import { mixedWorlds } from "../../engine/prepare.ts";
import { createSessions } from "../../engine/sessions.ts";
import type { Address } from "../../model/address.ts";
import type { ScreenTicket } from "../../model/provider.ts";
import { RemoteError } from "../../model/remote-error.ts";
import { whileWaiting } from "../../model/wait.ts";
import { type CommandEnvironment, CommandError } from "../environment.ts";
import {
  enginePorts,
  type Loaded,
  openProviders,
  openStore,
  readRecorded,
  type WorkspaceOptions,
} from "../workspace.ts";
import { readProviderSettings } from "./provider-settings.ts";
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
 * count. Throws
 * `CommandError` where there is no ticket to be had.
 */
export async function ticketCommand(
  environment: CommandEnvironment,
  options: TicketOptions,
): Promise<Loaded<IssuedTicket>> {
  const read = await readProviderSettings(environment, options);
  if (!read.ok) return read;
  const { settings, providers: configured } = read.value;
  const store = openStore(environment, settings);
  const simulated = settings.simulator !== undefined;
  const { state } = await readRecorded(environment, store, simulated);
  const mixed = mixedWorlds(state, simulated);
  if (mixed.length > 0) return { ok: false, diagnostics: mixed };
  const subject = recordedSubject(environment, state, configured, options.address);
  const providers = await openProviders(environment, settings, options.directory);
  const sessions = createSessions(enginePorts(environment, store, providers), "read");
  try {
    const what = `asking for a screen ticket of ${subject.record.address}`;
    const issued = () =>
      whileWaiting(environment.events, { rank: "phase", what }, () =>
        issue(environment, subject, sessions),
      );
    const value = await environment.interrupts.untilInterrupted(issued);
    return { ok: true, value, diagnostics: read.diagnostics };
  } finally {
    await sessions.close();
    await providers.close();
  }
}

async function issue(
  { clock, hideSecret }: CommandEnvironment,
  subject: RecordedSubject,
  sessions: ReturnType<typeof createSessions>,
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
