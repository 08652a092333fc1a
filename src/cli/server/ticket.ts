/** `vmform ticket` on the command line. */

import type { Command } from "commander";
import { ticketCommand } from "../../commands/server/ticket.ts";
import {
  countdownText,
  expiredText,
  ticketText,
  validityText,
} from "../../render/state/ticket-text.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  addCommon,
  addDebug,
  addVariables,
  type CommonOptions,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { countDown } from "../terminal/countdown.ts";
import { isSet } from "../terminal/terminal.ts";

export function addTicket(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command("ticket")
    .argument("<address>", "a recorded VM that is on")
    .description("print a ticket for the screen of a VM, and how long it is valid");
  addDebug(addVariables(addCommon(command))).action(
    action(shell, done, (run, flags, [address]) => runTicket(shell, run, address, flags)),
  );
}

/** Standard output is the ticket alone, for a script or a console client. */
async function runTicket(
  shell: Shell,
  { view, environment }: Run,
  address: string,
  flags: CommonOptions,
): Promise<ExitCode> {
  view.eventsAside();
  const options = { ...workspaceOptions(flags), address };
  const issued = await ticketCommand(environment, options);
  const { url, host, ticket, validMs, validUntilMs } = issued;
  view.document({ url, host, ticket, valid_until: new Date(validUntilMs).toISOString() });
  view.text(ticketText(issued));
  if (!canCountDown(shell) || view.json) {
    view.note(validityText(validMs, validUntilMs));
    return exitCodes.ok;
  }
  const { clock, interrupts } = environment;
  await countDown(shell.terminal, clock, interrupts, {
    untilMs: validUntilMs,
    text: countdownText,
    over: expiredText,
  });
  return exitCodes.ok;
}

/** Whoever takes the ticket from a pipe needs it now, not when it has expired. */
function canCountDown({ terminal }: Shell): boolean {
  return terminal.isTerminal && terminal.errorIsTerminal && !isSet(terminal.environment.CI);
}
