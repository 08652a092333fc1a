/** What is told of a wait: `daemon_vm.web: Still running: clone VM web [10s elapsed]`. */

import { clockText } from "../../lib/time/clock-text.ts";
import type { ApplyOverview, Heartbeat, QueueGroup, Wait } from "../../model/operation/event.ts";
import { addressesText } from "../../model/value/address-text.ts";
import { durationText } from "../text/duration-text.ts";

/** Names that stand in a line; of more, the number is told. */
const namesMax = 4;

export function heartbeatText(beat: Heartbeat, nowMs: number): string {
  switch (beat.kind) {
    case "still-running":
      return `${beat.address}: Still running: ${beat.what} ${marks(beat, nowMs)}${said(beat)}`;
    case "still-running-many": {
      const { address, what } = beat.longest;
      const counts = `${beat.done} of ${beat.total} done, ${beat.running} running`;
      const longest = `longest ${address}: ${what} [${elapsed(beat.elapsedMs)} elapsed]`;
      return `Still running: ${counts}; ${longest}`;
    }
    case "still-queued":
      return `Not begun yet: ${beat.queue.map(groupText).join("; ")}`;
    case "still-waiting": {
      const who = beat.address === undefined ? "" : `${beat.address}: `;
      return `${who}Still ${beat.what} ${marks(beat, nowMs)}${said(beat)}`;
    }
  }
}

/** A wait that is told as it begins. */
export function waitText(wait: Wait, nowMs: number): string {
  const { address, what, untilMs, wayOut, words } = wait;
  const who = address === undefined ? "" : `${address}: `;
  const until = untilMs === undefined ? "" : `, until ${clockText(untilMs, nowMs)}`;
  const heard = words?.();
  const last = heard === undefined ? "" : `${heard}; `;
  const first = last === "" ? `${what.slice(0, 1).toUpperCase()}${what.slice(1)}` : what;
  return `${who}${last}${first}${until}${wayOut === undefined ? "" : ` (${wayOut})`}`;
}

type Marked = {
  readonly elapsedMs: number;
  readonly untilMs?: number;
  readonly done?: number;
  readonly total?: number;
};

function marks({ elapsedMs, untilMs, done, total = 1 }: Marked, nowMs: number): string {
  const until = untilMs === undefined ? [] : [`until ${clockText(untilMs, nowMs)}`];
  const counts = done === undefined || total <= 1 ? [] : [`${done} of ${total} done`];
  return `[${[`${elapsed(elapsedMs)} elapsed`, ...until, ...counts].join(", ")}]`;
}

function said({ words, wayOut }: { readonly words?: string; readonly wayOut?: string }): string {
  const last = words === undefined ? "" : `: ${words}`;
  return `${last}${wayOut === undefined ? "" : ` (${wayOut})`}`;
}

function elapsed(elapsedMs: number): string {
  // A beat comes a moment early, so that no line is missing for longer than it says.
  return durationText(elapsedMs < 1_000 ? elapsedMs : Math.round(elapsedMs / 1_000) * 1_000);
}

function groupText({ addresses, behind }: QueueGroup): string {
  const verb = addresses.length === 1 ? "waits" : "wait";
  return `${addressesText(addresses, namesMax)} ${verb} ${behind}`;
}

/** The last words of an apply that is ended at once. */
export function stoppedText(
  running: readonly { readonly address: string; readonly what: string }[],
  { done, total }: Pick<ApplyOverview, "done" | "total">,
): string {
  const rest = total - done - running.length;
  const counts = `${done} of ${total} operations done, ${running.length} open, ${rest} not begun`;
  const names = running.slice(0, namesMax).map(({ address, what }) => `${address} (${what})`);
  const more = running.length > namesMax ? ` and ${running.length - namesMax} more` : "";
  const open = running.length === 0 ? [] : [`Open: ${names.join(", ")}${more}.`];
  return [
    `Apply was stopped at once: ${counts}.`,
    ...open,
    "What is open may still happen. It is recorded: the next vmform apply looks what became of " +
      "it, and goes on from there. What is known not to happen is ended by vmform state resolve.",
  ].join("\n");
}
