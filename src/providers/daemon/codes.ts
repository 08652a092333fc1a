/** What the daemon's types have to say about a configuration, by stable code. */

import type { Explanation } from "../../model/said/explanation.ts";
import { problemsOf } from "../../model/said/problem.ts";

export const daemonCodes = {
  DMN001: {
    summary: "Id cannot be used",
    explanation:
      "The id stands in paths of the interface, where some characters and words have another " +
      "meaning.",
    fix: "Choose another id.",
  },
  DMN002: {
    summary: "VM is its own parent",
    explanation: "parent_id names the VM to clone, which has to exist before.",
    fix: "Name another VM.",
  },
  DMN003: {
    summary: "Text is empty",
    explanation:
      "The daemon cannot tell an empty text from none, so the attribute would seem to change " +
      "for ever.",
    fix: "Leave the attribute out.",
  },
  DMN004: {
    summary: "Name of the share cannot be used",
    explanation:
      "guest_path is a name within a path of the interface, where some characters have " +
      "another meaning.",
    fix: "Choose another guest_path.",
  },
} as const satisfies { readonly [code: string]: Explanation };

export const { problem } = problemsOf(daemonCodes);
