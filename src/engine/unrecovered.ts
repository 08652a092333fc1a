/** What recovery has to tell of an operation that it could not close. */

import { quotedWord, shellWord } from "../lib/shell-word.ts";
import { clockText } from "../lib/time/clock-text.ts";
import type { BeginEntry } from "../model/recorded/begin-entry.ts";
import { type Endpoint, endpointText } from "../model/recorded/endpoint.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { problem, warning } from "./codes.ts";
import { overdueText } from "./send/send.ts";

/** Left open, with its task recorded: whatever is planned would come on top of it. */
export function overdue(begin: BeginEntry, word: string, nowMs: number): Diagnostic {
  const { address } = begin.subject;
  return problem({ address }, "RUN007", {
    detail: `${begunText(begin, nowMs)}: ${overdueText(begin.proof.limitMs, word)}.`,
    fix: `Wait and run again, or cancel it: vmform action ${shellWord(address)} cancel-task`,
  });
}

export function undecided(begin: BeginEntry, nowMs: number): Diagnostic {
  return problem({ address: begin.subject.address }, "RUN001", {
    detail: `${begunText(begin, nowMs)}, and no read tells whether it took effect.`,
    fix:
      "Look for yourself, then: " +
      `vmform state resolve ${shellWord(begin.subject.address)} --done (or --not-done)`,
  });
}

export function elsewhere(begin: BeginEntry, present: Endpoint): Diagnostic {
  const { verb, endpoint = present } = begin;
  const { address } = begin.subject;
  return problem({ address }, "RUN010", {
    detail:
      `${verb} of ${address} was begun at ${endpointText(endpoint)} and has not ended; there is ` +
      `${endpointText(present)} now, which knows nothing of it.`,
    fix:
      "Bring the server back and run again; or look there for yourself, then: " +
      `vmform state resolve ${quotedWord(address)} --done (or --not-done)`,
  });
}

export function another({ subject, verb }: BeginEntry, difference: string): Diagnostic {
  const { address, identity } = subject;
  return problem({ address }, "RUN011", {
    detail:
      `${verb} of ${address} was begun and has not ended; ${identity} is another object by now: ` +
      `${difference}. What became of the recorded one cannot be read.`,
    fix:
      `Look for it yourself, then: vmform state resolve ${quotedWord(address)} ` +
      "--done (or --not-done)",
  });
}

export function unreachable(begin: BeginEntry, message: string, nowMs: number): Diagnostic {
  return problem({ address: begin.subject.address }, "RUN002", {
    detail: `${begunText(begin, nowMs)} and not ended: ${message}.`,
    fix:
      "Make the endpoint reachable and run again. Where you know how it ended: " +
      `vmform state resolve ${shellWord(begin.subject.address)} --done (or --not-done)`,
  });
}

/** Not waited for: it may still happen. */
export function left(begin: BeginEntry, words: string | undefined, nowMs: number): Diagnostic {
  const last = words === undefined ? "" : `: ${words}`;
  const until = clockText(begin.atMs + begin.proof.limitMs, nowMs);
  return warning({ address: begin.subject.address }, "RUN016", {
    detail:
      `${begunText(begin, nowMs)} and not ended${last}. It may still happen, until ` +
      `${until} at most; what is shown of it may change.`,
    fix: "The next vmform apply settles it. To wait for it here: --settle",
  });
}

function begunText({ verb, subject: { address }, atMs }: BeginEntry, nowMs: number): string {
  return `${verb} of ${address} was begun at ${clockText(atMs, nowMs)}`;
}
