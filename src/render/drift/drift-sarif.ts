/**
 * A drift report as SARIF 2.1.0, which code hosts show beside the lines of the configuration. What
 * is recorded nowhere is a note; what could not be checked is an error, and the run no success.
 */

import { isIncomplete } from "../../drift/drift-report.ts";
import type { DriftPlace, DriftReport } from "../../model/plan/drift-report.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { escapeControls } from "../text/safe-text.ts";
import { type DriftFinding, driftFindings, driftRules } from "./drift-findings.ts";

const schema = "https://json.schemastore.org/sarif-2.1.0.json";

export function driftSarif(report: DriftReport, version: string): ValueMap {
  const names = Object.keys(driftRules);
  const findings = driftFindings(report);
  // By the standard, all results have the member or none has.
  const isIgnoring = findings.some(({ ignored }) => ignored !== undefined);
  return {
    $schema: schema,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "vmform",
            version,
            rules: Object.values(driftRules).map(({ id, title, description }) => ({
              id,
              name: title,
              shortDescription: { text: description },
              fullDescription: { text: description },
              help: { text: "`commands` of each result deal with it." },
            })),
          },
        },
        automationDetails: { id: `vmform drift/${report.lineage}/` },
        columnKind: "unicodeCodePoints",
        invocations: [
          {
            executionSuccessful: !isIncomplete(report),
            endTimeUtc: new Date(report.createdMs).toISOString(),
            toolExecutionNotifications: report.diagnostics.map(notification),
          },
        ],
        results: findings.map((item) => ({
          ...result(item, names.indexOf(item.rule)),
          ...(isIgnoring ? { suppressions: suppressions(item) } : {}),
        })),
      },
    ],
  };
}

function result(finding: DriftFinding, ruleIndex: number): ValueMap {
  const { rule, message, subject, identity, place, fingerprint, severity, suggestions } = finding;
  const commands = suggestions.map(({ command }) => command);
  return {
    ruleId: driftRules[rule].id,
    ruleIndex,
    level: levelOf(finding),
    message: { text: linkless(message) },
    locations: [
      {
        ...(place === undefined ? {} : { physicalLocation: physical(place) }),
        logicalLocations: [{ fullyQualifiedName: subject, kind: "resource" }],
      },
    ],
    partialFingerprints: { "vmform/v1": fingerprint },
    properties: { identity: escapeControls(identity), severity, commands },
  };
}

function suppressions({ ignored }: DriftFinding): readonly ValueMap[] {
  if (ignored === undefined) return [];
  const { owner, reason, until } = ignored;
  const justification = escapeControls(`${reason} (${owner}, until ${until})`);
  return [{ kind: "external", status: "accepted", justification, properties: { owner, until } }];
}

function levelOf({ rule, severity, ignored }: DriftFinding): "error" | "warning" | "note" {
  if (ignored !== undefined || rule === "unmanaged" || severity === "cosmetic") return "note";
  if (rule === "missing" || rule === "unknown") return "error";
  return severity === "security" ? "error" : "warning";
}

function physical({ file, line }: DriftPlace): ValueMap {
  return { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } };
}

/** A reference relative to where the command ran, as the configuration's folder was named. */
function uriOf(file: string): string {
  const path = file.split("/").map(encodeURIComponent).join("/");
  return file.startsWith("/") ? `file://${path}` : path;
}

/** What looks like a link would be one; other brackets stay as they are, for who copies them. */
function linkless(text: string): string {
  if (!text.includes("](")) return text;
  return text.replaceAll(/[\\[\]]/g, (character) => `\\${character}`);
}

function notification({ code, severity, detail, fix }: Diagnostic): ValueMap {
  return {
    level: severity,
    descriptor: { id: code },
    message: { text: linkless(escapeControls([detail, fix ?? ""].join(" ").trimEnd())) },
  };
}
