/** What is wrong with wanted sizes whatever appliance they are for. */

import type { Objection } from "../../../model/provider/provider.ts";
import type { Diagnostic } from "../../../model/said/diagnostic.ts";
import { nowhere } from "../../../model/said/problem.ts";
import type { Address } from "../../../model/value/address.ts";
import { isKnown, isMap, type PlannedAttributes } from "../../../model/value/value.ts";
import { problem } from "../codes.ts";
import { canonicalKey, diskNumber, knownPurposes, layout65, locate, meantBy } from "./layout.ts";

/** A name that no known release has, and that resembles none, the appliance's own list decides. */
export function checkSizes(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const { sizes_gb: sizes } = attributes;
  if (!isMap(sizes)) return [];
  const seen = new Map<string, string>();
  const problems = Object.entries(sizes).flatMap(([key, size]) => {
    const canonical = canonicalKey(key);
    const first = seen.get(canonical);
    seen.set(canonical, key);
    return [
      ...(first === undefined ? keyProblems(key) : [twice(first, key)]),
      ...(isKnown(size) ? [] : [unknownSize(key)]),
    ];
  });
  return problems.map((item) => ({ ...item, address }));
}

function keyProblems(key: string): readonly Objection[] {
  if (diskNumber(key) !== undefined || knownPurposes().includes(key)) return [];
  const located = locate(key, layout65);
  if (!("kind" in located)) return [];
  if (located.kind === "no-filesystem") return [noFilesystem(key)];
  const meant = meantBy(key, knownPurposes());
  return meant === undefined ? [] : [unknownName(key, `did you mean ${meant}?`)];
}

export function unknownName(key: string, hint: string): Objection {
  return problem(nowhere, "APL001", {
    detail: `${JSON.stringify(key)} names no partition and no disk of the appliance; ${hint}`,
    fix: "Use the purpose of a partition, such as core, or the number of its VMDK.",
  });
}

export function noFilesystem(key: string): Objection {
  return problem(nowhere, "APL002", {
    detail:
      `${JSON.stringify(key)} has no mount point after the installation (VMDK2 is the package ` +
      "store): there is nothing on it that a resize would grow, and nothing that shows its size.",
    fix: "Leave it out of sizes_gb.",
  });
}

export function twice(first: string, second: string): Objection {
  return problem(nowhere, "APL003", {
    detail: `${JSON.stringify(first)} and ${JSON.stringify(second)} are one disk.`,
    fix: "Keep one of them.",
  });
}

function unknownSize(key: string): Objection {
  return problem(nowhere, "APL005", {
    detail: `${JSON.stringify(key)} decides what is done, and its size is known only after apply.`,
    fix: "Use a value that the configuration itself knows, such as the size_gb of a disk.",
  });
}
