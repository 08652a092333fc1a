/** What the types of the appliance have to say about configurations and changes, by stable code. */

import type { Explanation } from "../../model/said/explanation.ts";
import { problemsOf } from "../../model/said/problem.ts";

export const applianceCodes = {
  APL001: {
    summary: "Partition does not exist",
    explanation: "The key of sizes names no partition and no disk of the appliance.",
    fix: "Use the purpose of a partition, such as core, or the number of its VMDK.",
  },
  APL002: {
    summary: "Disk has no filesystem",
    explanation: "The disk holds no filesystem that a resize would grow.",
    fix: "Name another disk, or leave this one out.",
  },
  APL003: {
    summary: "Disk is named twice",
    explanation: "Two keys of sizes mean one disk, which has one size.",
    fix: "Keep one of them.",
  },
  APL004: {
    summary: "Storage of an appliance never shrinks",
    explanation:
      "A filesystem of the appliance only grows, and the wanted size is below the present " +
      "one.",
    fix: "Set at least the present size.",
  },
  APL005: {
    summary: "Size must be known while planning",
    explanation:
      "The size decides whether anything is done at all, so it cannot be a value that is " +
      "known only after apply.",
    fix: "Use a value that the configuration itself knows, such as the size_gb of a disk.",
  },
  APL006: {
    summary: "Growth cannot be verified",
    explanation:
      "The appliance does not show the size of this disk, so nothing can be read back after " +
      "the resize.",
    fix: "Look for yourself afterwards: df -h in a shell of the appliance.",
  },
  APL007: {
    summary: "Storage of the appliance is not healthy",
    explanation:
      "The appliance itself reports trouble with its storage. A resize may be refused, or be " +
      "what it needs.",
    fix: "Look at the health of the appliance first.",
  },
  APL009: {
    summary: "Partitions are not listed",
    explanation:
      "The appliance does not list which partition is on which disk, or answers with an error; " +
      "what was read before is used, else the layout of release 6.5.",
    fix: "Nothing has to be done where the disks are those of release 6.5.",
  },
  APL010: {
    summary: "Health of the storage is not told",
    explanation: "The appliance does not tell its storage health, or answers with an error.",
    fix: "Nothing has to be done; a refusal is told when it comes.",
  },
  APL011: {
    summary: "An earlier resize may still run",
    explanation:
      "A resize was sent and not answered. It is synchronous and has no task, so only what it " +
      "was sent for tells that it has ended; until that shows, or two hours have passed, no " +
      "second one is sent.",
    fix:
      "Look at the appliance. When it is known to have ended, forget the record and apply again: " +
      "vmform state rm.",
  },
} as const satisfies { readonly [code: string]: Explanation };

export const { problem, warning } = problemsOf(applianceCodes);
