/**
 * A drift report as metrics in the text format of Prometheus, for the text file collector of its
 * node exporter. Numbers alone: a series for each object would be one for each that ever was.
 */

import { isIncomplete } from "../../drift/drift-report.ts";
import type { DriftReport, DriftVerdict } from "../../model/plan/drift-report.ts";

type Metric = {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly { readonly labels?: string; readonly value: number }[];
};

/** Ends without a newline. */
export function driftMetrics(report: DriftReport): string {
  return metricsOf(report)
    .flatMap(({ name, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...samples.map(({ labels, value }) => `${name}${labels ?? ""} ${value}`),
    ])
    .join("\n");
}

function metricsOf(report: DriftReport): readonly Metric[] {
  const { counts, createdMs } = report;
  const single = (name: string, help: string, value: number): Metric => {
    return { name: `vmform_drift_${name}`, help, samples: [{ value }] };
  };
  return [
    {
      name: "vmform_drift_objects",
      help: "Recorded objects by what the last report found of them.",
      samples: objectSamples(report),
    },
    single("attributes", "Attributes that were changed outside.", counts.attributesDrifted),
    single(
      "ignored_attributes",
      "Attributes that differ and that a rule ignores.",
      counts.attributesIgnored,
    ),
    single("unmanaged_objects", "Objects that exist and are recorded nowhere.", counts.unmanaged),
    single("open_operations", "Operations that an interrupted run has left open.", counts.open),
    single(
      "complete",
      "1 if all was read that should have been, else 0.",
      isIncomplete(report) ? 0 : 1,
    ),
    single(
      "timestamp_seconds",
      "When the last report was made, in seconds since the epoch.",
      Math.floor(createdMs / 1000),
    ),
  ];
}

/** Each type with each verdict, zeros too, so that a series does not end when all is well. */
function objectSamples({ objects }: DriftReport): Metric["samples"] {
  const verdicts: readonly DriftVerdict[] = [
    "in_sync",
    "drifted",
    "differs",
    "missing",
    "ignored",
    "unknown",
    "not_checked",
  ];
  const types = [...new Set(objects.map(({ type }) => type))].toSorted();
  const counts = new Map<string, number>();
  for (const { type, verdict } of objects) {
    const key = labelsOf(type, verdict);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return types.flatMap((type) =>
    verdicts.map((verdict) => {
      const labels = labelsOf(type, verdict);
      return { labels, value: counts.get(labels) ?? 0 };
    }),
  );
}

/** A type is a word of a schema. */
function labelsOf(type: string, verdict: DriftVerdict): string {
  return `{type="${type}",verdict="${verdict}"}`;
}
