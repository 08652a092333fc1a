/** The forms in which `vmform drift` writes its report. What few need is loaded when asked for. */

import type { ReportForm } from "../../commands/output-file.ts";
import type { DriftHistoryEntry } from "../../drift/history.ts";
import { stringifyJson } from "../../lib/json.ts";
import type { DriftReport } from "../../model/plan/drift-report.ts";
import { driftJson } from "../../render/drift/drift-json.ts";
import { driftMarkdown } from "../../render/drift/drift-markdown.ts";
import { driftText } from "../../render/drift/drift-text.ts";

export type ReportOptions = {
  /** Of Markdown. */
  readonly maxBytes?: number | undefined;
  /** Of vmform. */
  readonly version: string;
  /** Empty where none is kept. */
  readonly history: readonly DriftHistoryEntry[];
};

/** Ends without a newline. */
export async function driftReportText(
  report: DriftReport,
  form: ReportForm,
  { maxBytes, version, history }: ReportOptions,
): Promise<string> {
  switch (form) {
    case "text":
      return driftText(report, { color: false });
    case "json":
      return stringifyJson(driftJson(report), { indent: 2 });
    case "markdown":
      return driftMarkdown(report, maxBytes === undefined ? {} : { maxBytes });
    case "junit": {
      const { driftJunit } = await import("../../render/drift/drift-junit.ts");
      return driftJunit(report).trimEnd();
    }
    case "sarif": {
      const { driftSarif } = await import("../../render/drift/drift-sarif.ts");
      return stringifyJson(driftSarif(report, version), { indent: 2 });
    }
    case "gitlab": {
      const { driftGitlab } = await import("../../render/drift/drift-gitlab.ts");
      return stringifyJson(driftGitlab(report), { indent: 2 });
    }
    case "metrics": {
      const { driftMetrics } = await import("../../render/drift/drift-metrics.ts");
      return driftMetrics(report);
    }
    case "html": {
      const { driftPage } = await import("../../render/html/drift-page.ts");
      return driftPage(report, version, history);
    }
  }
}
