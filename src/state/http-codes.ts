/** Problems of recorded state that a server keeps as one document: of stores http and s3. */

import type { Explanation } from "../model/said/explanation.ts";

export const httpCodes = {
  STO020: {
    summary: "Settings of recorded state cannot be used",
    explanation:
      "The settings and environment variables that say where recorded state is kept lack " +
      "something, or contradict each other.",
    fix: "Correct vmform.state in the configuration, or the variables that the message names.",
  },
  STO021: {
    summary: "Server refuses access to recorded state",
    explanation: "Reading needs fewer rights than locking and writing.",
    fix: "Use a user or token that has the rights that the message names.",
  },
  STO022: {
    summary: "No recorded state is kept at this address",
    explanation:
      "The reply is that of a place where nothing of the kind is: a page for people, another " +
      'project, no such path. It never counts as "nothing recorded".',
    fix: "Correct the address.",
  },
  STO023: {
    summary: "Server has no locks",
    explanation: "Without a lock two runs could change one state at once.",
    fix: "Name where the server locks, use another server, or say that it is wanted so.",
  },
  STO024: {
    summary: "State of another tool stands at this address",
    explanation:
      "Terraform speaks the same protocol. Neither of the two writes over what the other has " +
      "recorded.",
    fix: "Give each its own address.",
  },
  STO025: {
    summary: "Document of recorded state is damaged",
    explanation: "The server answered with something that vmform did not write so.",
    fix: "Go back to an earlier version on the server.",
  },
  STO026: {
    summary: "Recorded state is too large for the server",
    explanation: "The server limits how large a state may be, and the next write would be larger.",
    fix: "Have the limit raised, or divide the configuration into several states.",
  },
  STO027: {
    summary: "Somebody else has written recorded state",
    explanation:
      "The lock was held, and all the same something else stands there now. Whoever wrote it did " +
      "so without the lock.",
    fix: "Find out who writes there, then run the same command again.",
  },
  STO028: {
    summary: "Server of recorded state does not answer",
    explanation:
      "There was no usable reply in time. A write whose reply was lost is never repeated before " +
      "a read has shown that it did not arrive.",
    fix: "Mend the connection or the server, and run the same command again.",
  },
  STO029: {
    summary: "Server does not fence",
    explanation:
      "A write with another lock than the present one was taken when that was tried. The lock " +
      "keeps runs apart as long as nobody takes it away.",
    fix: "Use force-unlock only when its holder is really gone.",
  },
  STO030: {
    summary: "Recorded state has no lock",
    explanation: "The settings say that this server is used without a lock.",
    fix: "Make sure that there is only ever one run.",
  },
  STO031: {
    summary: "Server refused to keep recorded state",
    explanation: "The server gave a reason that vmform does not know.",
    fix: "Mend what the server names, and run the same command again.",
  },
  STO032: {
    summary: "Object store passes over conditions",
    explanation:
      "The lock is an object that is made only where none is, and the document is replaced only " +
      "where it is what was read last. This server does neither, so nothing keeps two runs apart.",
    fix: "Use another server or another store.",
  },
} as const satisfies { readonly [code: string]: Explanation };
