/** One attribute in three descriptions of the world: who moved, and how much it matters. */

import { createHash } from "node:crypto";
import type { DriftClass } from "../model/plan/drift-report.ts";
import type { AttributeSchema, Severity } from "../model/value/resource-schema.ts";
import { equalValues, type Value } from "../model/value/value.ts";

/**
 * Undefined when there is nothing to tell. `desired` is undefined when the configuration says
 * nothing that is known; `observed`, when the attribute could not be read: then it has not drifted.
 */
export function driftClass(
  desired: Value | undefined,
  recorded: Value,
  observed: Value | undefined,
  same: (wanted: Value, actual: Value) => boolean = equalValues,
): DriftClass | undefined {
  const configMoved = desired !== undefined && !same(desired, recorded);
  const worldMoved = observed !== undefined && !same(recorded, observed);
  if (!worldMoved) return configMoved ? "config-change" : undefined;
  if (!configMoved) return "drift";
  return same(desired, observed) ? "drift-toward-config" : "conflict";
}

/** As the schema says; else a secret is a matter of security, observed power one of power. */
export function severityOf(schema: AttributeSchema | undefined, isPower: boolean): Severity {
  if (schema?.severity !== undefined) return schema.severity;
  if (schema?.sensitive === true) return "security";
  return isPower ? "power" : "other";
}

/** Sixteen hexadecimal digits; values are no part of it, so that one finding keeps its name. */
export function fingerprintOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
