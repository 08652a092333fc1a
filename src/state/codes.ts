/** Problems of the place where recorded state is kept, by stable code, whatever the store. */

import type { Explanation } from "../model/said/explanation.ts";
import { problemsOf } from "../model/said/problem.ts";
import { httpCodes } from "./http-codes.ts";
import { mirrorCodes } from "./mirror-codes.ts";
import { postgresCodes } from "./postgres-codes.ts";
import { sealCodes } from "./seal-codes.ts";

export const storeCodes = {
  STO001: {
    summary: "Recorded state is damaged",
    explanation:
      'The file is empty, cut or not what vmform wrote. It never counts as "nothing ' +
      'recorded", since that would create everything again.',
    fix: "Go back to the backup that the message names.",
  },
  STO002: {
    summary: "Journal of the recorded state is damaged",
    explanation:
      "An entry in the middle of the journal cannot be read. One torn last line is normal " +
      "after a crash and is no damage.",
    fix: "Go back to the backup that the message names, or restore the journal.",
  },
  STO003: {
    summary: "Recorded state is of a later version",
    explanation: "A later version of vmform wrote the file, in a form that this one does not know.",
    fix: "Use that version, or a later one.",
  },
  STO004: {
    summary: "Recorded state is missing",
    explanation:
      "The file is gone, but its journal or backup still stands beside it, so something was " +
      "recorded here. Going on would create everything again.",
    fix: "Restore the file from the backup that the message names.",
  },
  STO005: {
    summary: "Recorded state is not sound",
    explanation: "The file can be read, but contradicts itself, as after an edit by hand.",
    fix: "Undo the edit, or go back to the backup that the message names.",
  },
  STO006: {
    summary: "Recorded state cannot be read",
    explanation:
      "The system does not let vmform read the file. The state counts as unknown then, never " +
      "as empty.",
    fix:
      "Mend what the system reports: permissions, a folder in its place, a file system that " +
      "is not mounted.",
  },
  STO007: {
    summary: "Recorded state cannot be written",
    explanation:
      "Everything that is done is written down first, so without a place to write nothing is " +
      "done.",
    fix: "Mend what the system reports: permissions, free space, a read-only file system.",
  },
  STO008: {
    summary: "Recorded state is no longer written",
    explanation:
      "An earlier write of this run failed. A later entry would stand behind a gap, so " +
      "nothing more is written and nothing more is begun.",
    fix:
      "Mend the cause and run the same command again; what was begun is found and settled " +
      "then.",
  },
  STO009: {
    summary: "Recorded state is locked",
    explanation: "Another run holds the lock. Two runs never change one state at once.",
    fix:
      "Wait, give it time with --lock-timeout, or, when its holder is gone for good: vmform " +
      "force-unlock ID.",
  },
  STO010: {
    summary: "Lock was taken away",
    explanation:
      "While this command ran, somebody removed its lock, so another run may be at work. " +
      "Nothing more is written.",
    fix: "Run the same command again when the state is free.",
  },
  STO011: {
    summary: "Recorded state is not locked",
    explanation: "force-unlock found no lock.",
    fix: "Nothing has to be unlocked.",
  },
  STO012: {
    summary: "Lock has another id",
    explanation:
      "The lock that stands there now is not the one that was named; its holder may live.",
    fix: "Look at the holder, and unlock by the id that stands there now if it is gone.",
  },
  STO013: {
    summary: "New state is not sound",
    explanation:
      "What was to be written would contradict itself. This is a fault of vmform; the old " +
      "state was left as it was.",
    fix: "Please report it. What was done is kept in the journal.",
  },
  STO014: {
    summary: "Recorded state was not saved",
    explanation:
      "Work was done, and its record could not be written to its place. An emergency copy is " +
      "kept where that was possible.",
    fix: "Mend the cause and copy the emergency copy over the state before any other command.",
  },
  STO015: {
    summary: "Lock is held by a process that runs",
    explanation:
      "The kernel holds the lock for that process and gives it back when the process ends, " +
      "however that happens. It cannot be taken away before, also while the process is stopped: " +
      "it may be in the middle of a write.",
    fix: "Wait until it has ended, or end it where it runs; nothing else has to be unlocked then.",
  },
  STO016: {
    summary: "Journal of the recorded state is missing",
    explanation:
      "What a run does is written to the journal first, and to the state file when it ends. Both " +
      "belong together: of a run that was killed, only the journal knows what it had begun.",
    fix: "Put the journal back, or go on if you know that no run was interrupted since.",
  },
  ...httpCodes,
  ...postgresCodes,
  ...sealCodes,
  ...mirrorCodes,
} as const satisfies { readonly [code: string]: Explanation };

export const { problem, warning } = problemsOf(storeCodes);
