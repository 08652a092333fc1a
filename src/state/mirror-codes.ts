/** Problems of mirrors: local copies of what is recorded in a store on a server. */

import type { Explanation } from "../model/said/explanation.ts";

export const mirrorCodes = {
  STO070: {
    summary: "Recorded state is that of the mirror",
    explanation:
      "With --state-from mirror, what this machine last read or wrote is used, and the store is " +
      "not asked. What others have done since is not in it.",
    fix: "Leave the option out when the store can be reached again.",
  },
  STO071: {
    summary: "There is no mirror",
    explanation:
      "A mirror is kept in .vmform/mirror, beside the configuration, by every command that reads " +
      "or writes a store on a server. A state in a file of this machine has none.",
    fix: "Use a folder or a machine where a command ran before.",
  },
  STO072: {
    summary: "Mirror cannot be used",
    explanation:
      "Its files are damaged, of a later version, or encrypted with a key that is not there. It " +
      "may hold what was applied from it, so nothing replaces it.",
    fix: "Put it aside: vmform state mirror --discard NAME.",
  },
  STO073: {
    summary: "Mirror was not kept",
    explanation:
      "What was read or written could not be written here as well, such as for want of space. " +
      "The mirror stays as it was, and the store has everything.",
    fix: "Mend what the system reports.",
  },
  STO074: {
    summary: "Store is behind its mirror",
    explanation:
      "The store has fewer entries of the same history than this machine has seen in it: an " +
      "earlier version was put back, or a failover has lost some. The mirror never goes backwards.",
    fix: "Compare the two; put the mirror aside if the store is right.",
  },
  STO075: {
    summary: "What was applied from the mirror is merged",
    explanation:
      "Entries of runs with --state-from mirror are added to the store, where it still is what " +
      "they began with. A command that only looks shows them already.",
    fix: "Nothing has to be done.",
  },
  STO076: {
    summary: "What was applied from the mirror cannot be merged",
    explanation:
      "Since then others have recorded something in the store, so the two contradict each other. " +
      "Nothing is thrown away, and nothing is done under the lock before somebody decides.",
    fix: "Keep one of the two, as the message says.",
  },
  STO077: {
    summary: "A run from the mirror is at work",
    explanation:
      "On this machine a command with --state-from mirror has not ended. What it does is not in " +
      "the store yet, so another run would do it twice.",
    fix: "Wait until it has ended.",
  },
} as const satisfies { readonly [code: string]: Explanation };
