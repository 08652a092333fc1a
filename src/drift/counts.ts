/** The counts of a drift report. */

import type { DriftCounts, ObjectDrift, UnmanagedObject } from "../model/plan/drift-report.ts";

export function countObjects(
  objects: readonly ObjectDrift[],
  unmanaged: readonly UnmanagedObject[],
  open: number,
): DriftCounts {
  const verdicts = {
    ...{ in_sync: 0, drifted: 0, differs: 0, missing: 0, ignored: 0, unknown: 0, not_checked: 0 },
  };
  const attributes = {
    compared: 0,
    drifted: 0,
    unapplied: 0,
    standing: 0,
    ignored: 0,
    notChecked: 0,
    failed: 0,
  };
  for (const object of objects) {
    verdicts[object.verdict] += 1;
    attributes.compared += object.comparedCount;
    attributes.drifted += object.drifted.length;
    attributes.standing += object.standing.length;
    attributes.ignored += object.ignored.length;
    attributes.unapplied += object.unapplied.length;
    attributes.notChecked += object.notChecked.length;
    attributes.failed += object.notChecked.filter(({ rule }) => rule === "failed").length;
  }
  return {
    objects: objects.length,
    inSync: verdicts.in_sync,
    drifted: verdicts.drifted,
    differing: verdicts.differs,
    missing: verdicts.missing,
    ignored: verdicts.ignored,
    unknown: verdicts.unknown,
    notChecked: verdicts.not_checked,
    unmanaged: unmanaged.length,
    open,
    attributesCompared: attributes.compared,
    attributesDrifted: attributes.drifted,
    attributesStanding: attributes.standing,
    attributesIgnored: attributes.ignored,
    attributesUnapplied: attributes.unapplied,
    attributesNotChecked: attributes.notChecked,
    attributesFailed: attributes.failed,
  };
}
